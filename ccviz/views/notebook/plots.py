"""Pictures of a run for notebooks: HoloViews objects, made from the same frames as the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import holoviews as hv
import numpy as np

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.views.draft import Draft
from ccviz.views.figures.tree import node_looks
from ccviz.views.frames import bounds as bounds_frame
from ccviz.views.frames.bounds import Against, worth_seeing
from ccviz.views.frames.marks import MARKS
from ccviz.views.frames.matrix import matrix as matrix_frame
from ccviz.views.frames.projection import axis_names
from ccviz.views.frames.race import race as race_frame
from ccviz.views.frames.scatter import Coloring, Plane, coloring, plane
from ccviz.views.frames.tree import Axis, Tree, TreeFrame
from ccviz.views.notebook.figure import Figure
from ccviz.views.palette import LIGHT, cluster_colors

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
    """Return the axes, by two names even of a single feature: HoloViews tells them apart so."""
    up = "again" if where.x_name == where.y_name else where.y_name
    return [hv.Dimension(where.x_name), hv.Dimension(up, label=where.y_name)]


def _links(pairs: np.ndarray, where: Plane) -> hv.Segments:
    pairs = pairs[(pairs < len(where.x)).all(axis=1)]  # given centres are not on the plot
    i, j = pairs[:, 0], pairs[:, 1]
    ends = (where.x[i], where.y[i], where.x[j], where.y[j])
    return hv.Segments(ends, [*_dimensions(where), "its partner", "its height"])


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
    seen = [worth_seeing(lane.upper, lane.lower) for lane in lanes]
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
