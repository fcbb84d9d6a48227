"""Where the nodes of a search tree are worked on: here, in local processes, or on Dask.

All three take a task and give its answer, so a search has one code path. Local workers are spawned,
use one BLAS thread each, and die with their parent however it dies. Tasks are pure: what is in hand
when the work ends is worth nothing, and nobody waits for it; and a task whose worker was lost is
given out again, with the same answer as if nothing had happened.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from concurrent.futures import ProcessPoolExecutor as Pool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_end
from typing import Any, Generic, Protocol, TypeVar

from ccviz.errors import ParameterError, WorkersLostError, quote

Answer = TypeVar("Answer")

_DASK_S = 5.0
_RETURN_S = 15.0  # for a scheduler that was lost, and a worker of its own
_DASK_LOSSES = 2  # in a row
_LOOK_S = 0.1
_ASK_S = 5.0  # whether those who work are still those who were asked
_NUMBER = re.compile("[1-9][0-9]{0,2}")

_log = logging.getLogger(__name__)


class SerialExecutor(Executor):
    """Works on a task when it is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function and return a future that is done; errors are raised at once."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Crew(Protocol):
    """Workers that can be lost, and how others are found.

    Attributes
    ----------
    size : int
        How many tasks are worked on at once.
    what : str
        What they are, for a sentence.
    losses, refusals : tuple of type
        What a future raises when its worker is gone, and what handing out a task does.
    """

    size: int
    what: str
    losses: tuple[type[BaseException], ...]
    refusals: tuple[type[BaseException], ...]

    def hire(self, losses: int) -> Executor | None:
        """Return an executor after so many losses in a row; None if there will be no more."""

    def has_changed(self) -> bool:
        """Return whether others have taken their place, who know of none of their tasks."""

    def dismiss(self) -> None:
        """Let the workers go, and wait for none of their tasks."""


@dataclass(eq=False)
class Errand(Generic[Answer]):
    """A task that was given out.

    Attributes
    ----------
    work : callable
    task : tuple
        Its arguments.
    future : Future
        Of the worker who has it now.
    """

    work: Callable[..., Answer]
    task: tuple[Any, ...]
    future: Future[Answer] = field(default_factory=Future)


class Workforce:
    """Gives out tasks, and gives them out again where workers are lost.

    Parameters
    ----------
    crew : Crew

    Attributes
    ----------
    size : int
        How many tasks it can work on at once; it stays, however many workers are left, so that a
        search takes its nodes in the same order.
    """

    def __init__(self, crew: Crew) -> None:
        self.size = crew.size
        self._crew = crew
        self._out: list[Errand[Any]] = []
        self._losses = 0
        self._executor = self._hire()

    @property
    def is_here(self) -> bool:
        """Whether tasks are worked on in this process, when they are given out."""
        return isinstance(self._executor, SerialExecutor)

    def give_out(self, work: Callable[..., Answer], *task: Any) -> Errand[Answer]:
        """Give a task to a worker.

        Parameters
        ----------
        work : callable
            Picklable, as are its arguments and what it returns.
        *task
            Its arguments.

        Returns
        -------
        Errand

        Raises
        ------
        WorkersLostError
            If there are none left.
        """
        errand = Errand(work, task)
        if not self._submit(errand):
            self._replace()
            self._give_out_again([errand])
        self._out.append(errand)
        return errand

    def answer(self, errand: Errand[Answer], stop: Callable[[], bool]) -> Answer | None:
        """Wait for a task's answer; None if the run was stopped before it came.

        Parameters
        ----------
        errand : Errand
        stop : callable

        Raises
        ------
        WorkersLostError
            If there are none left.
        """
        while True:
            since = time.monotonic()
            others = False
            while not (wait([errand.future], timeout=_LOOK_S).done or others):
                if stop():
                    return None
                if time.monotonic() - since > _ASK_S:
                    since, others = time.monotonic(), self._crew.has_changed()
            if not (others or self._is_lost(errand)):
                break
            self._replace()
            self._give_out_again(
                [each for each in self._out
                 if self._is_lost(each) or (others and not each.future.done())]
            )  # fmt: skip
        if errand in self._out:
            self._out.remove(errand)
            self._losses = 0
        return errand.future.result()

    def close(self) -> None:
        """Let the workers go."""
        self._crew.dismiss()

    def _hire(self) -> Executor:
        executor = self._crew.hire(self._losses)
        if executor is None:
            raise WorkersLostError(f"{self._crew.what} were lost, again and again or for good.")
        return executor

    def _replace(self) -> None:
        self._losses += 1
        _log.warning("%s were lost; what they had in hand is begun again.", self._crew.what)
        self._crew.dismiss()
        self._executor = self._hire()

    def _give_out_again(self, errands: list[Errand[Any]]) -> None:
        while not all(map(self._submit, errands)):
            self._replace()

    def _submit(self, errand: Errand[Any]) -> bool:
        """Hand a task to whoever there is; return whether there was somebody."""
        try:
            errand.future = self._executor.submit(errand.work, *errand.task)
        except self._crew.refusals:
            return False
        return True

    def _is_lost(self, errand: Errand[Any]) -> bool:
        future = errand.future
        if not future.done():
            return False
        return future.cancelled() or isinstance(future.exception(), self._crew.losses)


