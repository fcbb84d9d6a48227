"""Backends of a workforce: this process, and local worker processes. `dask` has the third.

Tasks use one BLAS thread wherever they run: matrices of up to some 900 rows gain nothing from a
second one, and on busy processors the threads wait for each other. Local workers are spawned, and
end with their parent however it ends.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures import ProcessPoolExecutor as Pool
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_end
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from ccviz.one_thread import one_blas_thread
from ccviz.solvers.search.semaphores import survive_lost_tracker


class SerialExecutor(Executor):
    """Executor that runs a task in this process when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function and return a future that is done; errors are raised at once."""
        future: Future[Any] = Future()
        with one_blas_thread():
            future.set_result(fn(*args, **kwargs))
        return future


class Backend(Protocol):
    """Workers that can be lost and replaced.

    Attributes
    ----------
    size : int
        Number of tasks that run at once.
    what : str
        Name of the workers, for a sentence.
    losses, refusals : tuple of type
        Exceptions of a future whose worker is lost, and of submitting a task.
    """

    size: int
    what: str
    losses: tuple[type[BaseException], ...]
    refusals: tuple[type[BaseException], ...]

    def open(self, losses: int) -> Executor | None:
        """Return an executor after a number of losses in a row; None if there will be no more."""

    def has_changed(self) -> bool:
        """Return whether the workers were replaced by others, which know none of the tasks."""

    def close(self) -> None:
        """End the workers, without waiting for their tasks."""


class Here:
    """The calling process, which is never lost."""

    size = 1
    what = "This process"
    losses: tuple[type[BaseException], ...] = ()
    refusals: tuple[type[BaseException], ...] = ()

    def open(self, losses: int) -> Executor | None:
        """Return an executor after a number of losses in a row; None if there will be no more."""
        return SerialExecutor()

    def has_changed(self) -> bool:
        """Return whether the workers were replaced by others, which know none of the tasks."""
        return False

    def close(self) -> None:
        """Do nothing, since the process continues."""


class Processes:
    """Processes on this machine: when one dies, its pool is broken and a new pool is spawned.

    After the second loss without a result in between each new pool has half the processes, since
    memory may be short. The last pools have one process, which may try twice.
    """

    what = "Worker processes"
    losses: tuple[type[BaseException], ...] = (BrokenExecutor,)
    refusals: tuple[type[BaseException], ...] = (BrokenExecutor, OSError)

    def __init__(self, count: int) -> None:
        self.size = count
        self._pool: Pool | None = None

    def open(self, losses: int) -> Executor | None:
        """Return an executor after a number of losses in a row; None if there will be no more."""
        if losses > self.size.bit_length() + 1:
            return None
        survive_lost_tracker()
        context = multiprocessing.get_context("spawn")
        self._lifeline, self._held = context.Pipe(duplex=False)
        count = max(1, self.size >> max(0, losses - 1))
        self._pool = Pool(count, context, initializer=_start_worker, initargs=(self._lifeline,))
        return self._pool

    def has_changed(self) -> bool:
        """Return whether the workers were replaced by others, which know none of the tasks."""
        return False  # a pool that loses a worker raises

    def close(self) -> None:
        """End the workers, without waiting for their tasks."""
        if self._pool is not None:
            self._held.close()
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._lifeline.close()
            self._pool = None


def _start_worker(lifeline: Connection) -> None:
    threadpool_limits(1)
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()


def _die_with(lifeline: Connection) -> None:
    """End this process when the other end of the pipe is closed or its owner dies."""
    wait_for_end([lifeline])
    os._exit(1)
