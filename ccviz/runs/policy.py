"""Access policies of an archive: which runs are visible, which can be changed, and quotas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ccviz.problem.problem import Problem
from ccviz.runs.info import RunInfo
from ccviz.runs.limits import Limits

if TYPE_CHECKING:
    from ccviz.runs.archive import Archive


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

    def limits_of_new(self, archive: Archive, problem: Problem, limits: Limits) -> Limits:
        """Return the limits of a new run.

        Raises
        ------
        CcvizError
            If the run would exceed a quota.
        """
        return limits

    def limits_of_resumed(
        self, archive: Archive, run: RunInfo, limits: Limits | None
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
