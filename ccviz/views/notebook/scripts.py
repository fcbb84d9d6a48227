"""Bokeh's scripts in the browser, sent by the kernel: a lecture room may be offline.

A kernel outlives the browser page of its notebook. A page that is opened later has no Bokeh, even
though the kernel has sent it before, and no plot or widget can be drawn there.
"""

from __future__ import annotations

import sys
from functools import cache

import holoviews as hv


def load_once() -> None:
    """Send the scripts unless the browser page of the running cell has them."""
    _load_for(_page())


@cache
def _load_for(page: str) -> None:  # noqa: ARG001, the key of the cache
    """Send the scripts into the output of the running cell."""
    hv.extension("bokeh", logo=False, inline=True)
    # WebGL markers go stale, and a static picture does not need them.
    hv.renderer("bokeh").webgl = False


def _page() -> str:
    """Return the client that asked for the running cell: each page that is opened is a new one."""
    ipython = sys.modules.get("IPython")  # not imported where no notebook is
    parent = getattr(ipython and ipython.get_ipython(), "parent_header", None) or {}
    return str(parent.get("header", parent).get("session", ""))
