"""File jobs: reading and writing one file at a time without blocking the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccviz.errors import CcvizError
from ccviz.quota import Quota
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.lab.sandboxed_call import SandboxedCall

_SMALL_BYTES = 100_000
"""Size in bytes up to which a file is read in the server: starting a process takes longer."""


class FileJobs:
    """Reads and writes files for one session.

    Parameters
    ----------
    quota : Quota
    pool : WorkerPool, optional
        Its fork server forks the reading processes.
    """

    def __init__(self, quota: Quota, pool: WorkerPool | None = None) -> None:
        self._quota, self._pool = quota, pool
        self._call: SandboxedCall | None = None
        self._then: Callable[[Any], None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a file is being read or written."""
        return self._call is not None

    def take(
        self,
        read: Callable[..., Any],
        content: bytes,
        *about: Any,
        then: Callable[[Any], None],
        may_swell: bool = False,
        writes: str = "",
    ) -> None:
        """Read a file and pass its content to ``then``, now or in a later `tick`.

        Parameters
        ----------
        read : callable
            A module-level function of the file content and ``about``.
        content : bytes
        *about
            Further arguments of ``read``.
        then : callable
            Receives the result.
        may_swell : bool
            Whether a small file may expand (a compressed one); it is then read in a process.
        writes : str
            The folder where that process may write; empty if nowhere.

        Raises
        ------
        CcvizError
            If the file is refused, or another file job is in progress.
        """
        self._quota.check_file(len(content))
        small = len(content) <= _SMALL_BYTES and not may_swell
        self.do(read, content, *about, then=then, at_once=small, writes=writes)

    def do(
        self,
        work: Callable[..., Any],
        *args: Any,
        then: Callable[[Any], None],
        at_once: bool,
        writes: str = "",
    ) -> None:
        """Call ``work`` here or in a process of its own, and pass its result to ``then``.

        Parameters
        ----------
        work : callable
            A module-level function.
        *args
        then : callable
            Receives the result.
        at_once : bool
            Whether to call it here: it takes less time than starting a process.
        writes : str
            The folder where that process may write; empty if nowhere.

        Raises
        ------
        CcvizError
            If the work raises one, or another file job is in progress.
        """
        if self.busy:
            raise CcvizError("The previous file is still being read or written.")
        if at_once:
            then(work(*args))
            return
        quota = self._quota
        self._call = SandboxedCall(
            work, args, quota.reading_s, quota.reading_bytes, self._pool, True, writes
        )
        self._then = then

    def tick(self) -> None:
        """Pass on the result of the file job, once it is there.

        Raises
        ------
        CcvizError
            If the file job raised one.
        """
        call, then = self._call, self._then
        if call is not None and then is not None and call.done:
            self._call = self._then = None
            then(call.answer())

    def close(self) -> None:
        """Abandon the file job in progress."""
        if self._call is not None:
            self._call.close()
        self._call = self._then = None
