"""A view of a solver's work: its title, its events, and the panel that draws them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from ccviz.events import Event
from ccviz.views.frames.log import Log


@dataclass(frozen=True)
class View:
    """A view of a solver's inner life; `ccviz.views.inside.catalogue` lists them.

    Attributes
    ----------
    name, title : str
        For programs and for people.
    events : frozenset of event types
        A run in which one of them occurs has this view.
    panel : callable
        Makes what shows it, from a session and an inspection; its ``refresh`` draws what is new.
    logs : tuple of Log types
        What its records are folded into; ``inspection.log(kind)`` is the one of a kind.
    """

    name: str
    title: str
    events: frozenset[type[Event]]
    panel: Callable[[Any, Any], Any]
    logs: tuple[type[Log], ...] = ()


def views_of(kinds: Collection[type[Event]], views: Iterable[View]) -> tuple[View, ...]:
    """Return those views that a run has in which these kinds of events occur."""
    return tuple(view for view in views if not view.events.isdisjoint(kinds))
