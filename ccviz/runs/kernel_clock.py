"""Kernels during a run: loading them is off its clock, and compiling them is reported.

Loading a library or a compiled loop takes the same time whatever the problem, and is no part of
what a method costs. Compiling is waited for, and so counts in the time limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ccviz.compiled import COMPILES


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
