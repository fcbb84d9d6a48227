"""Files that a person brings, or takes home: read and written beside the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ccviz.runs.archive import Archive
from ccviz.views.lab.file_jobs import FileJobs
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.words import Worded
from ccviz.views.person import Person


class Filing(Worded):
    """File jobs of a session, with a notice while they go on.

    Attributes
    ----------
    person : Person
    archive : Archive
    file_jobs : FileJobs
    """

    person: Person
    archive: Archive
    file_jobs: FileJobs

    def bring(self, name: str, read: Callable[..., Any], *args: Any, **how: Any) -> None:
        """Start a file job that reads a file, and say so while it does; see `FileJobs.take`."""
        self._by_a_file_job(partial(self.file_jobs.take, read, *args, **how), name, "read")

    def bring_runs(self, name: str, read: Callable[..., Any], content: bytes, **how: Any) -> None:
        """Start a file job that reads runs into the archive; ``read`` is given its path, too."""
        path = self.archive.path
        args, folder = (content, name, path, self.person), str(path.parent)
        self.bring(name, read, *args, may_swell=True, writes=folder, **how)

    def prepare(self, name: str, work: Callable[..., Any], *args: Any, **how: Any) -> None:
        """Start a file job that writes a file, and say so while it does; see `FileJobs.do`."""
        folder = str(self.archive.path.parent)
        begin = partial(self.file_jobs.do, work, *args, writes=folder, **how)
        self._by_a_file_job(begin, name, "written")

    def _by_a_file_job(self, begin: Callable[[], None], name: str, done: str) -> None:
        with self.in_words():
            begin()
            if self.file_jobs.busy:
                self.notice = Notice("info", f"{name} is being {done}…")
