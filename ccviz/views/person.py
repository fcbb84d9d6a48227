"""The person at a page: ownership of runs, and quota."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.quota import ONE_PERSON, STUDENT, Quota
from ccviz.runs.info import RunInfo


@dataclass(frozen=True)
class Person:
    """The person at a page."""

    # Identifier of the browser in a class; empty on a server for one person, who owns all runs.
    browser: str = ""
    is_teacher: bool = False  # Whether they see all runs

    @property
    def in_class(self) -> bool:
        """Whether other people on the server have their own runs."""
        return bool(self.browser)

    @property
    def quota(self) -> Quota:
        """Limits on their runs, tables and files."""
        return STUDENT if self.in_class else ONE_PERSON

    def owns(self, run: RunInfo) -> bool:
        """Return whether they may rename, delete, share and resume a run."""
        return not self.in_class or run.owner == self.browser

    def sees(self, run: RunInfo) -> bool:
        """Return whether a run is visible: their own or a shared one; a teacher sees all."""
        return self.owns(run) or self.is_teacher or run.shared


ALONE = Person()
"""The only person of a server: all runs are theirs."""
