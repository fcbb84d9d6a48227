"""A study of a run that is kept with the run in the archive, and goes on where it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ccviz.runs.archive import Archive
from ccviz.runs.database import is_read_only
from ccviz.runs.run import Run
from ccviz.runs.schema import Study

Known = TypeVar("Known")


class Steps(Protocol[Known]):
    """Steps of a study: each yields what is known of a run, from what was known before."""

    def __call__(self, run: Run, *, known: Known | None) -> Iterator[Known]:
        """Yield what is known, first without another step."""


@dataclass(frozen=True)
class KeptStudy(Generic[Known]):
    """A kind of study.

    Attributes
    ----------
    name : {"prices", "margins"}
    encode, decode : callable
        What is known as bytes, and back with the run that it is about.
    """

    name: Study
    encode: Callable[[Known], bytes]
    decode: Callable[[bytes, Run], Known]

    def stored(self, archive: Archive, run_id: str, run: Run) -> Known | None:
        """Return what is stored of a run; None if nothing is.

        Parameters
        ----------
        archive : Archive
        run_id : str
        run : Run
            Its state at its end.

        Raises
        ------
        ArchiveError
            If there is no such run, or what is stored cannot be read.
        """
        data = archive.study(run_id, self.name)
        return None if data is None else self.decode(data, run)

    def go_on(self, archive: Archive, run_id: str, steps: Steps[Known]) -> Iterator[Known]:
        """Yield what is known of a stored run, and keep it with the run after each step.

        Parameters
        ----------
        archive : Archive
        run_id : str
        steps : callable
        """
        run = archive.load(run_id)
        is_fixed = is_read_only(archive.path)
        before = self.stored(archive, run_id, run)
        for known in steps(run, known=before):
            if known is not before and not is_fixed:
                archive.keep_study(run_id, self.name, self.encode(known))
            yield known


def last_within(budget_s: float, steps: Iterable[Known]) -> Known:
    """Return what is known after the last step that begins within a time.

    Parameters
    ----------
    budget_s : float
        Seconds.
    steps : iterable
        At least one, which is taken in any case.
    """
    end = time.monotonic() + budget_s
    for known in steps:
        last = known
        if time.monotonic() > end:
            break
    return last
