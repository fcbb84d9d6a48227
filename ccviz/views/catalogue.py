"""Which views a run has: those whose events are in its stream."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    Event,
    GenerationEnded,
    NodeOpened,
    RelaxationSolved,
    ResidualsUpdated,
)


@dataclass(frozen=True)
class View:
    """A view of a solver's inner life.

    Attributes
    ----------
    name, title : str
        For programs and for people.
    events : frozenset of event types
        A run in which one of them occurs has this view.
    """

    name: str
    title: str
    events: frozenset[type[Event]]


CATALOGUE: tuple[View, ...] = (
    View("tree", "Tree", frozenset({NodeOpened})),
    View("relaxation", "Relaxation", frozenset({RelaxationSolved, CutsAdded})),
    View("columns", "Columns", frozenset({ColumnsPriced})),
    View("residuals", "Residuals", frozenset({ResidualsUpdated})),
    View("population", "Population", frozenset({GenerationEnded})),
)
"""Every view there is; a new one is a line here and a panel of its name."""


def views_of(kinds: Collection[type[Event]]) -> tuple[View, ...]:
    """Return the views of a run in which these kinds of events occur."""
    return tuple(view for view in CATALOGUE if not view.events.isdisjoint(kinds))
