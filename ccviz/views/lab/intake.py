"""What a person brings and takes: one file at a time is read or written, and nobody waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccviz.errors import CcvizError
from ccviz.quota import Quota
from ccviz.runs.spares import Spares
from ccviz.views.lab.errand import Errand

_SMALL_BYTES = 100_000
"""Read at once: to begin a process takes longer."""


class Intake:
    """Reads and writes files for one session.

    Parameters
    ----------
    quota : Quota
    spares : Spares, optional
        Whose nursery forks the processes that read.
    """

    def __init__(self, quota: Quota, spares: Spares | None = None) -> None:
        self._quota, self._spares = quota, spares
        self._errand: Errand | None = None
        self._then: Callable[[Any], None] | None = None

    @property
    def busy(self) -> bool:
        """Whether something is being read."""
        return self._errand is not None

    def take(
        self,
        read: Callable[..., Any],
        content: bytes,
        *about: Any,
        then: Callable[[Any], None],
        may_swell: bool = False,
    ) -> None:
        """Read a file, and do something with what it holds, at once or in some `tick`.

        Parameters
        ----------
        read : callable
            A function of a module, of the content and what else is known about it.
        content : bytes
        *about
            The other arguments.
        then : callable
            Of what was read.
        may_swell : bool
            Whether few bytes may hold much: then no file is small.

        Raises
        ------
        CcvizError
            If it is refused, or something else is still being read.
        """
        self._quota.check_file(len(content))
        small = len(content) <= _SMALL_BYTES and not may_swell
        self.do(read, content, *about, then=then, at_once=small)

    def do(
        self, work: Callable[..., Any], *args: Any, then: Callable[[Any], None], at_once: bool
    ) -> None:
        """Do some work, here at once or elsewhere, and something with what it returns.

        Parameters
        ----------
        work : callable
            A function of a module.
        *args
        then : callable
            Of what it returned.
        at_once : bool
            Whether it takes no longer than to begin a process.

        Raises
        ------
        CcvizError
            If it is refused, or something else is still being done.
        """
        if self.busy:
            raise CcvizError("The last file is still being read or written.")
        if at_once:
            then(work(*args))
            return
        quota = self._quota
        self._errand = Errand(work, args, quota.reading_s, quota.reading_bytes, self._spares)
        self._then = then

    def tick(self) -> None:
        """Go on with what was read, if it is there.

        Raises
        ------
        CcvizError
            If it was refused.
        """
        errand, then = self._errand, self._then
        if errand is not None and then is not None and errand.done:
            self._errand = self._then = None
            then(errand.answer())

    def close(self) -> None:
        """Give up what is being read."""
        if self._errand is not None:
            self._errand.close()
        self._errand = self._then = None
