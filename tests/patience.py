"""Waiting for states: a test may be slow on a busy machine, and fails only if nothing comes."""

import time
from collections.abc import Callable

PATIENCE_S = 240.0
"""Less than a test may take; the first run on a new machine compiles its kernels."""


def wait_until(
    condition: Callable[[], object], pause: Callable[[float], object] = time.sleep
) -> None:
    """Look again and again until a condition holds.

    `pause`: Lets some seconds pass; a page must go on hearing while a test waits.
    """
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        pause(0.05)


def tick_until(session, condition):
    """Tick a session, as the page's clock does, until a condition holds."""
    wait_until(lambda: session.tick() or condition())
