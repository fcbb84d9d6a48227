"""Where the nodes of a search tree are worked on: here, in local processes, or on Dask.

All three are `concurrent.futures.Executor`s, so a search has one code path. Local workers are
spawned, use one BLAS thread each, and die with their parent however it dies. Tasks are pure: what
is in hand when the work ends is worth nothing, and nobody waits for it.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_end
from typing import Any, TypeVar

from ccviz.errors import ParameterError

Answer = TypeVar("Answer")

_DASK_S = 5.0
_LOOK_S = 0.1


@dataclass(frozen=True, eq=False)
class Workforce:
    """An executor and how many tasks it can work on at once."""

    executor: Executor
    size: int


class SerialExecutor(Executor):
    """Works on a task when it is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function and return a future that is done; errors are raised at once."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def open_workforce(workers: str) -> Iterator[Workforce]:
    """Open what ``workers`` names, and close it at the end.

    Parameters
    ----------
    workers : str
        A number of processes (1 is this process) or the address of a Dask scheduler, ``tcp://...``.

    Raises
    ------
    ParameterError
        If it is neither, or nobody answers at the address.
    """
    if "://" in workers:
        with _dask(workers) as workforce:
            yield workforce
        return
    count = _count(workers)
    if count == 1:
        yield Workforce(SerialExecutor(), 1)
        return
    context = multiprocessing.get_context("spawn")
    lifeline, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, context, initializer=_start_worker, initargs=(lifeline,))
    try:
        yield Workforce(pool, count)
    finally:
        held.close()
        pool.shutdown(wait=True, cancel_futures=True)
        lifeline.close()


def in_order(
    workforce: Workforce,
    work: Callable[..., Answer],
    tasks: Iterable[tuple[Any, ...]],
    stop: Callable[[], bool],
) -> Iterator[Answer]:
    """Yield ``work(*task)`` for each task, in their order; end early once ``stop`` says so.

    At most twice as many tasks as workers are out at a time.

    Parameters
    ----------
    workforce : Workforce
    work : callable
        Picklable, as are the tasks and what it returns.
    tasks : iterable of tuple
        Its arguments.
    stop : callable
    """
    running: list[Future[Answer]] = []
    for task in tasks:
        if stop():
            return
        running.append(workforce.executor.submit(work, *task))
        if len(running) >= 2 * workforce.size - 1:
            if not _comes(running[0], stop):
                return
            yield running.pop(0).result()
    while running and _comes(running[0], stop):
        yield running.pop(0).result()


def _comes(future: Future[Answer], stop: Callable[[], bool]) -> bool:
    """Wait for an answer; return whether it came before the run was stopped."""
    while not wait([future], timeout=_LOOK_S).done:
        if stop():
            return False
    return True


def check_workers(workers: str) -> None:
    """Raise `ParameterError` if ``workers`` is neither a number of processes nor an address.

    Parameters
    ----------
    workers : str

    Raises
    ------
    ParameterError
        If so; nobody is called up yet.
    """
    if "://" not in workers:
        _count(workers)


def _count(workers: str) -> int:
    if not workers.isdecimal() or int(workers) < 1:
        raise ParameterError(
            f"workers = {workers!r} is neither a number of processes nor a tcp:// address."
        )
    return int(workers)


def _start_worker(lifeline: Connection) -> None:
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()


def _die_with(lifeline: Connection) -> None:
    """End this process when the other end of the pipe is closed, by its owner or by its death."""
    wait_for_end([lifeline])
    os._exit(1)


@contextmanager
def _dask(address: str) -> Iterator[Workforce]:
    from distributed import Client

    try:
        client = Client(address, timeout=_DASK_S)
    except (OSError, TimeoutError, ValueError) as broken:
        raise ParameterError(f"no Dask scheduler answers at {address}: {broken}.") from None
    with client:
        threads = sum(client.nthreads().values())
        if threads == 0:
            raise ParameterError(f"the Dask scheduler at {address} has no workers.")
        yield Workforce(client.get_executor(), threads)
