"""Pictures of a run for notebooks: HoloViews objects, made from the same frames as the page."""

from __future__ import annotations

from typing import Any, get_args

import holoviews as hv
import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.runs.run import Run
from ccviz.views.draft import Draft
from ccviz.views.figures.tree import node_looks
from ccviz.views.frames import bounds as bounds_frame
from ccviz.views.frames.marks import MARKS
from ccviz.views.frames.matrix import matrix as matrix_frame
from ccviz.views.frames.projection import axis_names
from ccviz.views.frames.scatter import Plane, coloring, plane
from ccviz.views.frames.tree import Axis, Tree
from ccviz.views.palette import LIGHT, cluster_colors

_SIZE = {"width": 440, "height": 340}


def scatter(run: Run, x: int | None = None, y: int | None = None) -> hv.Overlay:
    """Return the points in their clusters, the centres and the links."""
    where = _plane(run, x, y)
    frame = coloring(run, where)
    labels = np.where(frame.labels >= 0, frame.labels.astype(str), "none")
    colors = dict(enumerate(cluster_colors(run.problem.k)))
    points = hv.Points(
        (where.x, where.y, labels, np.arange(len(where.x))),
        [where.x_name, where.y_name],
        ["cluster", "point"],
        label="points",
    ).opts(
        color="cluster",
        cmap={str(j): color for j, color in colors.items()} | {"none": LIGHT.unassigned},
        size=6,
        tools=["hover"],
        show_legend=False,
        **_SIZE,
    )
    centers = hv.Points(frame.centers, [where.x_name, where.y_name], label="centres").opts(
        marker="cross", size=16, line_width=4, color=LIGHT.ink, show_legend=False
    )
    must, cannot = (_links(links.pairs, where) for links in _both(run))
    return (
        must.opts(color=LIGHT.must_link, line_width=1)
        * cannot.opts(color=LIGHT.cannot_link, line_width=1, line_dash="dashed")
        * points
        * centers
    )


def _plane(run: Run, x: int | None, y: int | None) -> Plane:
    X = run.problem.X
    features = tuple(f"x{j}" for j in range(X.shape[1]))
    names = axis_names(features)
    usual = ("PC 1", "PC 2") if len(features) > 2 else (names[0], names[min(1, len(features) - 1)])
    for at in (x, y):
        if at is not None and at not in range(len(features)):
            raise CcvizError(f"there is no feature {at!r}; there are 0 to {len(features) - 1}.")
    chosen = [names[int(at)] if at is not None else usual[axis] for axis, at in enumerate((x, y))]
    return plane(Draft(Dataset("", X, features), run.problem.k), *chosen)


def _both(run: Run) -> tuple[Any, Any]:
    return run.problem.must_link, run.problem.cannot_link


def _links(pairs: np.ndarray, where: Plane) -> hv.Segments:
    i, j = pairs[:, 0], pairs[:, 1]
    ends = (where.x[i], where.y[i], where.x[j], where.y[j])
    return hv.Segments(ends, [where.x_name, where.y_name, "its partner", "its height"])


def bounds(run: Run, against: str = "time") -> hv.Overlay:
    """Return both bounds as steps."""
    if against not in ("time", "nodes"):
        raise CcvizError(f"bounds are drawn against time or nodes, not {against!r}.")
    frame = bounds_frame.bounds(run, against)  # type: ignore[arg-type]
    axis = "seconds" if against == "time" else "nodes"
    curves = [
        hv.Curve((frame.at, values), axis, "objective", label=words).opts(
            interpolation="steps-post", color=color, line_width=2.5, tools=["hover"], **_SIZE
        )
        for words, values, color in (
            ("upper bound", frame.upper, LIGHT.upper),
            ("lower bound", frame.lower, LIGHT.lower),
        )
    ]
    return (curves[0] * curves[1]).opts(
        legend_position="top_right", yformatter="%.5g", ylim=frame.heights or (None, None)
    )


def tree(run: Run, axis: Axis = "bound") -> hv.Overlay:
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
    looks = node_looks(frame)
    facts = ("node", "depth", "decision", "detail")
    nodes = hv.Points(
        {
            "place": frame.x, height: frame.y,
            "state": looks["words"], "kind": looks["kind"], "size": looks["size"],
            **{name: getattr(frame, name) for name in facts},
        },
        ["place", height],
        ["kind", "size", "state", *facts],
    ).opts(
        color=hv.dim("kind").categorize({name: color for name, (_, color, _) in MARKS.items()}),
        marker=hv.dim("kind").categorize({name: mark for name, (mark, _, _) in MARKS.items()}),
        size="size",
        line_color=LIGHT.ink,
        line_width=0.7,
        tools=["hover"],
        xaxis=None,
        invert_yaxis=True,
        show_legend=False,
        **_SIZE,
    )  # fmt: skip
    if axis == "depth" or not np.isfinite(frame.upper_bound):
        return edges * nodes
    line = hv.HLine(frame.upper_bound).opts(color=LIGHT.upper, line_dash="dashed", line_width=2)
    return edges * nodes * line


def matrix(run: Run) -> hv.Overlay:
    """Return the newest matrix of the relaxation, grey where it hesitates."""
    if run.relaxation is None:
        raise CcvizError("this run has shown no matrix: ask sdp for it with show_relaxation=True.")
    labels = run.incumbent.labels if run.incumbent else None
    frame = matrix_frame(run.relaxation, labels)
    s = len(frame.order)
    image = hv.Image(
        frame.image / 255.0, bounds=(0, 0, s, s), kdims=["block", "other"], vdims="likeness"
    ).opts(cmap="Greys", clim=(0, 1), invert_yaxis=False, xaxis=None, yaxis=None, **_SIZE)
    borders = [line for at in frame.edges for line in (hv.VLine(at), hv.HLine(s - at))]
    return hv.Overlay([image, *(line.opts(color=LIGHT.mark, line_width=1) for line in borders)])
