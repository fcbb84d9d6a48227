"""Workers for the nodes of a search tree: this process, local processes, or those of Dask.

All three take a task and return its result, so a search has one code path. Tasks are pure:
unfinished ones are dropped when the search ends, and a task whose worker was lost is submitted
again, with the same result as if nothing had happened.

Tasks use one BLAS thread wherever they run: matrices of up to some 900 rows gain nothing from a
second one, and on busy processors the threads wait for each other. Local workers are spawned, and
end with their parent however it ends.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from concurrent.futures import ProcessPoolExecutor as Pool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_end
from typing import Any, Generic, TypeVar

from threadpoolctl import threadpool_limits

from ccviz.errors import ParameterError, WorkersLostError, quote
from ccviz.system import one_blas_thread

# --- Backends of a workforce: this process, and others --------------------------------------------


class SerialExecutor(Executor):
    """Executor that runs a task in this process when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function and return a future that is done; errors are raised at once."""
        future: Future[Any] = Future()
        with one_blas_thread():
            future.set_result(fn(*args, **kwargs))
        return future


class Backend:
    """Workers that can be lost and replaced; by itself the calling process, which never is."""

    size = 1  # Number of tasks that run at once
    what = "This process"
    # losses, refusals: Exceptions of a future whose worker is lost, and of submitting a task.
    losses: tuple[type[BaseException], ...] = ()
    refusals: tuple[type[BaseException], ...] = ()

    def open(self, losses: int) -> Executor | None:
        """Return an executor after a number of losses in a row; None if there will be no more."""
        return SerialExecutor()

    def has_changed(self) -> bool:
        """Return whether the workers were replaced by others, which know none of the tasks."""
        return False

    def close(self) -> None:
        """End the workers, without waiting for their tasks."""


# --- Backend of a workforce: the workers of a Dask scheduler --------------------------------------

_CONNECT_S = 5.0  # Seconds to wait for a scheduler
_MOST_LOSSES = 2  # Losses in a row after which no more executors are opened


class DaskWorkers(Backend):
    """The workers of a Dask scheduler, which replaces lost workers itself.

    `return_s`: Seconds to wait for a lost scheduler to return, and for its first worker.
    """

    _client: Any = None
    _scheduler = ""

    def __init__(self, address: str, return_s: float = 15.0) -> None:
        from distributed.scheduler import KilledWorker

        self._address, self._return_s = address, return_s
        self.what = f"The Dask scheduler at {address} or its workers"
        self.losses: tuple[type[BaseException], ...] = (CancelledError, KilledWorker)
        self.refusals: tuple[type[BaseException], ...] = (OSError, RuntimeError)
        try:
            self._connect(_CONNECT_S)
        except (OSError, TimeoutError, ValueError) as broken:
            raise ParameterError(f"no Dask scheduler answers at {address}: {broken}.") from None
        self.size: int = sum(self._client.nthreads().values())
        if self.size == 0:
            self.close()
            raise ParameterError(f"the Dask scheduler at {address} has no workers.")

    def open(self, losses: int) -> Executor | None:
        """Return an executor after a number of losses in a row; None if there will be no more."""
        if losses > _MOST_LOSSES:
            return None
        try:
            if losses:
                self._connect(self._return_s)
                self._client.wait_for_workers(1, timeout=self._return_s)
        except (OSError, TimeoutError, ValueError):
            self.close()
            return None
        executor: Executor = self._client.get_executor()
        self._scheduler = self._id()
        return executor

    def has_changed(self) -> bool:
        """Return whether the workers were replaced by others, which know none of the tasks."""
        # A client reconnects by itself, perhaps to another scheduler, which does not know the tasks
        # that were submitted before: their results would never come.
        return self._id() not in ("", self._scheduler)

    def _id(self) -> str:
        """Return the id of the scheduler that answers; an empty text if none does."""
        with suppress(OSError, TimeoutError):
            return str(self._client.scheduler_info(n_workers=0).get("id", ""))
        return ""

    def close(self) -> None:
        """End the workers, without waiting for their tasks."""
        if self._client is not None:
            with suppress(OSError, TimeoutError):
                self._client.close()
            self._client = None

    def _connect(self, patience_s: float) -> None:
        from distributed import Client

        # A lost scheduler is reported in our own sentence instead.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._client = Client(self._address, timeout=patience_s)


# --- Semaphores of a process pool whose tracking process was killed -------------------------------
#
# Python's resource tracker is a process that unlinks semaphores which their owner left behind. If
# it is killed, the next message starts another one, which knows no semaphore, and writes the
# traceback of a `KeyError` for each one that the pool gives back: five for a pool.

_give_back = resource_tracker.unregister


def survive_lost_tracker() -> None:
    """Let this process give back semaphores which the tracker does not know."""
    if sys.platform != "win32":
        resource_tracker.unregister = _unregister


def _unregister(name: Any, rtype: str) -> None:
    resource_tracker.register(name, rtype)  # into a set: no change if the tracker knows it
    _give_back(name, rtype)


class Processes(Backend):
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


# --- The workforce: tasks submitted to a backend, and again where workers are lost ----------------

Answer = TypeVar("Answer")

_LOOK_S = 0.1  # Seconds between two tests of ``stop`` while a result is waited for
_NUMBER = re.compile("[1-9][0-9]{0,2}")

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Handle(Generic[Answer]):
    """A submitted task."""

    work: Callable[..., Answer]
    task: tuple[Any, ...]
    future: Future[Answer] = field(default_factory=Future)


class Workforce:
    """Submits tasks to a backend, and submits them again where workers are lost.

    `ask_s`: Seconds between two questions to the backend whether its workers were replaced. `size`:
    Number of tasks that run at once. It stays the same when workers are lost, so that a search
    takes its nodes in the same order.
    """

    def __init__(self, backend: Backend, ask_s: float = 5.0) -> None:
        self.size = backend.size
        self._backend = backend
        self._ask_s = ask_s
        self._out: list[Handle[Any]] = []
        self._losses = 0
        self._executor = self._open()

    @property
    def is_local(self) -> bool:
        """Whether tasks run in this process, when they are submitted."""
        return isinstance(self._executor, SerialExecutor)

    def submit(self, work: Callable[..., Answer], *task: Any) -> Handle[Answer]:
        """Submit a task.

        `work`: Picklable, as are its arguments and its result.
        """
        handle = Handle(work, task)
        if not self._submit(handle):
            self._replace()
            self._submit_again([handle])
        self._out.append(handle)
        return handle

    def result(self, handle: Handle[Answer], stop: Callable[[], bool]) -> Answer | None:
        """Wait for a task's result; None if the run was stopped before."""
        while True:
            since = time.monotonic()
            others = False
            while not (wait([handle.future], timeout=_LOOK_S).done or others):
                if stop():
                    return None
                if time.monotonic() - since > self._ask_s:
                    since, others = time.monotonic(), self._backend.has_changed()
            if not (others or self._is_lost(handle)):
                break
            self._replace()
            self._submit_again(
                [each for each in self._out
                 if self._is_lost(each) or (others and not each.future.done())]
            )  # fmt: skip
        if handle in self._out:
            self._out.remove(handle)
            self._losses = 0
        return handle.future.result()

    def close(self) -> None:
        """End the workers."""
        self._backend.close()

    def _open(self) -> Executor:
        executor = self._backend.open(self._losses)
        if executor is None:
            raise WorkersLostError(f"{self._backend.what} were lost, again and again or for good.")
        return executor

    def _replace(self) -> None:
        self._losses += 1
        _log.warning("%s were lost; their tasks are begun again.", self._backend.what)
        self._backend.close()
        self._executor = self._open()

    def _submit_again(self, handles: list[Handle[Any]]) -> None:
        while not all(map(self._submit, handles)):
            self._replace()

    def _submit(self, handle: Handle[Any]) -> bool:
        """Submit a task to the current executor; return whether it was accepted."""
        try:
            handle.future = self._executor.submit(handle.work, *handle.task)
        except self._backend.refusals:
            return False
        return True

    def _is_lost(self, handle: Handle[Any]) -> bool:
        future = handle.future
        if not future.done():
            return False
        return future.cancelled() or isinstance(future.exception(), self._backend.losses)


