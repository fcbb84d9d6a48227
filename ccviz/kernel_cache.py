"""The cache of a kernel: numba's own, and behind it the pack that came with the wheel."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from inspect import getfile
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.event import Event, Listener, trigger_event
from numba.core.runtime import rtsys

from ccviz.kernel_pack import PACKAGE, find_pack

LOAD = "ccviz:load"
"""numba's event of a kernel that is looked for in the caches."""


class _Files(IndexDataCacheFile):
    """numba's files of a kernel, which count as missing where they name a class that is gone.

    numba (0.68) unpickles the index of a cached kernel before it compares the index's stamp with
    the source. A signature with a class that was renamed then raises instead of being out of date.
    """

    def _load_index(self) -> dict[Any, Any]:
        try:
            index: dict[Any, Any] = super()._load_index()
        except (AttributeError, ImportError):
            return {}
        return index


class KernelCache(FunctionCache):
    """The cache of one kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._source = getfile(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a compiled kernel, None if neither the cache nor the pack has it.

        numba's own method first loads its declarations of Python and NumPy, which takes longer than
        the kernels. Only a compilation needs them, and begins by loading them.
        """
        with trigger_event(LOAD), self._guard_against_spurious_io_errors():
            rtsys.initialize(target_context)
            found = self._load_overload(sig, target_context)
            if found is not None or not Path(self._source).is_relative_to(PACKAGE):
                return found
            pack = find_pack()
            key = self._index_key(sig, target_context.codegen())
            data = pack and pack.find(self._source, self._impl.filename_base, key)
            return None if data is None else self._impl.rebuild(target_context, data)


def cached_njit(
    function: Callable[..., Any] | None = None,
    *,
    cache: bool,
    entry: bool | None = None,
    **options: Any,
) -> Any:
    """Compile a kernel when it is called first, and keep it: every one has to say ``cache=True``.

    A kernel that only kernels call gets no wrapper that Python could call: of a kernel with many
    arrays the wrapper takes as long to compile as the kernel.

    `entry`: Whether Python calls this kernel; by default if its name is not private. `options`:
    Those of numba's `njit`.
    """
    assert cache
    if function is None:
        return partial(cached_njit, cache=cache, entry=entry, **options)
    inner = function.__name__.startswith("_") if entry is None else not entry
    kernel = njit(function, no_cpython_wrapper=inner, no_cfunc_wrapper=True, **options)
    kernel._cache = KernelCache(function)
    return kernel


# --- Listeners to numba: to the kernels that are loaded, and to those that are compiled -----------


class Loading(Listener):
    """Measures events that do not nest, as `ccviz.kernel_cache.LOAD`."""

    def __init__(self, measured: Callable[[float], None]) -> None:
        self._measured = measured
        self._since = 0.0

    def on_start(self, event: Event) -> None:
        """Begin to measure."""
        self._since = time.perf_counter()

    def on_end(self, event: Event) -> None:
        """Report the seconds since the start."""
        self._measured(time.perf_counter() - self._since)


class Compiling(Listener):
    """Counts the kernels that are compiled, and the seconds until they are.

    `say`: Takes a few words about each, before it is compiled. `spent`: Takes the seconds; a kernel
    that is compiled for another counts once.
    """

    def __init__(self, say: Callable[[str], None], spent: Callable[[float], None]) -> None:
        self._say, self._spent, self._number = say, spent, 0
        self._depth, self._since = 0, 0.0

    def on_start(self, event: Any) -> None:
        """Report the kernel."""
        if not self._depth:
            self._since = time.perf_counter()
        self._depth += 1
        self._number += 1
        name = event.data["dispatcher"].py_func.__name__.strip("_")
        self._say(f"compiling, once on this machine: kernel {self._number}, {name}")

    def on_end(self, event: Event) -> None:
        """Report the seconds, once no kernel is compiled any more."""
        self._depth -= 1
        if not self._depth:
            self._spent(time.perf_counter() - self._since)
