"""Calls in processes of their own, each at its turn; of these the reading and writing of files."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import param

from ccviz.errors import CcvizError
from ccviz.quota import Quota
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.lab.runner import RunQueue, Ticket
from ccviz.views.lab.sandboxed_call import SandboxedCall


class QueuedCall(param.Parameterized):
    """At most one call, begun now or at its turn in a queue, and looked after by `tick`.

    `pool`: Its fork server forks the process. `queue`: Where a call waits; it begins at once where
    there is none.
    """

    busy = param.Boolean(default=False)  # Whether a call goes on, or waits for its turn

    def __init__(
        self, quota: Quota, pool: WorkerPool | None = None, queue: RunQueue | None = None
    ) -> None:
        super().__init__()
        self._quota, self._pool, self._queue = quota, pool, queue
        self._ticket: Ticket | None = None
        self._waiting: Callable[[], SandboxedCall] | None = None
        self._call: SandboxedCall | None = None
        self._began = 0.0

    def _begin_call(
        self,
        work: Callable[..., Any],
        args: tuple[Any, ...],
        seconds: float,
        memory: int | None,
        **rights: Any,
    ) -> None:
        """Have a function called, see `SandboxedCall`."""
        self._waiting = partial(SandboxedCall, work, args, seconds, memory, self._pool, **rights)
        if self._queue is None:
            self._launch(self._waiting)
        elif self._ticket is None:
            self._ticket = self._queue.join()
        self.busy = True

    def _launch(self, make: Callable[[], SandboxedCall]) -> None:
        self._began, self._waiting = time.time(), None
        self._call = make()

    def tick(self) -> None:
        """Begin the call when its turn comes, and take its answer once it is there.

        Raises `CcvizError` if it was refused or has failed.
        """
        if self._call is not None:
            self._follow(self._call)
        turn = self._ticket is not None and self._ticket.waiting == 0
        if self._waiting is not None and turn:
            self._launch(self._waiting)

    def _follow(self, call: SandboxedCall) -> None:
        done = call.done  # asked first: what it stored last is seen, too
        self._look(call, done)
        if not done:
            return
        self._call = None
        self._leave()
        try:
            answer = call.answer()
        except CcvizError as failed:
            self._fail(failed)
        else:
            self._take(answer)

    def _look(self, call: SandboxedCall, done: bool) -> None:
        """Look at what a call has stored so far."""

    def _take(self, answer: Any) -> None:
        """Take what a call has returned; nothing where all of it is stored."""

    def _fail(self, failed: CcvizError) -> None:
        raise failed

    def _leave(self) -> None:
        """Leave the queue."""
        if self._ticket is not None:
            self._ticket.release()
        self._ticket, self.busy = None, False

    def stop(self) -> None:
        """End the call, or wait no more for its turn."""
        call, self._call, self._waiting = self._call, None, None
        if call is not None:
            call.close()
        self._leave()

    def close(self) -> None:
        """End it for good: the session ends."""
        self.stop()


# --- Reading and writing one file at a time without blocking the page -----------------------------


_SMALL_BYTES = 100_000
"""Size in bytes up to which a file is read in the server: starting a process takes longer."""


class FileJobs(QueuedCall):
    """Reads and writes files for one session."""

    def take(
        self,
        read: Callable[..., Any],
        content: bytes,
        *about: Any,
        then: Callable[[Any], None],
        may_swell: bool = False,
        archive: str = "",
    ) -> None:
        """Read a file and pass its content to ``then``, now or in a later `tick`.

        `read`: A module-level function of the file content and ``about``. `may_swell`: Whether a
        small file may expand (a compressed one); it is then read in a process. `archive`: The
        archive that this process may read and write; empty if none. Raises `CcvizError` if the file
        is refused, or another file job is in progress.
        """
        self._quota.check_file(len(content))
        small = len(content) <= _SMALL_BYTES and not may_swell
        self.do(read, content, *about, then=then, at_once=small, archive=archive)

    def do(
        self,
        work: Callable[..., Any],
        *args: Any,
        then: Callable[[Any], None],
        at_once: bool,
        archive: str = "",
    ) -> None:
        """Call ``work`` here or in a process of its own, and pass its result to ``then``.

        `work`: A module-level function. `at_once`: Whether to call it here: it takes less time than
        starting a process. `archive`: The archive that this process may read and write.
        Raises `CcvizError` if the work raises one, or another file job is in progress.
        """
        if self.busy:
            raise CcvizError("The previous file is still being read or written.")
        if at_once:
            then(work(*args))
            return
        quota = self._quota
        self._then = then
        self._begin_call(
            work, args, quota.reading_s, quota.reading_bytes, confined=True, archive=archive
        )

    def _take(self, answer: Any) -> None:
        self._then(answer)
