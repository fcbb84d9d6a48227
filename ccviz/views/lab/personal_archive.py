"""The archive as one person has it: what they see of it, what is theirs, and how much it may be."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ccviz.errors import ArchiveError, UnknownRunError
from ccviz.events import Record
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.file import import_run
from ccviz.runs.info import RunInfo
from ccviz.runs.limits import NO_LIMITS, Limits
from ccviz.views.lab.example import Example
from ccviz.views.person import Person


class PersonalArchive(Archive):
    """An open archive, for one person.

    Whoever reads a run must see it, and whoever writes to it must own it; a run that is neither is
    not there. New runs are theirs, within their quota.

    Parameters
    ----------
    archive : Archive
        Shared with everybody, and closed by whoever opened it.
    person : Person
    example : Example, optional
        A finished run that everybody may look at; it is in no list.
    """

    def __init__(self, archive: Archive, person: Person, example: Example | None = None) -> None:
        self.path, self._lock, self._db = archive.path, archive._lock, archive._db
        self._problems = archive._problems
        self.person = person
        self._example = example

    def is_example(self, run_id: str) -> bool:
        """Return whether a run is the example, which is nobody's.

        Parameters
        ----------
        run_id : str
        """
        return self.home_of(run_id) is not self

    def home_of(self, run_id: str) -> Archive:
        """Return the archive that a run is in: this one, or that of the example.

        Parameters
        ----------
        run_id : str
        """
        if self._example is not None and run_id == self._example.run_id:
            return self._example.archive
        return self

    def problem(self, run_id: str) -> Problem:
        """Return the problem that a run is about."""
        home = self.home_of(run_id)
        return super().problem(run_id) if home is self else home.problem(run_id)

    def create(
        self,
        problem: Problem,
        solver: str,
        settings: dict[str, Any],
        *,
        limits: Limits = NO_LIMITS,
        **about: Any,
    ) -> str:
        """Enter a run of this person's, within the quota; see `Archive.create`."""
        person = self.person
        person.quota.check_table(problem.n, problem.d)
        person.quota.check_links(len(problem.must_link) + len(problem.cannot_link))
        person.quota.check_runs(*self.size_of(person.browser))
        self._check_at_once()
        about |= {"owner": person.browser}
        return super().create(problem, solver, settings, limits=self._within(limits), **about)

    def reopen(self, run_id: str, limits: Limits | None = None) -> None:
        """Take back a run's end, within the quota; see `Archive.reopen`."""
        self._check_at_once()
        spent = self.info(run_id).time_s
        super().reopen(run_id, self._within(limits or NO_LIMITS, spent))

    def _within(self, limits: Limits, spent_s: float = 0.0) -> Limits:
        """Return limits within the quota."""
        most = self.person.quota.most_seconds(limits.time_limit, spent_s)
        return replace(limits, time_limit=most)

    def _check_at_once(self) -> None:
        if self.person.in_class:
            mine = (info for info in self.runs() if self.person.owns(info))
            self.person.quota.check_at_once(sum(info.state == "running" for info in mine))

    def runs(self) -> list[RunInfo]:
        """Return what is known about every run that the person sees, the newest first."""
        return [info for info in super().runs() if self.person.sees(info)]

    def _records(self, also: str, run_id: str, values: dict[str, Any]) -> list[Record]:
        home = self.home_of(run_id)
        if home is self:
            return super()._records(also, run_id, values)
        return home._records(also, run_id, values)

    def _run_row(self, run_id: str) -> Any:
        home = self.home_of(run_id)
        if home is not self:
            return home._run_row(run_id)
        row = super()._run_row(run_id)
        if not self.person.sees(RunInfo.from_row(dict(row))):
            raise UnknownRunError(f"there is no run {run_id!r}.")
        return row

    def _number(self, run_id: str) -> int:
        if self.is_example(run_id):
            raise ArchiveError("the example stays as it is.")
        row = self._run_row(run_id)
        if not self.person.owns(RunInfo.from_row(dict(row))):
            raise ArchiveError(f"the run {row['name']!r} is somebody else's.")
        return int(row["number"])


def import_for(content: bytes, name: str, path: Path, person: Person) -> str:
    """Read a run from a file into a person's part of the archive, and return its id there.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file.
    path : path
        Of the archive.
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
            return import_run(PersonalArchive(archive, person), file)
        except ArchiveError as refused:
            raise ArchiveError(str(refused).replace(f"{folder}/", "")) from None
