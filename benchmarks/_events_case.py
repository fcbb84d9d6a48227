"""One problem of `same_events`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ccviz.events import Event


class Case(NamedTuple):
    """A problem by name, and what runs it: a callable that returns the events."""

    name: str
    run: Callable[[], Iterable[Event]]
