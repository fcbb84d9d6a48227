"""The person whose page is being built."""

from __future__ import annotations

import panel as pn

from ccviz.views.person import Person
from ccviz.views.serve.access import Access

ACCESS = "access"
"""Key of the access rules in `panel.state.cache`."""


def visitor() -> Person:
    """Return the person of the current request; without access rules there is only one."""
    access: Access | None = pn.state.cache.get(ACCESS)
    if access is None:
        return Person()
    cookie = pn.state.cookies.get(access.cookie, "")
    return access.person(cookie) or Person(browser="unknown")
