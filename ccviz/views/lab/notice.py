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
    """

    kind: Literal["error", "warning", "info"]
    text: str
    about: str = ""


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
    return Notice("error", f"{shot.info.message} {kept}")
