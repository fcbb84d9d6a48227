"""Projects and lessons that the server keeps under an address; the last project of a window.

Each is a file of its own in one folder. Its name is the secret word of the address, its first line
says whose it is and until when it is kept, and the rest is a project or a lesson as it is saved to
a file. It is read as an upload is: within the quota of who opens it, and by the same functions.
"""

from __future__ import annotations

import os
import re
import secrets
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Literal

import msgspec

from ccviz.errors import CcvizError
from ccviz.runs.file import plain
from ccviz.system import put_in_place, whole_file
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.personal_archive import import_for
from ccviz.views.lab.session import Session
from ccviz.views.person import Person
from ccviz.views.share.project import (
    SUFFIX,
    Project,
    open_project,
    read_project,
    save_project,
    take_project,
)

DAYS = (7, 1, 30, 180)
"""Days for which something can be kept, the usual number first."""

MOST_FILES = 1000
"""Most files that a server keeps, of all people together."""

MOST_BYTES = 1 << 30
"""Most bytes of them."""

PREFIX = "kept-"
"""Begins the word of an address for a lesson that is kept."""

_DAY_S = 86_400.0
_WORD_BYTES = 24
_WORD = re.compile(r"[A-Za-z0-9_-]{32}", re.ASCII)
"""The only names that a file of the folder is looked for by."""

_MOST_HEAD_BYTES = 4096

_GONE = (
    "The server keeps nothing under this address: its time is over, it was deleted, or the address "
    "is not whole. Ask for a new one."
)


Kind = Literal["project", "lesson"]


class Kept(msgspec.Struct, frozen=True):
    """What is known of a file without reading the rest of it."""

    owner: str  # Browser in a class; empty on a server whose people share all
    kind: Kind
    name: str
    until: float  # Seconds since 1970
    word: str = ""  # Secret word of its address, which the file itself does not hold

    @property
    def ends(self) -> str:
        """The end of its time, in words."""
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self.until))

    @property
    def query(self) -> str:
        """What its address says behind the question mark."""
        return f"lesson={PREFIX}{self.word}" if self.kind == "lesson" else f"shared={self.word}"


class KeptFiles:
    """The files that a server keeps.

    `folder`: Made on first use, for this account alone. `now`: Returns seconds since 1970.
    """

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._folder, self._now, self._lock = folder, now, Lock()

    def keep(
        self, person: Person, kind: Kind, name: str, content: bytes, days: int = DAYS[0]
    ) -> Kept:
        """Keep a file for some days.

        Raises `CcvizError` if the person has too many, it is too large, or the server is full.
        """
        if days not in DAYS:
            raise CcvizError(f"An address is kept for {', '.join(map(str, DAYS))} days.")
        kept = Kept(person.browser, kind, plain(name), self._now() + days * _DAY_S)
        with self._lock, _named():
            sizes = [path.stat().st_size for path, _ in self._all()]
            person.quota.check_kept(len(self._of(person)), len(content))
            if len(sizes) >= MOST_FILES or sum(sizes) + len(content) > MOST_BYTES:
                raise CcvizError(
                    "This server keeps as much as it can: an address has to be deleted first."
                )
            word = secrets.token_urlsafe(_WORD_BYTES)
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            put_in_place(self._folder / word, msgspec.json.encode(kept) + b"\n" + content)
        return msgspec.structs.replace(kept, word=word)

    def find(self, kind: Kind, word: str) -> tuple[Kept, bytes]:
        """Return the file of a word.

        Raises `CcvizError` if there is none: the word is not whole, it was deleted, or its time is
        over.
        """
        kept = self._head(self._folder / word) if _WORD.fullmatch(word) else None
        if kept is None or kept.kind != kind or kept.until <= self._now():
            raise CcvizError(_GONE)
        with _named():
            return kept, (self._folder / word).read_bytes().partition(b"\n")[2]

    def of(self, person: Person) -> list[Kept]:
        """Return a person's files, the newest first; those whose time is over are removed."""
        with self._lock, _named():
            return sorted(self._of(person), key=lambda each: -each.until)

    def delete(self, person: Person, word: str) -> None:
        """Delete a person's own file; nothing else is."""
        with self._lock, _named():
            if any(kept.word == word for kept in self._of(person)):
                (self._folder / word).unlink(missing_ok=True)

    def _of(self, person: Person) -> list[Kept]:
        return [kept for _, kept in self._all() if kept and kept.owner == person.browser]

    def _all(self) -> Iterator[tuple[Path, Kept | None]]:
        """Yield all files, each with its first line if that is sound; remove those of the past."""
        now = self._now()
        for path in sorted(self._folder.iterdir()) if self._folder.is_dir() else ():
            kept = self._head(path) if _WORD.fullmatch(path.name) else None
            # What an end of the server in the middle of writing has left begins with a dot.
            if path.name.startswith(".") or (kept and kept.until <= now):
                path.unlink(missing_ok=True)
            else:
                yield path, kept

    @staticmethod
    def _head(path: Path) -> Kept | None:
        """Return the first line of a file; None if there is no such file, or it is damaged."""
        with suppress(OSError, msgspec.MsgspecError, ValueError), path.open("rb") as file:
            kept = msgspec.json.decode(file.readline(_MOST_HEAD_BYTES), type=Kept)
            return msgspec.structs.replace(kept, word=path.name)
        return None


@contextmanager
def _named() -> Iterator[None]:
    """Turn an error of the file system into a sentence without its path."""
    try:
        yield
    except OSError as broken:
        reason = os.strerror(broken.errno or 0)
        raise CcvizError(f"The server cannot keep or read this: {reason}.") from None


def open_kept(session: Session, files: KeptFiles, word: str) -> None:
    """Open a copy of the project under an address, now or in some `Session.tick`."""
    kept, content = files.find("project", word)

    def take(project: Project) -> None:
        take_project(session, project)
        session.notice = Notice(
            "info", f"{kept.name} is a copy: your changes stay yours.", title="a table by address"
        )

    session.import_runs(kept.name, read_project, content, then=take)


# --- The project of the desktop window: opened at its start and saved at its end ------------------
#
# The server of a window has one `LastProject`, and each new page registers with it. The first page
# opens the file given to the window, or else the last project.


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
