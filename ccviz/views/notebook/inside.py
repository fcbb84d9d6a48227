"""Pictures of what solvers do inside: columns, residuals, populations, cuts, parts; and of prices.

HoloViews objects, made from the records of a run, or from a study of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import holoviews as hv
import numpy as np

from ccviz.arrays import FloatArray
from ccviz.errors import CcvizError
from ccviz.events import Record
from ccviz.studies.price_table import LinkPrice
from ccviz.views.frames.columns import ColumnsLog
from ccviz.views.frames.cuts import KINDS, CutsLog
from ccviz.views.frames.parts import PartsLog
from ccviz.views.frames.population import PopulationLog
from ccviz.views.frames.residuals import ResidualsLog
from ccviz.views.notebook.figure import Figure
from ccviz.views.notebook.plots import SIZE
from ccviz.views.palette import CUTS, LIGHT

_MOST_NAMES = 30
"""Links up to which each is named at the axis."""


def columns(records: Iterable[Record]) -> Figure:
    """Return the master and the lower bound over the rounds of pricing."""
    log = ColumnsLog()
    log.feed(records)
    frame = log.frame()
    if not len(frame.at):
        raise CcvizError("this run has priced no columns: colgen and its kin do.")
    return Figure([
        _line("pricing round", "objective", frame.at, frame.master, "master", LIGHT.upper),
        _line("pricing round", "objective", frame.at, frame.lower_bound, "lower bound",
              LIGHT.lower),
    ]).opts(legend_position="top_right", yformatter="%.5g")  # fmt: skip


def residuals(records: Iterable[Record]) -> Figure:
    """Return both residuals over the iterations of a splitting method, on a logarithmic axis."""
    log = ResidualsLog()
    log.feed(records)
    frame = log.frame()
    if not len(frame.iteration):
        raise CcvizError("this run has no residuals: its solver splits nothing; lp-box does.")
    at = frame.iteration
    return Figure([
        _line("iteration", "residual", at, frame.primal, "primal residual", LIGHT.upper),
        _line("iteration", "residual", at, frame.dual, "dual residual", LIGHT.lower),
        _line("iteration", "residual", at, frame.rho, "ρ", LIGHT.faint).opts(line_dash="dotted"),
    ]).opts(legend_position="top_right", logy=True)  # fmt: skip


def population(records: Iterable[Record]) -> Figure:
    """Return every member's objective by generation, with the best and the mean."""
    log = PopulationLog()
    log.feed(records)
    frame = log.frame()
    if not len(frame.generation):
        raise CcvizError("this run has no population: memetic solvers such as s-mdeclust do.")
    x, y = "generation", "what the search lowers"
    replaced = hv.Segments(
        (frame.from_generation, frame.from_objective, frame.to_generation, frame.to_objective),
        [x, y, "next generation", "its objective"],
    ).opts(color=LIGHT.mark, alpha=0.6)
    members = hv.Points(
        (frame.member_generation, frame.objective, frame.member), [x, y], "member", label="member"
    ).opts(color=LIGHT.faint, size=4, alpha=0.6, tools=["hover"], **SIZE)
    best = _line(x, y, frame.generation, frame.best, "best", LIGHT.upper)
    mean = _line(x, y, frame.generation, frame.mean, "mean", LIGHT.lower)
    return Figure([replaced, members, best, mean.opts(line_dash="dashed")]).opts(
        legend_position="top_right", yformatter="%.5g"
    )


def cuts(records: Iterable[Record]) -> Figure:
    """Return the violated inequalities of each round by kind, and the number of active cuts."""
    log = CutsLog()
    log.feed(records)
    frame = log.frame()
    if not len(frame.at):
        raise CcvizError("this run has separated no cuts: sdp does, with its cuts switched on.")
    x, y = "round of separation", "inequalities"
    found = [
        _line(x, y, frame.at, getattr(frame, kind), f"violated: {kind}", color)
        for kind, color in zip(KINDS, CUTS, strict=True)
        if getattr(frame, kind).any()
    ]
    active = _line(x, y, frame.at, frame.active, "active cuts", LIGHT.ink)
    return Figure([*found, active.opts(line_dash="dashed")]).opts(legend_position="top_right")


def parts(records: Iterable[Record]) -> Figure:
    """Return the relative gap of each part of the newest cut, the largest first."""
    log = PartsLog()
    log.feed(records)
    frame = log.frame()
    if frame is None:
        raise CcvizError("this run has no parts: divide cuts its points into some.")
    gap = np.sort(frame.gap[np.isfinite(frame.gap)])[::-1]
    curve = _line("parts, by gap", "gap", np.arange(1.0, len(gap) + 1), gap, "", LIGHT.lower)
    return Figure([curve.opts(interpolation="steps-mid")]).opts(logy=True, show_legend=False)


def prices(rows: Sequence[LinkPrice]) -> Figure:
    """Return the price of each link between its limits; a mark alone where the upper is unknown."""
    if not rows:
        raise CcvizError("there are no prices: the problem has no hard links.")
    at = np.arange(len(rows), dtype=np.float64)
    lower, upper = (np.array([getattr(row, end) for row in rows]) for end in ("lower", "upper"))
    upper = np.where(np.isfinite(upper), upper, lower)
    kinds = np.array([row.kind for row in rows])
    drawn = [
        _limits(kind, at[kinds == kind], lower[kinds == kind], upper[kinds == kind], color)
        for kind, color in (("must", LIGHT.must_link), ("cannot", LIGHT.cannot_link))
    ]
    names = [(place, f"{row.kind} {row.i}, {row.j}") for place, row in enumerate(rows)]
    return Figure([each for pair in drawn for each in pair]).opts(
        invert_yaxis=True, yticks=names if len(names) <= _MOST_NAMES else 5, show_legend=False
    )


def _limits(
    kind: str, at: FloatArray, lower: FloatArray, upper: FloatArray, color: str
) -> tuple[hv.Segments, hv.Points]:
    """Return a line from the lower to the upper limit of each price, and a mark at the lower."""
    x, y = "price: rise of the optimum", "link"
    line = hv.Segments((lower, at, upper, at), [x, y, "upper limit", "its height"])
    mark = hv.Points((lower, at), [x, y], label=f"{kind}-links")
    return (
        line.opts(color=color, line_width=3),
        mark.opts(color=color, size=7, tools=["hover"], **SIZE),
    )


def _line(x: str, y: str, at: FloatArray, values: FloatArray, words: str, color: str) -> hv.Curve:
    curve = hv.Curve((at, values), x, y, label=words)
    return curve.opts(color=color, line_width=2.5, tools=["hover"], **SIZE)
