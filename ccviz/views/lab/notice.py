"""Notices: sentences for the person at the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ccviz.numbers import count
from ccviz.solvers import SOLVERS
from ccviz.views.lab.player import Shot

_SOLVER_NAMES = frozenset(solver.name for solver in SOLVERS)


@dataclass(frozen=True)
class Notice:
    """A sentence for the person: an error, a warning or information.

    Attributes
    ----------
    kind : {"error", "warning", "info"}
    text : str
    about : str
        The action it is about; the notice goes away once that action succeeds.
    title : str
        A few words; by default one for its kind.
    take : str
        A solver that a button offers to switch to.
    rows : tuple of (str, str)
        A list under the sentence: names, each with what it means.
    """

    kind: Literal["error", "warning", "info"]
    text: str
    about: str = ""
    title: str = ""
    take: str = ""
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


def failure(shot: Shot) -> Notice:
    """Return the notice for a run that failed."""
    kept = f"Its results so far are kept: {count(shot.last, 'event')} of the run {shot.info.name}."
    return Notice("error", f"{shot.info.message} {kept}", title="the run failed")
