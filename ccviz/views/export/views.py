"""The views of a solver's inner life that a page has, as in `ccviz.views.inside.catalogue`.

They stand here without the panels that draw them on the live page: who writes a file needs none.
"""

from __future__ import annotations

from collections.abc import Collection

from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    Event,
    GenerationEnded,
    NodeOpened,
    PartBounded,
    PartsCut,
    RelaxationSolved,
    ResidualsUpdated,
)

VIEWS: tuple[tuple[str, str, frozenset[type[Event]]], ...] = (
    ("tree", "Tree", frozenset({NodeOpened})),
    ("relaxation", "Relaxation", frozenset({RelaxationSolved, CutsAdded})),
    ("columns", "Columns", frozenset({ColumnsPriced})),
    ("residuals", "Residuals", frozenset({ResidualsUpdated})),
    ("population", "Population", frozenset({GenerationEnded})),
    ("parts", "Parts", frozenset({PartsCut, PartBounded})),
)
"""Name, title, and the events of which one must occur."""


def views_in(kinds: Collection[type[Event]]) -> list[tuple[str, str]]:
    """Return name and title of each view that a run has in which these events occur."""
    return [(name, title) for name, title, events in VIEWS if not events.isdisjoint(kinds)]
