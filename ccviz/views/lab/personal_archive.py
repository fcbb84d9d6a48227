"""The archive of one person: their policy on the shared archive, and runs read from files."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from ccviz.errors import ArchiveError
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.file import import_run
from ccviz.runs.info import RunInfo
from ccviz.runs.limits import NO_LIMITS, Limits
from ccviz.runs.policy import Holdings, Policy
from ccviz.views.lab.example import Example
from ccviz.views.person import Person


@dataclass(frozen=True)
class PersonalPolicy(Policy):
    """Own and shared runs are visible, own runs can be changed, new runs obey the quota.

    Attributes
    ----------
    person : Person
    """

    person: Person

    def sees(self, run: RunInfo) -> bool:
        """Return whether the person may read a run."""
        return self.person.sees(run)

    def owns(self, run: RunInfo) -> bool:
        """Return whether the person may change a run."""
        return self.person.owns(run)

    def owner_of_new(self, given: str) -> str:
        """Return the person, for any owner."""
        return self.person.browser

    def limits_of_new(self, holdings: Holdings, problem: Problem, limits: Limits) -> Limits:
        """Return the limits of a new run within the quota."""
        quota = self.person.quota
        quota.check_table(problem.n, problem.d)
        quota.check_links(len(problem.must_link) + len(problem.cannot_link))
        quota.check_runs(*holdings.size_of(self.person.browser))
        self._check_at_once(holdings)
        return self._within(limits)

    def limits_of_resumed(
        self, holdings: Holdings, run: RunInfo, limits: Limits | None
    ) -> Limits | None:
        """Return the limits of a resumed run within the quota."""
        self._check_at_once(holdings)
        return self._within(limits or NO_LIMITS, run.time_s)

    def name(self, path: Path) -> str:
        """Return the name of the archive in messages, without its path on the server."""
        return "this archive"

    def _within(self, limits: Limits, spent_s: float = 0.0) -> Limits:
        most = self.person.quota.most_seconds(limits.time_limit, spent_s)
        return replace(limits, time_limit=most)

    def _check_at_once(self, holdings: Holdings) -> None:
        if self.person.in_class:
            running = sum(self.owns(info) and info.state == "running" for info in holdings.runs())
            self.person.quota.check_at_once(running)


def personal_archive(archive: Archive, person: Person, example: Example | None = None) -> Archive:
    """Return the shared archive as one person may use it.

    Parameters
    ----------
    archive : Archive
        Shared with all people of the server.
    person : Person
    example : Example, optional
        A finished run that each person may read; it is in no list.

    Returns
    -------
    Archive
    """
    return archive.under(PersonalPolicy(person), example.archive if example else None)


def import_for(content: bytes, name: str, path: Path, person: Person) -> str:
    """Read a run from a file into a person's part of the archive and return its id.

    Parameters
    ----------
    content : bytes
    name : str
        Name of the file.
    path : path
        Path of the archive.
    person : Person

    Returns
    -------
    str

    Raises
    ------
    CcvizError
        If it is refused; the archive is left as it was.
    """
    with Archive(path) as archive, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / (Path(name).name or "run.ccviz")
        file.write_bytes(content)
        try:
            return import_run(personal_archive(archive, person), file)
        except ArchiveError as refused:
            raise ArchiveError(str(refused).replace(f"{folder}/", "")) from None
