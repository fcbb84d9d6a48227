"""One message to the browser for all changes of one gesture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Any

import panel as pn


@contextmanager
def one_message() -> Iterator[None]:
    """Send all changes of this block in one message at its end.

    While a page is still being drawn, Panel drops messages that it holds back, since it believes
    that the browser has no document yet. So the changes of a click are sent one by one then.
    """
    with pn.io.hold() if pn.state.loaded else nullcontext():
        yield


def in_one_message(action: Callable[..., Any]) -> Callable[..., None]:
    """Return the action with all its changes sent in one message at its end."""

    @wraps(action)
    def whole(*args: Any) -> None:
        with one_message():
            action(*args)

    return whole


@contextmanager
def rebuilt() -> Iterator[None]:
    """Let Bokeh walk through the page once for all models added and removed in this block.

    Otherwise it does so for each change. Use it within `one_message`: the message must know which
    models are new.
    """
    document = pn.state.curdoc
    with document.models.freeze() if document is not None else nullcontext():
        yield
