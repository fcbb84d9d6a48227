"""Who asked for the page that is being built."""

from __future__ import annotations

import panel as pn

from ccviz.views.person import Person
from ccviz.views.serve.door import Door

DOOR = "door"
"""Under this name the pages of a server find its door in `panel.state.cache`."""


def visitor() -> Person:
    """Return who came in through the door; without one there is one person only."""
    door: Door | None = pn.state.cache.get(DOOR)
    if door is None:
        return Person()
    cookie = pn.state.cookies.get(door.cookie, "")
    return door.person(cookie) or Person(browser="nobody")
