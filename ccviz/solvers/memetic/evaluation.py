"""Making many members at once on an executor, in an order that does not depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from typing import Any

from ccviz.solvers.memetic.local_search import Member
from ccviz.solvers.workforce import Workforce


def evaluate(
    workforce: Workforce,
    make: Callable[..., Member],
    tasks: Iterable[tuple[Any, ...]],
    stop: Callable[[], bool],
) -> Iterator[Member]:
    """Yield ``make(*task)`` for each task, in their order; end early once ``stop`` says so.

    At most twice as many tasks as workers are out at a time.
    """
    running: list[Future[Member]] = []
    for task in tasks:
        if stop():
            break
        running.append(workforce.executor.submit(make, *task))
        if len(running) >= 2 * workforce.size - 1:
            yield running.pop(0).result()
    while running and not stop():
        if wait(running[:1], timeout=0.1).done:
            yield running.pop(0).result()
