"""The project of the desktop window: opened at its start and saved at its end.

The server of a window has one `LastProject`, and each new page registers with it. The first page
opens the file given to the window, or else the last project.
"""

from __future__ import annotations

import weakref
from pathlib import Path

from ccviz.errors import CcvizError
from ccviz.system import whole_file
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.personal_archive import import_for
from ccviz.views.lab.session import Session
from ccviz.views.share.project import SUFFIX, open_project, save_project

LAST_PROJECT = "last_project"
"""Key of the last project in `panel.state.cache`."""

RUN_SUFFIX = ".ccviz"
_LAST = f"last{SUFFIX}"


class LastProject:
    """The sessions of the window, and the project to open and save."""

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        self._last = folder / _LAST
        self._file: Path | None = file or (self._last if self._last.is_file() else None)
        self._sessions: list[weakref.ref[Session]] = []

    def register(self, session: Session, importing: Importing) -> bool:
        """Register a session; the first one opens the file, a table on its import sheet."""
        self._sessions.append(weakref.ref(session))
        file, self._file = self._file, None
        if file is not None:
            with session.reporting_errors():
                open_file(session, importing, file)
        return file is not None

    def save_and_close(self) -> None:
        """Save the project of the newest session, then close all sessions."""
        alive = [session for each in self._sessions if (session := each()) is not None]
        if alive and not alive[-1].archive.is_in_library(alive[-1].player.run_id):
            content = save_project(alive[-1], with_runs=False)  # the runs are in the archive
            with whole_file(self._last) as file:
                file.write(content)
        for session in alive:
            session.close()


def open_file(session: Session, importing: Importing, path: Path) -> None:
    """Open a file of this machine: a project, a run, or a table."""
    try:
        content = path.read_bytes()
    except OSError as broken:
        raise CcvizError(f"{path.name} cannot be read: {broken.strerror}.") from None
    suffix = path.suffix.lower()
    if suffix == SUFFIX:
        open_project(session, path.name, content)
    elif suffix == RUN_SUFFIX:
        session.import_runs(path.name, import_for, content, then=session.open_run)
    else:
        importing.read_file(path.name, content)
