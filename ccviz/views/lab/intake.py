"""What a person brings to a session: one file at a time is read, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccviz.errors import CcvizError
from ccviz.quota import Quota
from ccviz.views.lab.errand import Errand

_SMALL_BYTES = 100_000
"""Read at once: to begin a process takes longer."""


class Intake:
    """Reads files for one session.

    Parameters
    ----------
    quota : Quota
    """

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
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
        if self.busy:
            raise CcvizError("The last file is still being read.")
        self._quota.check_file(len(content))
        if len(content) <= _SMALL_BYTES and not may_swell:
            then(read(content, *about))
            return
        quota = self._quota
        self._errand = Errand(read, (content, *about), quota.reading_s, quota.reading_bytes)
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
