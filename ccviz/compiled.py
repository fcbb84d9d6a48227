"""The switch between compiled loops and plain ones: every kernel takes its `njit` from here.

Without numba (in a browser, on a platform without LLVM), or with ``CCVIZ_COMPILED=0``, a kernel is
the Python and NumPy that it is written in: slow, and with the same results.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

COMPILES = os.environ.get("CCVIZ_COMPILED", "1") != "0" and find_spec("numba") is not None
"""Whether kernels are compiled in this process."""


def _plain(function: Callable[..., Any] | None = None, **_: Any) -> Any:
    """Return a kernel as it is written; with or without the options of numba's `njit`."""
    return _plain if function is None else function


def _cached(function: Callable[..., Any] | None = None, *, cache: bool, **options: Any) -> Any:
    """Return a kernel that numba compiles; every one is cached, and says so where it is written."""
    from ccviz.kernel_cache import cached_njit

    assert cache
    return partial(cached_njit, **options) if function is None else cached_njit(function, **options)


def __getattr__(name: str) -> Any:
    """Load numba for who takes `njit`; a server asks `COMPILES` alone and has no kernels."""
    if name != "njit":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _cached if COMPILES else _plain