def done_here(work: Callable[..., Answer], *task: Any) -> Errand[Answer]:
    """Work on a task at once in this process, and return it as one that was given out.

    Parameters
    ----------
    work : callable
    *task
        Its arguments.

    Returns
    -------
    Errand
    """
    return Errand(work, task, SerialExecutor().submit(work, *task))


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
    workforce = Workforce(_crew(workers))
    try:
        yield workforce
    finally:
        workforce.close()


def _crew(workers: str) -> Crew:
    if "://" in workers:
        return _Cluster(workers)
    count = _count(workers)
    return _Here() if count == 1 else _Processes(count)


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
        Picklable, as are the tasks and what it returns; it returns no None.
    tasks : iterable of tuple
        Its arguments.
    stop : callable
    """
    running: list[Errand[Answer]] = []
    for task in tasks:
        if stop():
            return
        running.append(workforce.give_out(work, *task))
        if len(running) >= 2 * workforce.size - 1:
            answer = workforce.answer(running.pop(0), stop)
            if answer is None:
                return
            yield answer
    while running and (answer := workforce.answer(running.pop(0), stop)) is not None:
        yield answer


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
    if not _NUMBER.fullmatch(workers):
        raise ParameterError(
            f"workers = {quote(workers)} is neither a number of processes (1 to 999) nor a tcp:// "
            "address."
        )
    return int(workers)


class _Here:
    """The process that asks, which is never lost."""

    size = 1
    what = "This process"
    losses: tuple[type[BaseException], ...] = ()
    refusals: tuple[type[BaseException], ...] = ()

    def hire(self, losses: int) -> Executor | None:
        return SerialExecutor()

    def has_changed(self) -> bool:
        return False

    def dismiss(self) -> None:
        pass


class _Processes:
    """Processes on this machine: one that dies takes its pool along, and a new pool is spawned.

    After the second loss without an answer in between there are fewer in each: memory may be
    short. The last word is a process alone, which may try twice.
    """

    what = "Worker processes"
    losses: tuple[type[BaseException], ...] = (BrokenExecutor,)
    refusals: tuple[type[BaseException], ...] = (BrokenExecutor, OSError)

    def __init__(self, count: int) -> None:
        self.size = count
        self._pool: Pool | None = None

    def hire(self, losses: int) -> Executor | None:
        if losses > self.size.bit_length() + 1:
            return None
        context = multiprocessing.get_context("spawn")
        self._lifeline, self._held = context.Pipe(duplex=False)
        count = max(1, self.size >> max(0, losses - 1))
        self._pool = Pool(count, context, initializer=_start_worker, initargs=(self._lifeline,))
        return self._pool

    def has_changed(self) -> bool:
        return False  # a pool that loses a worker says so

    def dismiss(self) -> None:
        if self._pool is not None:
            self._held.close()
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._lifeline.close()
            self._pool = None


def _start_worker(lifeline: Connection) -> None:
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()


def _die_with(lifeline: Connection) -> None:
    """End this process when the other end of the pipe is closed, by its owner or by its death."""
    wait_for_end([lifeline])
    os._exit(1)


class _Cluster:
    """The workers of a Dask scheduler, which looks after lost workers itself.

    Parameters
    ----------
    address : str
        Of the scheduler.
    """

    _client: Any = None
    _scheduler = ""

    def __init__(self, address: str) -> None:
        from distributed.scheduler import KilledWorker

        self._address = address
        self.what = f"The Dask scheduler at {address} or its workers"
        self.losses: tuple[type[BaseException], ...] = (CancelledError, KilledWorker)
        self.refusals: tuple[type[BaseException], ...] = (OSError, RuntimeError)
        try:
            self._connect(_DASK_S)
        except (OSError, TimeoutError, ValueError) as broken:
            raise ParameterError(f"no Dask scheduler answers at {address}: {broken}.") from None
        self.size: int = sum(self._client.nthreads().values())
        if self.size == 0:
            self.dismiss()
            raise ParameterError(f"the Dask scheduler at {address} has no workers.")

    def hire(self, losses: int) -> Executor | None:
        if losses > _DASK_LOSSES:
            return None
        try:
            if losses:
                self._connect(_RETURN_S)
                self._client.wait_for_workers(1, timeout=_RETURN_S)
        except (OSError, TimeoutError, ValueError):
            self.dismiss()
            return None
        executor: Executor = self._client.get_executor()
        self._scheduler = self._who()
        return executor

    def has_changed(self) -> bool:
        # A client connects again by itself, to whoever answers at the address by then; a task that
        # was on its way between the two would be waited for in vain.
        return self._who() not in ("", self._scheduler)

    def _who(self) -> str:
        """Return which scheduler answers; nothing if none does."""
        with suppress(OSError, TimeoutError):
            return str(self._client.scheduler_info(n_workers=0).get("id", ""))
        return ""

    def dismiss(self) -> None:
        if self._client is not None:
            with suppress(OSError, TimeoutError):
                self._client.close()
            self._client = None

    def _connect(self, patience_s: float) -> None:
        from distributed import Client

        # What it says of a scheduler that has gone, we say in a sentence.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._client = Client(self._address, timeout=patience_s)
