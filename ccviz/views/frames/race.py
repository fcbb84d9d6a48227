"""Runs over one another: their bounds or gaps on common axes, with what happened marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.runs.run import Run
from ccviz.views.frames.bounds import Against, bounds

Quantity = Literal["bounds", "gap"]


@dataclass(frozen=True, eq=False)
class Lane:
    """One run of a race.

    Attributes
    ----------
    name : str
    at : (m,) float64
        Seconds, or number of nodes.
    upper, lower, gap : (m,) float64
        NaN where unknown; a gap of 0 too, which no logarithmic axis can show.
    found_at, found : (i,) float64
        When a better clustering was found, and its objective.
    """

    name: str
    at: FloatArray
    upper: FloatArray
    lower: FloatArray
    gap: FloatArray
    found_at: FloatArray
    found: FloatArray


def lane(name: str, run: Run, against: Against = "time") -> Lane:
    """Return a run's lane, up to its present moment."""
    frame = bounds(run, against)
    better = np.flatnonzero(np.diff(frame.upper, prepend=np.nan) != 0)
    better = better[np.isfinite(frame.upper[better])]
    return Lane(
        name=name,
        at=frame.at,
        upper=frame.upper,
        lower=frame.lower,
        gap=np.where(frame.gap > 0, frame.gap, np.nan),
        found_at=frame.at[better],
        found=frame.upper[better],
    )


def race(runs: Sequence[tuple[str, Run]], against: Against = "time") -> list[Lane]:
    """Return a lane for each run that has a name."""
    return [lane(name, run, against) for name, run in runs]
