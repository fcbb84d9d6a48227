"""Widgets that follow the state must not take their own change for a person's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccviz.views.panels.messages import in_one_message


class Following:
    """While it is entered, the callbacks that it wrapped stay silent.

    Examples
    --------
    >>> following, heard = Following(), []
    >>> on = following.unless(heard.append)
    >>> on(1)
    >>> with following:
    ...     on(2)
    >>> heard
    [1]
    """

    def __init__(self) -> None:
        self._depth = 0

    def __enter__(self) -> Following:
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

    def unless(self, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return the callback in one message; it does nothing while the state is followed."""
        whole = in_one_message(callback)

        def heard(event: Any) -> None:
            if not self._depth:
                whole(event)

        return heard
