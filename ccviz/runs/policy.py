"""Access policies of an archive: which runs are visible, which can be changed, and quotas."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ccviz.problem.problem import Problem
from ccviz.runs.info import RunInfo
from ccviz.runs.limits import Limits


class Holdings(Protocol):
    """What a policy asks an archive for, to count runs against a quota."""

    def runs(self) -> list[RunInfo]:
        """Return the visible runs."""

    def size_of(self, owner: str) -> tuple[int, int]:
        """Return the number of runs of an owner and the bytes of their records."""


class Policy:
    """The policy of an archive for one person: everything is allowed.

    Subclasses restrict it; `ccviz.runs.archive.Archive` asks it at each access.
    """

    def sees(self, run: RunInfo) -> bool:
        """Return whether a run can be read."""
        return True

    def owns(self, run: RunInfo) -> bool:
        """Return whether a visible run can be changed."""
        return True

    def owner_of_new(self, given: str) -> str:
        """Return the owner of a new run, for which an owner may be given."""
        return given

    def limits_of_new(self, holdings: Holdings, problem: Problem, limits: Limits) -> Limits:
        """Return the limits of a new run.

        Raises
        ------
        CcvizError
            If the run would exceed a quota.
        """
        return limits

    def limits_of_resumed(
        self, holdings: Holdings, run: RunInfo, limits: Limits | None
    ) -> Limits | None:
        """Return the limits of a run that is resumed, None for its old ones.

        Raises
        ------
        CcvizError
            If the run would exceed a quota.
        """
        return limits

    def name(self, path: Path) -> str:
        """Return the name of the archive in messages."""
        return str(path)


UNRESTRICTED = Policy()
"""The policy of the command line, of notebooks and of a server for one person."""