def run_here(work: Callable[..., Answer], *task: Any) -> Handle[Answer]:
    """Run a task at once in this process, and return its handle."""
    return Handle(work, task, SerialExecutor().submit(work, *task))


@contextmanager
def open_workforce(workers: str) -> Iterator[Workforce]:
    """Open the workforce that ``workers`` names, and close it at the end.

    `workers`: A number of processes (1 is this process) or the address of a Dask scheduler,
    ``tcp://...``. Raises `ParameterError` if it is neither, or no scheduler answers at the address.
    """
    workforce = Workforce(_backend(workers))
    try:
        yield workforce
    finally:
        workforce.close()


def _backend(workers: str) -> Backend:
    if "://" in workers:
        return DaskWorkers(workers)
    count = _count(workers)
    return Backend() if count == 1 else Processes(count)


def in_order(
    workforce: Workforce,
    work: Callable[..., Answer],
    tasks: Iterable[tuple[Any, ...]],
    stop: Callable[[], bool],
) -> Iterator[Answer]:
    """Yield ``work(*task)`` for each task, in their order; end early once ``stop`` says so.

    At most twice as many tasks as workers are submitted at a time.

    `work`: Picklable, as are the tasks and its results; a result is never None. In this process it
    gets ``stop`` as well, since nothing else could end a long task.
    """
    if workforce.is_local:
        work = partial(work, stop=stop)
    running: list[Handle[Answer]] = []
    for task in tasks:
        if stop():
            return
        running.append(workforce.submit(work, *task))
        if len(running) >= 2 * workforce.size - 1:
            answer = workforce.result(running.pop(0), stop)
            if answer is None:
                return
            yield answer
    while running and (answer := workforce.result(running.pop(0), stop)) is not None:
        yield answer


def check_workers(workers: str) -> None:
    """Raise `ParameterError` if ``workers`` is neither a number of processes nor an address."""
    if "://" not in workers:
        _count(workers)


def _count(workers: str) -> int:
    if not _NUMBER.fullmatch(workers):
        raise ParameterError(
            f"workers = {quote(workers)} is neither a number of processes (1 to 999) nor a tcp:// "
            "address."
        )
    return int(workers)
