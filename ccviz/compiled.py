"""The switch between compiled loops and plain ones: every kernel takes its `njit` from here.

Without numba (in a browser, on a platform without LLVM), or with ``CCVIZ_COMPILED=0``, a kernel is
the Python and NumPy that it is written in: slow, and with the same results.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

COMPILES = os.environ.get("CCVIZ_COMPILED", "1") != "0" and find_spec("numba") is not None
"""Whether kernels are compiled in this process."""


def _plain(function: Callable[..., Any] | None = None, **_: Any) -> Any:
    """Return a kernel as it is written; with or without the options of numba's `njit`."""
    return _plain if function is None else function


def __getattr__(name: str) -> Any:
    """Load numba for who takes `njit`; a server asks `COMPILES` alone and has no kernels."""
    if name != "njit":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not COMPILES:
        return _plain
    from ccviz.kernel_cache import cached_njit

    return cached_njit


# --- Kernels during a run: loading them is off its clock, and compiling them is reported ----------
#
# Loading a library or a compiled loop takes the same time whatever the problem, and is no part of
# what a method costs. Compiling is waited for, and so counts in the time limit.


@contextmanager
def loading_measured(measured: Callable[[float], None]) -> Iterator[None]:
    """Report the seconds in which kernels are loaded, as soon as each is there.

    `measured`: Takes the seconds, as `ccviz.runs.stepper.Stepper.discount`.
    """
    if not COMPILES:
        yield
        return
    since = time.perf_counter()
    from numba.core.event import install_listener

    from ccviz.kernel_cache import LOAD, Loading

    measured(time.perf_counter() - since)
    with install_listener(LOAD, Loading(measured)):
        yield


@contextmanager
def compiling_said(say: Callable[[str], None]) -> Iterator[list[float]]:
    """Report each kernel that is about to be compiled, and return the seconds as they are spent.

    `say`: Takes a few words.
    """
    spent: list[float] = []
    if not COMPILES:
        yield spent
        return
    from numba.core.event import install_listener

    from ccviz.kernel_cache import Compiling

    with install_listener("numba:compile", Compiling(say, spent.append)):
        yield spent
