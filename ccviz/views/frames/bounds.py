"""Both bounds of a run over time or over nodes, as steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.events import TreeKept
from ccviz.runs.run import Moment, Run

Against = Literal["time", "nodes"]


@dataclass(frozen=True, eq=False)
class Bounds:
    """The bounds at the moments at which one of them changed, NaN while unknown."""

    at: FloatArray  # (m,): Seconds, or number of nodes
    upper: FloatArray
    lower: FloatArray
    gap: FloatArray
    # (e,): Where the problem was edited while the tree went on.
    edits: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def heights(self) -> tuple[float, float] | None:
        """Range of the vertical axis, see `y_range`."""
        return y_range(self.upper, self.lower)


def with_room(low: float, high: float) -> tuple[float, float]:
    """Return a range that is no narrower than a millionth, if it has ends: rounding is no fall."""
    room = max(0.0, 5e-7 * abs(high) - 0.5 * (high - low)) if low < high else 0.0
    return low - room, high + room


def y_range(upper: FloatArray, lower: FloatArray) -> tuple[float, float] | None:
    """Return a range of the vertical axis that shows how two bounds approach; None without bounds.

    The first clusterings may cost ten times as much as the last, and the first bounds may be below
    zero: with these included, the two lines would look flat.

    `upper`, `lower` (m,): NaN where unknown.
    """
    upper, lower = (values[np.isfinite(values)] for values in (upper, lower))
    if not len(upper) or not len(lower):
        known = np.concatenate([upper, lower])
        return with_room(float(known.min()), float(known.max())) if len(known) else None
    last = float(upper[-1])
    margin = max(last - max(float(lower[0]), 0.0), 1e-3 * abs(last))
    return last - 1.2 * margin, last + margin


def bounds(run: Run | None, against: Against = "time") -> Bounds:
    """Return the history of both bounds, continued to the run's present moment."""
    if run is None:
        return Bounds(*(np.zeros(0) for _ in range(4)))
    kept = run.kept_tree
    if kept is not None and np.any(kept.lower > run.objective):
        kept = None  # links were taken away, and a proved bound lies above
    history = [*_before(kept), *run.history]
    if run.history:
        now = Moment(run.time_s, len(run.tree), history[-1].upper_bound, history[-1].lower_bound)
        history.append(now)
    at = [moment.time_s if against == "time" else float(moment.nodes) for moment in history]
    upper = np.array([moment.upper_bound for moment in history], dtype=np.float64)
    lower = np.array([moment.lower_bound for moment in history], dtype=np.float64)
    upper, lower = (np.where(np.isfinite(each), each, np.nan) for each in (upper, lower))
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.maximum(upper - lower, 0.0) / upper
    return Bounds(np.array(at), upper, lower, gap, _edits(kept, against))


def _before(kept: TreeKept | None) -> list[Moment]:
    """Return the moments of the earlier runs whose tree goes on in this one, before time 0."""
    if kept is None:
        return []
    rows = zip(kept.times, kept.nodes.astype(int), kept.upper, kept.lower, strict=True)
    return [Moment(float(at), int(nodes), float(up), float(low)) for at, nodes, up, low in rows]


def _edits(kept: TreeKept | None, against: Against) -> FloatArray:
    """Return where the edits are on the axis."""
    if kept is None or not len(kept.times):
        return np.zeros(0)
    times = np.append(kept.edits, 0.0)
    if against == "time":
        return times
    last = np.searchsorted(kept.times, times, side="right") - 1
    return kept.nodes[np.maximum(last, 0)]


# --- Runs over one another: their bounds or gaps on common axes, with what happened marked --------


Quantity = Literal["bounds", "gap"]


@dataclass(frozen=True, eq=False)
class Lane:
    """One run of a race."""

    name: str
    at: FloatArray  # (m,): Seconds, or number of nodes
    # upper, lower, gap, (m,): NaN where unknown; a gap of 0 too, which no logarithmic axis can
    # show.
    upper: FloatArray
    lower: FloatArray
    gap: FloatArray
    # found_at, found, (i,): When a better clustering was found, and its objective.
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
