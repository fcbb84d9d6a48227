"""The queue of runs on this server, of which a limited number run at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from weakref import WeakSet, WeakValueDictionary

from ccviz.runs.job import Job


class RunQueue:
    """A line of tickets, shared by all sessions of a server; the first few may run.

    Parameters
    ----------
    limit : int, optional
        Runs at once; one a processor, and at least two, if not given.

    Attributes
    ----------
    drives : mapping of str to Drive
        The workers of this server that a page holds, by their runs.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit or max(2, os.cpu_count() or 1)
        self._line: list[Ticket] = []
        self._lock = Lock()
        self.drives: WeakValueDictionary[str, Drive] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._line)

    def join(self) -> Ticket:
        """Return a new ticket at the end of the line."""
        ticket = Ticket(self)
        with self._lock:
            self._line.append(ticket)
        return ticket

    def waiting_before(self, ticket: Ticket) -> int:
        """Return the number of runs that must end before a ticket's turn; 0 if it may run."""
        with self._lock:
            return max(0, self._line.index(ticket) + 1 - self.limit)

    def leave(self, ticket: Ticket) -> None:
        """Take a ticket out of the line."""
        with self._lock:
            if ticket in self._line:
                self._line.remove(ticket)


class Ticket:
    """A place in the line."""

    def __init__(self, queue: RunQueue) -> None:
        self._queue = queue

    @property
    def waiting(self) -> int:
        """Runs that must end before this one may start."""
        return self._queue.waiting_before(self)

    def release(self) -> None:
        """Leave the line: the run has ended, or is not wanted any more."""
        self._queue.leave(self)


@dataclass(eq=False)
class Drive:
    """A worker and its place in the line, held by the pages that show its run.

    A page that is loaded again holds the run before the old page has gone, so the run goes on.

    Attributes
    ----------
    job : Job
    ticket : Ticket
    holders : WeakSet of Runner
    """

    job: Job
    ticket: Ticket
    holders: WeakSet[Any] = field(default_factory=WeakSet)
