"""The switch between compiled loops and plain ones: every kernel takes its `njit` from here.

Without numba (in a browser, on a platform without LLVM), or with ``CCVIZ_COMPILED=0``, a kernel is
the Python and NumPy that it is written in: slow, and with the same results.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
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
    from numba import njit

    _skip_unreadable_caches()
    return njit


@cache
def _skip_unreadable_caches() -> None:
    """Let numba compile again where its cache names a class that was renamed or moved since.

    numba (0.68) unpickles the index of a cached kernel before it compares the index's stamp with
    the source. A signature with a class that is gone then raises instead of being out of date.
    """
    from numba.core.caching import IndexDataCacheFile

    load: Any = IndexDataCacheFile._load_index

    def load_index(self: Any) -> dict[Any, Any]:
        try:
            index: dict[Any, Any] = load(self)
        except (AttributeError, ImportError):
            return {}
        return index

    IndexDataCacheFile._load_index = load_index
