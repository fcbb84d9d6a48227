"""One answer for one gesture: all that it changes reaches the browser in one message."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import panel as pn


def held(action: Callable[..., Any]) -> Callable[..., None]:
    """Return the action with its changes sent together at its end."""

    @wraps(action)
    def whole(*args: Any) -> None:
        with pn.io.hold():
            action(*args)

    return whole
