"""Workers for the nodes of a search tree: this process, local processes, or those of Dask.

All three take a task and return its result, so a search has one code path. Tasks are pure:
unfinished ones are dropped when the search ends, and a task whose worker was lost is submitted
again, with the same result as if nothing had happened.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ccviz.errors import ParameterError, WorkersLostError, quote
from ccviz.solvers.search.backends import Backend, Here, Processes, SerialExecutor

Answer = TypeVar("Answer")

_LOOK_S = 0.1
"""Seconds between two tests of ``stop`` while a result is waited for."""
_NUMBER = re.compile("[1-9][0-9]{0,2}")

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Handle(Generic[Answer]):
    """A submitted task.

    Attributes
    ----------
    work : callable
    task : tuple
        Its arguments.
    future : Future
        Future of its last submission.
    """

    work: Callable[..., Answer]
    task: tuple[Any, ...]
    future: Future[Answer] = field(default_factory=Future)


class Workforce:
    """Submits tasks to a backend, and submits them again where workers are lost.

    Parameters
    ----------
    backend : Backend
    ask_s : float
        Seconds between two questions to the backend whether its workers were replaced.

    Attributes
    ----------
    size : int
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

        Parameters
        ----------
        work : callable
            Picklable, as are its arguments and its result.
        *task
            Its arguments.

        Returns
        -------
        Handle

        Raises
        ------
        WorkersLostError
            If no workers are left.
        """
        handle = Handle(work, task)
        if not self._submit(handle):
            self._replace()
            self._submit_again([handle])
        self._out.append(handle)
        return handle

    def result(self, handle: Handle[Answer], stop: Callable[[], bool]) -> Answer | None:
        """Wait for a task's result; None if the run was stopped before.

        Parameters
        ----------
        handle : Handle
        stop : callable

        Raises
        ------
        WorkersLostError
            If no workers are left.
        """
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
    """Run a task at once in this process, and return its handle.

    Parameters
    ----------
    work : callable
    *task
        Its arguments.

    Returns
    -------
    Handle
    """
    return Handle(work, task, SerialExecutor().submit(work, *task))


@contextmanager
def open_workforce(workers: str) -> Iterator[Workforce]:
    """Open the workforce that ``workers`` names, and close it at the end.

    Parameters
    ----------
    workers : str
        A number of processes (1 is this process) or the address of a Dask scheduler, ``tcp://...``.

    Raises
    ------
    ParameterError
        If it is neither, or no scheduler answers at the address.
    """
    workforce = Workforce(_backend(workers))
    try:
        yield workforce
    finally:
        workforce.close()


def _backend(workers: str) -> Backend:
    if "://" in workers:
        from ccviz.solvers.search.dask import DaskWorkers

        return DaskWorkers(workers)
    count = _count(workers)
    return Here() if count == 1 else Processes(count)


def in_order(
    workforce: Workforce,
    work: Callable[..., Answer],
    tasks: Iterable[tuple[Any, ...]],
    stop: Callable[[], bool],
) -> Iterator[Answer]:
    """Yield ``work(*task)`` for each task, in their order; end early once ``stop`` says so.

    At most twice as many tasks as workers are submitted at a time.

    Parameters
    ----------
    workforce : Workforce
    work : callable
        Picklable, as are the tasks and its results; a result is never None.
    tasks : iterable of tuple
        Its arguments.
    stop : callable
    """
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
    """Raise `ParameterError` if ``workers`` is neither a number of processes nor an address.

    Parameters
    ----------
    workers : str

    Raises
    ------
    ParameterError
        If so; no scheduler is contacted yet.
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
