"""Stop criteria: small callables that look at a run and the clock between two events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from numbers import Integral, Real
from threading import Event as Flag
from typing import Any

from ccviz.errors import ParameterError, quote
from ccviz.events import Termination
from ccviz.runs.run import Run

Criterion = Callable[[Run, float], Termination | None]
"""Takes the run and its age in seconds; returns why to stop, or None to go on."""


@dataclass(frozen=True)
class TimeLimit:
    """Stop after a number of seconds."""

    seconds: float

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``time_limit`` once the run is as old as that."""
        return "time_limit" if age >= self.seconds else None


@dataclass(frozen=True)
class NodeLimit:
    """Stop after a number of closed or branched nodes of the search tree."""

    nodes: int

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``node_limit`` once that many nodes are done."""
        return "node_limit" if run.nodes_done >= self.nodes else None


@dataclass(frozen=True)
class GapReached:
    """Stop once the incumbent is within a proved relative gap, (UB - LB) / UB, of the optimum."""

    gap: float

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``gap`` once the run's gap is that small."""
        return "gap" if run.gap <= self.gap else None


@dataclass(frozen=True)
class StopRequested:
    """Stop when the flag is set, from any thread."""

    flag: Flag = field(default_factory=Flag)

    def __call__(self, run: Run, age: float, /) -> Termination | None:
        """Return ``interrupted`` once the flag is set."""
        return "interrupted" if self.flag.is_set() else None


def first_reason(criteria: Iterable[Criterion], run: Run, age: float) -> Termination | None:
    """Return the first reason to stop a run of an age in seconds, or None."""
    return next((why for stop in criteria if (why := stop(run, age)) is not None), None)


# --- Limits of a run: time, gap, nodes ------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """The limits of a run; one that is None does not hold.

    Parameters
    ----------
    time_limit : float, optional
        Seconds.
    gap : float, optional
        Relative, (UB - LB) / UB.
    node_limit : int, optional
        Nodes of the search tree that are closed or branched.

    Raises
    ------
    ParameterError
        If one is no number of at least 0, or the nodes are no whole number.
    """

    time_limit: float | None = None
    gap: float | None = None
    node_limit: int | None = None

    def __post_init__(self) -> None:
        for name, value in self.given.items():
            kind, words = (
                (Integral, "a whole number") if name == "node_limit" else (Real, "a number")
            )
            if not _is_limit(value, kind):
                raise ParameterError(f"{name} = {quote(value)} is not {words} of at least 0.")

    @property
    def given(self) -> dict[str, Any]:
        """Those that hold, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


NO_LIMITS = Limits()
"""Nothing ends the run but the solver."""


def _is_limit(value: Any, kind: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    try:
        return float(value) >= 0 and (kind is Real or value < 1 << 63)
    except OverflowError:  # a whole number of hundreds of digits
        return False
