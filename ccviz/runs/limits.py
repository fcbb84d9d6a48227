"""Limits of a run: time, gap, nodes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any

from ccviz.errors import ParameterError, quote


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
