"""The laboratory of a window of its own: what it opens with, and what it leaves for the next time.

The server of a window has one `Desk`, and every page that is built greets it. The first page opens
the file that the window was started for, or the project that lay open last.
"""

from __future__ import annotations

import weakref
from pathlib import Path

from ccviz.errors import CcvizError
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.session import Session
from ccviz.views.lab.shelf import import_for
from ccviz.views.share.project import SUFFIX, open_project, save_project
from ccviz.wholefile import whole_file

DESK = "desk"
"""Under this name the pages of a server find its desk in `panel.state.cache`."""

RUN_SUFFIX = ".ccviz"
_LAST = f"last{SUFFIX}"


class Desk:
    """What lies on it.

    Parameters
    ----------
    folder : path
        Where the last project is kept.
    file : path, optional
        What to open; the last project if not given.
    """

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        self._last = folder / _LAST
        self._file: Path | None = file or (self._last if self._last.is_file() else None)
        self._sessions: list[weakref.ref[Session]] = []

    def greet(self, session: Session, importing: Importing) -> bool:
        """Open the file in the first session, a table on its sheet; keep an eye on every one.

        Parameters
        ----------
        session : Session
        importing : Importing

        Returns
        -------
        bool
            Whether there is something to open.
        """
        self._sessions.append(weakref.ref(session))
        file, self._file = self._file, None
        if file is not None:
            with session.in_words():
                open_file(session, importing, file)
        return file is not None

    def clear(self) -> None:
        """End every session, and keep the project of the last one for the next time."""
        alive = [session for each in self._sessions if (session := each()) is not None]
        if alive and not alive[-1].archive.is_example(alive[-1].player.run_id):
            content = save_project(alive[-1], with_runs=False)  # these are in the archive already
            with whole_file(self._last) as file:
                file.write(content)
        for session in alive:
            session.close()


def open_file(session: Session, importing: Importing, path: Path) -> None:
    """Open a file of this machine: a project, a run, or a table.

    Parameters
    ----------
    session : Session
    importing : Importing
    path : path

    Raises
    ------
    CcvizError
        If it cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as broken:
        raise CcvizError(f"{path.name} cannot be read: {broken.strerror}.") from None
    suffix = path.suffix.lower()
    if suffix == SUFFIX:
        open_project(session, path.name, content)
    elif suffix == RUN_SUFFIX:
        session.bring(
            path.name, import_for, content, path.name, session.archive.path, session.person,
            then=session.open_run, may_swell=True,
        )  # fmt: skip
    else:
        importing.bring(path.name, content)
