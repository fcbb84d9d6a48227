"""Stop criteria: small callables that look at a run and the clock between two events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Event as Flag

from ccviz.events import Termination
from ccviz.runs.run import Run

Criterion = Callable[[Run, float], Termination | None]
"""Takes the run and its age in seconds; returns why to stop, or None to go on."""


@dataclass(frozen=True)
class TimeLimit:
    """Stop after a number of seconds.

    Parameters
    ----------
    seconds : float
    """

    seconds: float

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``time_limit`` once the run is as old as that."""
        return "time_limit" if age >= self.seconds else None


@dataclass(frozen=True)
class NodeLimit:
    """Stop after a number of closed or branched nodes of the search tree.

    Parameters
    ----------
    nodes : int
    """

    nodes: int

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``node_limit`` once that many nodes are done."""
        return "node_limit" if run.nodes_done >= self.nodes else None


@dataclass(frozen=True)
class GapReached:
    """Stop once the incumbent is proved to be within a relative gap of the optimum.

    Parameters
    ----------
    gap : float
        Relative, (UB - LB) / UB.
    """

    gap: float

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``gap`` once the run's gap is that small."""
        return "gap" if run.gap <= self.gap else None


@dataclass(frozen=True)
class StopRequested:
    """Stop when the flag is set, from any thread.

    Parameters
    ----------
    flag : Flag
    """

    flag: Flag = field(default_factory=Flag)

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``interrupted`` once the flag is set."""
        return "interrupted" if self.flag.is_set() else None


def first_reason(criteria: Iterable[Criterion], run: Run, age: float) -> Termination | None:
    """Return the first criterion's reason to stop, or None.

    Parameters
    ----------
    criteria : iterable of Criterion
    run : Run
    age : float
        Seconds that the run has been going on.

    Returns
    -------
    Termination or None
    """
    return next((why for stop in criteria if (why := stop(run, age)) is not None), None)
