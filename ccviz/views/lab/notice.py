"""Notices: sentences for the person at the page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import param

from ccviz.errors import CcvizError, ContradictionError
from ccviz.feasibility.cure import Cure
from ccviz.numbers import count
from ccviz.problem.asked import AnyAsked
from ccviz.solvers import SOLVERS
from ccviz.views.lab.player import PlayerState
from ccviz.views.upstream import is_of_page

_SOLVER_NAMES = frozenset(solver.name for solver in SOLVERS)


@dataclass(frozen=True)
class Notice:
    """A sentence for the person: an error, a warning or information."""

    kind: Literal["error", "warning", "info"]
    text: str
    about: str = ""  # The action it is about; the notice goes away once that action succeeds
    title: str = ""  # A few words; by default one for its kind
    take: str = ""  # A solver that a button offers to switch to
    cures: tuple[Cure, ...] = ()  # Changes that buttons offer
    rules: tuple[AnyAsked, ...] | None = None  # The rules that they were found for, if refused
    finds_k: bool = False  # Whether a button looks for the least k under these rules
    # (str, str): A list under the sentence: names, each with what it means.
    rows: tuple[tuple[str, str], ...] = ()

    @property
    def heading(self) -> str:
        """Its kind and its title."""
        kind, usual = _KINDS[self.kind]
        title = self.title or usual
        return f"{kind}: {title}." if title else f"{kind}:"

    @property
    def in_full(self) -> str:
        """All of it as plain text."""
        listed = "; ".join(f"{name}: {meaning}" for name, meaning in self.rows)
        return " ".join(filter(None, (self.heading, self.text, listed)))


_KINDS = {
    "error": ("Error", "nothing was changed"),
    "warning": ("Warning", ""),
    "info": ("Note", ""),
}
"""Name of each kind of notice, and its default title."""


def as_sentence(text: str) -> str:
    """Return the text with a capital first, unless its first word is a name."""
    first = text.partition(" ")[0]
    return (
        text[0].upper() + text[1:]
        if len(first) > 1 and first.islower() and first.isalpha() and first not in _SOLVER_NAMES
        else text
    )


def failure(shot: PlayerState) -> Notice:
    """Return the notice for a run that failed."""
    kept = f"Its results so far are kept: {count(shot.last, 'event')} of the run {shot.info.name}."
    return Notice("error", f"{shot.info.message} {kept}", title="the run failed")


# --- What is refused, and what went wrong, becomes a sentence over the plot -----------------------


_log = logging.getLogger(__name__)


class ReportsErrors(param.Parameterized):
    """Something whose methods raise nothing on bad input."""

    notice = param.Parameter(default=None)
    # Points lit up on the plot: the chain of a contradiction, the witness of infeasibility.
    lit = param.Parameter(default=())
    picked = param.Parameter(default=())

    def report(self, mistake: Exception) -> None:
        """Report an error; write the traceback of an unexpected one to the log."""
        if isinstance(mistake, CcvizError):
            self.notice = Notice("error", as_sentence(str(mistake)))
            return
        if is_of_page(mistake):
            _log.warning("a value of a page was refused: %s", type(mistake).__name__)
            self.notice = Notice("error", "The page sent a value that cannot be; it was not used.")
            return
        _log.error("unforeseen", exc_info=mistake)
        what = f"{type(mistake).__name__}: {mistake}"
        text = f"Something went wrong that should not ({what})."
        self.notice = Notice("error", text, title="a fault of ccviz")

    @contextmanager
    def reporting_errors(self, what: str = "") -> Iterator[None]:
        """Turn a refusal in this block into the session's notice.

        `what`: What is tried. Once it works, a refusal of the same is put away.
        """
        before = self.notice
        try:
            yield
            if before is not None and before is self.notice and before.about == what != "":
                self.notice = None
        except ContradictionError as refused:
            self.param.update(
                notice=Notice("error", f"Refused: {refused}", what, "links contradict each other"),
                lit=refused.chain, picked=(),
            )  # fmt: skip
        except CcvizError as refused:
            self.notice = Notice("error", as_sentence(str(refused)), what)
