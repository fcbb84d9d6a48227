"""A still picture of a session: what remains of the laboratory where no widget can live."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

import numpy as np

from ccviz.views.frames.card import card
from ccviz.views.frames.links import Lines, lines
from ccviz.views.frames.scatter import coloring, plane
from ccviz.views.lab.session import Session
from ccviz.views.palette import LIGHT, cluster_colors

_WIDTH, _HEIGHT, _LINE, _RADIUS = 480, 360, 24, 4
_MOST = 2000

Axis = Callable[[float], float]


def picture(session: Session) -> str:
    """Return the points, links and clusters of a session as an SVG with a line of words."""
    where = plane(session.draft, session.x_axis, session.y_axis)
    run = session.run
    frame = coloring(run, where)
    x = _scaled(where.x_range, _WIDTH)
    y = _scaled(where.y_range[::-1], _HEIGHT)
    labels = None if run is None else run.labels
    colors = [*cluster_colors(session.draft.k), LIGHT.unassigned]
    shown = np.linspace(0, len(where.x) - 1, min(len(where.x), _MOST)).astype(int)
    points = "".join(
        f'<circle cx="{x(where.x[i]):.1f}" cy="{y(where.y[i]):.1f}" r="{_RADIUS}" '
        f'fill="{colors[frame.labels[i]]}"/>'
        for i in shown
    )
    segments = "".join(
        _segments(lines(session.draft, "must", where, labels), x, y, LIGHT.must_link, "")
    ) + "".join(
        _segments(lines(session.draft, "cannot", where, labels), x, y, LIGHT.cannot_link, "5 4")
    )
    summary = card(run, with_scores=False)
    words = escape(f"{summary.headline}. {summary.ending}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT + _LINE}">'
        f'<title>{words}</title><rect width="100%" height="100%" fill="{LIGHT.paper}"/>'
        f'{segments}{points}<text x="4" y="{_HEIGHT + _LINE - 7}" font-family="sans-serif" '
        f'font-size="12" fill="{LIGHT.ink}">{words}</text></svg>'
    )


def _scaled(ends: tuple[float, float], size: int) -> Axis:
    low, high = ends
    return lambda value: size * (value - low) / (high - low)


def _segments(drawn: Lines, x: Axis, y: Axis, color: str, dash: str) -> Iterator[str]:
    for x0, y0, x1, y1 in zip(drawn.x0, drawn.y0, drawn.x1, drawn.y1, strict=True):
        yield (
            f'<line x1="{x(x0):.1f}" y1="{y(y0):.1f}" x2="{x(x1):.1f}" y2="{y(y1):.1f}" '
            f'stroke="{color}" stroke-dasharray="{dash}"/>'
        )
