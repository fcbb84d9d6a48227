"""Who is at the page, what of the archive is theirs, and how much they may ask for."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.quota import ONE_PERSON, STUDENT, Quota
from ccviz.runs.info import RunInfo


@dataclass(frozen=True)
class Person:
    """The one at a page.

    Attributes
    ----------
    browser : str
        Names the browser in a class; empty where there is one person only, whose runs are all.
    is_teacher : bool
        Whether they see everybody's runs.
    """

    browser: str = ""
    is_teacher: bool = False

    @property
    def in_class(self) -> bool:
        """Whether there are others, with runs of their own."""
        return bool(self.browser)

    @property
    def quota(self) -> Quota:
        """How much they may ask for."""
        return STUDENT if self.in_class else ONE_PERSON

    def owns(self, run: RunInfo) -> bool:
        """Return whether they may rename, delete and share a run, and let it go on."""
        return not self.in_class or run.owner == self.browser

    def sees(self, run: RunInfo) -> bool:
        """Return whether a run is shown to them: their own, or one that was shared."""
        return self.owns(run) or self.is_teacher or run.shared


ALONE = Person()
"""Who has the server alone: all runs are theirs."""
