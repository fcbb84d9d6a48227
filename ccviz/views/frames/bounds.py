"""Both bounds of a run over time or over nodes, as steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.events import TreeKept
from ccviz.runs.run import Moment, Run

Against = Literal["time", "nodes"]


@dataclass(frozen=True, eq=False)
class Bounds:
    """The bounds at the moments at which one of them changed, NaN while unknown.

    Attributes
    ----------
    at : (m,) float64
        Seconds, or number of nodes.
    upper, lower, gap : (m,) float64
    edits : (e,) float64
        Where the problem was edited while the tree went on.
    """

    at: FloatArray
    upper: FloatArray
    lower: FloatArray
    gap: FloatArray
    edits: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def heights(self) -> tuple[float, float] | None:
        """Range of the vertical axis, see `worth_seeing`."""
        return worth_seeing(self.upper, self.lower)


def worth_seeing(upper: FloatArray, lower: FloatArray) -> tuple[float, float] | None:
    """Return a range of the vertical axis that shows how two bounds approach; None without bounds.

    The first clusterings may cost ten times as much as the last, and the first bounds may be below
    zero: with these included, the two lines would look flat.

    Parameters
    ----------
    upper, lower : (m,) float64
        NaN where unknown.
    """
    upper, lower = (values[np.isfinite(values)] for values in (upper, lower))
    if not len(upper) or not len(lower):
        known = np.concatenate([upper, lower])
        return (float(known.min()), float(known.max())) if len(known) else None
    last = float(upper[-1])
    margin = max(last - max(float(lower[0]), 0.0), 1e-3 * abs(last))
    return last - 1.2 * margin, last + margin


def bounds(run: Run | None, against: Against = "time") -> Bounds:
    """Return the history of both bounds, continued to the run's present moment."""
    if run is None:
        return Bounds(*(np.zeros(0) for _ in range(4)))
    history = [*_before(run), *run.history]
    if run.history:
        now = Moment(run.time_s, len(run.tree), history[-1].upper_bound, history[-1].lower_bound)
        history.append(now)
    at = [moment.time_s if against == "time" else float(moment.nodes) for moment in history]
    upper = np.array([_known(moment.upper_bound) for moment in history])
    lower = np.array([_known(moment.lower_bound) for moment in history])
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.maximum(upper - lower, 0.0) / upper
    return Bounds(np.array(at), upper, lower, gap, _edits(run, against))


def _before(run: Run) -> list[Moment]:
    """Return the moments of the earlier runs whose tree goes on in this one, before time 0."""
    kept = _kept(run)
    if kept is None:
        return []
    rows = zip(kept.times, kept.nodes.astype(int), kept.upper, kept.lower, strict=True)
    return [Moment(float(at), int(nodes), float(up), float(low)) for at, nodes, up, low in rows]


def _kept(run: Run) -> TreeKept | None:
    """Return the earlier runs; None where links were taken away, and a proved bound lies above."""
    kept = run.kept_tree
    if kept is not None and np.any(kept.lower > run.objective):
        return None
    return kept


def _edits(run: Run, against: Against) -> FloatArray:
    """Return where the edits are on the axis."""
    kept = _kept(run)
    if kept is None or not len(kept.times):
        return np.zeros(0)
    times = np.append(kept.edits, 0.0)
    if against == "time":
        return times
    last = np.searchsorted(kept.times, times, side="right") - 1
    return kept.nodes[np.maximum(last, 0)]


def _known(bound: float) -> float:
    return bound if math.isfinite(bound) else math.nan
