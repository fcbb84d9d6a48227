"""One message to the browser for all changes of one gesture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Any

import panel as pn


@contextmanager
def together() -> Iterator[None]:
    """Send the changes of this block together at its end.

    While a page is still being drawn, Panel drops held messages, since it believes that the
    browser has no document yet. So a click in that moment is sent piece by piece.
    """
    with pn.io.hold() if pn.state.loaded else nullcontext():
        yield


def held(action: Callable[..., Any]) -> Callable[..., None]:
    """Return the action with its changes sent together at its end."""

    @wraps(action)
    def whole(*args: Any) -> None:
        with together():
            action(*args)

    return whole


@contextmanager
def rebuilt() -> Iterator[None]:
    """Let Bokeh walk through the page once for all models added and removed in this block.

    Otherwise it does so for each change. Use it within `together`: the message must know which
    models are new.
    """
    document = pn.state.curdoc
    with document.models.freeze() if document is not None else nullcontext():
        yield
