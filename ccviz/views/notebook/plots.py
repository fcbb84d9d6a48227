"""Pictures of a run for notebooks: HoloViews objects, made from the same frames as the page."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import holoviews as hv
import numpy as np
from holoviews.core.options import Store
from holoviews.plotting.bokeh import LayoutPlot, OverlayPlot

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.distribution import install_command
from ccviz.errors import CcvizError
from ccviz.events import Record
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.studies.price_table import LinkPrice
from ccviz.views.draft import Draft
from ccviz.views.figures.tree import node_looks
from ccviz.views.frames import bounds as bounds_frame
from ccviz.views.frames.bounds import Against, y_range
from ccviz.views.frames.bounds import race as race_frame
from ccviz.views.frames.exact import KINDS, ColumnsLog, CutsLog, PartsLog, ResidualsLog
from ccviz.views.frames.exact import matrix as matrix_frame
from ccviz.views.frames.heuristic import PopulationLog
from ccviz.views.frames.links import ends_of
from ccviz.views.frames.node import MARKS
from ccviz.views.frames.projection import axis_names
from ccviz.views.frames.scatter import Coloring, Plane, coloring, plane
from ccviz.views.frames.tree import Axis, Tree, TreeFrame
from ccviz.views.palette import CUTS, LIGHT, cluster_colors

# --- Pictures of runs: HoloViews overlays and layouts that save themselves for a paper ------------


class _Saved:
    """What can be saved as PDF, SVG or PNG."""

    def save(self, path: str | Path, width: float | None = None, dpi: int = 300) -> None:
        """Write the picture for print, drawn by Matplotlib, without a browser.

        `path`: Its suffix, ``.pdf``, ``.svg`` or ``.png``, is the format. `width`: Inches; by
        default 3.4 a picture, as wide as a column, and 6.9 at most. `dpi`: Of PNG, and of pictures
        within the others. Raises `CcvizError` if the suffix is another one, Matplotlib is not
        installed, or the file cannot be written.
        """
        try:
            printing = import_module("ccviz.views.notebook.printing")
        except ModuleNotFoundError as missing:
            if (missing.name or "").startswith("ccviz"):
                raise
            raise CcvizError(
                f"files for print need {missing.name}, which is not installed: "
                f"{install_command('notebooks')}."
            ) from None
        printing.save(self, Path(path), width, dpi)


class Figure(_Saved, hv.Overlay):
    """A picture: ``*`` draws another one over it, ``+`` puts it beside."""

    def __mul__(self, other: Any) -> Any:
        both = super().__mul__(other)
        return Figure(list(both)) if type(both) is hv.Overlay else both

    def __add__(self, other: Any) -> Figures:
        return Figures([self, other])


class Figures(_Saved, hv.Layout):
    """Pictures side by side; ``cols`` says how many in a row."""

    def __add__(self, other: Any) -> Figures:
        return Figures([*self, *(other if isinstance(other, hv.Layout) else [other])])


Store.register({Figure: OverlayPlot, Figures: LayoutPlot}, "bokeh")


_AXIS = {"time": "seconds", "nodes": "nodes"}
SIZE = {"width": 440, "height": 340}
"""Pixels of a picture in a notebook."""


def scatter(run: Run, x: int | None = None, y: int | None = None) -> Figure:
    """Return the points in their clusters, the centres and the links."""
    where = _plane(run, x, y)
    return clustered_points(where, coloring(run, where), run.problem)


def clustered_points(where: Plane, frame: Coloring, problem: Problem) -> Figure:
    """Return the points of a plane in their clusters, the centres and a problem's links."""
    labels = np.where(frame.labels >= 0, frame.labels.astype(str), "none")
    colors = dict(enumerate(cluster_colors(problem.k)))
    points = hv.Points(
        (where.x, where.y, labels, np.arange(len(where.x))),
        _dimensions(where),
        ["cluster", "point"],
        label="points",
    ).opts(
        color="cluster",
        cmap={str(j): color for j, color in colors.items()} | {"none": LIGHT.unassigned},
        size=6,
        tools=["hover"],
        show_legend=False,
        **SIZE,
    )
    centers = hv.Points(frame.centers, _dimensions(where), label="centres").opts(
        marker="cross", size=16, line_width=4, color=LIGHT.ink, show_legend=False
    )
    must, cannot = (
        _links(links.pairs, where) for links in (problem.must_link, problem.cannot_link)
    )
    return Figure([
        must.opts(color=LIGHT.must_link, line_width=1),
        cannot.opts(color=LIGHT.cannot_link, line_width=1, line_dash="dashed"),
        points,
        centers,
    ])  # fmt: skip


