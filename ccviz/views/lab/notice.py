"""Sentences for the person at the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ccviz.numbers import count
from ccviz.solvers import SOLVERS
from ccviz.views.lab.player import Shot

_SOLVER_NAMES = frozenset(solver.name for solver in SOLVERS)


@dataclass(frozen=True)
class Notice:
    """A sentence for the person: what went wrong, or what to know.

    Attributes
    ----------
    kind : {"error", "warning", "info"}
    text : str
    about : str
        What was tried, where the sentence goes away once that works.
    title : str
        In a few words; one that suits its kind if not given.
    take : str
        A solver that a button offers to switch to.
    """

    kind: Literal["error", "warning", "info"]
    text: str
    about: str = ""
    title: str = ""
    take: str = ""

    @property
    def heading(self) -> str:
        """Its kind and its title."""
        kind, title = _KINDS[self.kind]
        return f"{kind}: {self.title or title}."


_KINDS = {
    "error": ("Error", "nothing was changed"),
    "warning": ("Warning", "look at this first"),
    "info": ("Note", "good to know"),
}
"""What the kind of a notice is called, and its title if it has none."""


def as_sentence(text: str) -> str:
    """Return the text with a capital first, unless its first word is a name."""
    first = text.partition(" ")[0]
    return (
        text[0].upper() + text[1:]
        if len(first) > 1 and first.islower() and first.isalpha() and first not in _SOLVER_NAMES
        else text
    )


def failure(shot: Shot) -> Notice:
    """Return what to say of a run that broke off."""
    kept = f"What it had found is kept: {count(shot.last, 'event')} of the run {shot.info.name}."
    return Notice("error", f"{shot.info.message} {kept}", title="the run broke off")