def _plane(run: Run, x: int | None, y: int | None) -> Plane:
    X = run.problem.X[: run.problem.n_points]
    features = tuple(f"x{j}" for j in range(X.shape[1]))
    names = axis_names(features)
    usual = ("PC 1", "PC 2") if len(features) > 2 else (names[0], names[min(1, len(features) - 1)])
    for at in (x, y):
        if at is not None and at not in range(len(features)):
            raise CcvizError(f"there is no feature {at!r}; there are 0 to {len(features) - 1}.")
    chosen = [names[int(at)] if at is not None else usual[axis] for axis, at in enumerate((x, y))]
    return plane(Draft(Dataset("", X, features), run.problem.k), *chosen)


def _dimensions(where: Plane) -> list[hv.Dimension]:
    """Return the axes, by two names even of a single feature: HoloViews distinguishes them so."""
    up = "again" if where.x_name == where.y_name else where.y_name
    return [hv.Dimension(where.x_name), hv.Dimension(up, label=where.y_name)]


def _links(pairs: np.ndarray, where: Plane) -> hv.Segments:
    pairs = pairs[(pairs < len(where.x)).all(axis=1)]  # given centres are not on the plot
    return hv.Segments(ends_of(pairs, where), [*_dimensions(where), "its partner", "its height"])


def bounds(run: Run, against: Against = "time") -> Figure:
    """Return both bounds as steps."""
    _check_against(against)
    frame = bounds_frame.bounds(run, against)
    axis = _AXIS[against]
    curves = [
        _steps(axis, frame.at, values, words, color)
        for words, values, color in (
            ("upper bound", frame.upper, LIGHT.upper),
            ("lower bound", frame.lower, LIGHT.lower),
        )
    ]
    return Figure(curves).opts(
        legend_position="top_right", yformatter="%.5g", ylim=frame.heights or (None, None)
    )


def race(runs: Sequence[tuple[str, Run]], against: Against = "time") -> Figure:
    """Return the bounds of several runs over one another: upper ones solid, lower ones dashed."""
    _check_against(against)
    lanes = race_frame(runs, against)
    drawn = []
    for lane, color in zip(lanes, cluster_colors(len(lanes)), strict=True):
        for values, words, dash in ((lane.upper, lane.name, "solid"), (lane.lower, "", "dashed")):
            curve = _steps(_AXIS[against], lane.at, values, words, color)
            drawn.append(curve.opts(line_dash=dash))
    seen = [y_range(lane.upper, lane.lower) for lane in lanes]
    ends = [height for heights in seen if heights is not None for height in heights]
    return Figure(drawn).opts(
        legend_position="top_right", yformatter="%.5g",
        ylim=(min(ends), max(ends)) if ends else (None, None),
    )  # fmt: skip


def _check_against(against: str) -> None:
    if against not in _AXIS:
        raise CcvizError(f"bounds are drawn against time or nodes, not {against!r}.")


def _steps(axis: str, at: FloatArray, values: FloatArray, words: str, color: str) -> hv.Curve:
    return hv.Curve((at, values), axis, "objective", label=words).opts(
        interpolation="steps-post", color=color, line_width=2.5, tools=["hover"], **SIZE
    )


def tree(run: Run, axis: Axis = "bound") -> Figure:
    """Return the search tree, the root on top."""
    if axis not in get_args(Axis):
        raise CcvizError(f"a tree is drawn by {' or '.join(get_args(Axis))}, not {axis!r}.")
    if not run.tree:
        raise CcvizError("this run has no search tree: its solver does not branch.")
    frame = Tree.of(run).frame(run.tree, axis)
    height = "lower bound" if axis == "bound" else "depth"
    edges = hv.Segments(
        (frame.parent_x, frame.parent_y, frame.x, frame.y),
        ["place", height, "place of the child", "height of the child"],
    ).opts(color=LIGHT.faint, alpha=0.6)
    nodes = [_nodes(frame, height, kind) for kind in MARKS]
    drawn = [edges, *filter(len, nodes)]
    if axis == "bound" and np.isfinite(frame.upper_bound):
        line = hv.HLine(frame.upper_bound)
        drawn.append(line.opts(color=LIGHT.upper, line_dash="dashed", line_width=2))
    return Figure(drawn).opts(show_legend=False, invert_yaxis=True, xaxis=None)


def _nodes(frame: TreeFrame, height: str, kind: str) -> hv.Points:
    """Return the nodes of a kind, whose mark is one; Matplotlib draws no others."""
    looks = {name: np.asarray(value) for name, value in node_looks(frame).items()}
    these = looks["kind"] == kind
    facts = ("node", "depth", "decision", "detail")
    values = {
        "place": frame.x, height: frame.y, "state": looks["words"], "size": looks["size"],
        **{name: np.asarray(getattr(frame, name)) for name in facts},
    }  # fmt: skip
    marker, color, _ = MARKS[kind]
    return hv.Points(
        {name: value[these] for name, value in values.items()},
        ["place", height],
        ["size", "state", *facts],
    ).opts(
        color=color, marker=marker, size="size", line_color=LIGHT.ink, line_width=0.7,
        tools=["hover"], xaxis=None, invert_yaxis=True, show_legend=False, **SIZE,
    )  # fmt: skip


def matrix(run: Run) -> Figure:
    """Return the newest matrix of the relaxation, grey where it hesitates."""
    if run.relaxation is None:
        raise CcvizError("this run has shown no matrix: ask sdp for it with show_relaxation=True.")
    labels = run.incumbent.labels if run.incumbent else None
    frame = matrix_frame(run.relaxation, labels)
    s = len(frame.order)
    image = hv.Image(
        frame.image / 255.0, bounds=(0, 0, s, s), kdims=["block", "other"], vdims="likeness"
    ).opts(cmap="Greys", clim=(0, 1), invert_yaxis=False, xaxis=None, yaxis=None, **SIZE)
    borders = [line for at in frame.edges for line in (hv.VLine(at), hv.HLine(s - at))]
    return Figure([image, *(line.opts(color=LIGHT.mark, line_width=1) for line in borders)])


# --------------------------------------------------------------------------------------------------
# Pictures of what solvers do inside: columns, residuals, populations, cuts, parts; and of prices.
#
# HoloViews objects, made from the records of a run, or from a study of it.


_MOST_NAMES = 30
"""Links up to which each is named at the axis."""


def columns(records: Iterable[Record]) -> Figure:
    """Return the master and the lower bound over the rounds of pricing."""
    frame = ColumnsLog.fed(records).frame()
    if not len(frame.at):
        raise CcvizError("this run has priced no columns: colgen and its kin do.")
    return Figure([
        _line("pricing round", "objective", frame.at, frame.master, "master", LIGHT.upper),
        _line("pricing round", "objective", frame.at, frame.lower_bound, "lower bound",
              LIGHT.lower),
    ]).opts(legend_position="top_right", yformatter="%.5g")  # fmt: skip


def residuals(records: Iterable[Record]) -> Figure:
    """Return both residuals over the iterations of a splitting method, on a logarithmic axis."""
    frame = ResidualsLog.fed(records).frame()
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
    frame = PopulationLog.fed(records).frame()
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
    frame = CutsLog.fed(records).frame()
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
    frame = PartsLog.fed(records).frame()
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


# --- Bokeh's scripts in the browser, sent by the kernel: a lecture room may be offline ------------
#
# A kernel outlives the browser page of its notebook. A page that is opened later has no Bokeh, even
# though the kernel has sent it before, and no plot or widget can be drawn there.


def load_once() -> None:
    """Send the scripts unless the browser page of the running cell has them."""
    _load_for(_page())


@cache
def _load_for(page: str) -> None:  # noqa: ARG001, the key of the cache
    """Send the scripts into the output of the running cell."""
    hv.extension("bokeh", logo=False, inline=True)
    # WebGL markers go stale, and a static picture does not need them.
    hv.renderer("bokeh").webgl = False


def _page() -> str:
    """Return the client that asked for the running cell: each page that is opened is a new one."""
    ipython = sys.modules.get("IPython")  # not imported where no notebook is
    parent = getattr(ipython and ipython.get_ipython(), "parent_header", None) or {}
    return str(parent.get("header", parent).get("session", ""))
