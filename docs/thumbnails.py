"""Draws a run as a small moving picture: its points, links and centres, and its bounds below.

The gallery has one for each run. They are drawn from the events, without a browser.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.events import Assigned
from ccviz.runs.run import Run
from ccviz.views.draft import Draft, draft_of_problem
from ccviz.views.export.story import Play
from ccviz.views.frames.bounds import Bounds, bounds
from ccviz.views.frames.projection import usual_axes
from ccviz.views.frames.scatter import Coloring, Plane, coloring, plane
from ccviz.views.palette import LIGHT, cluster_colors

WIDTH, HEIGHT = 320, 200
_STRIP = 34  # pixels of the height for the bounds
_FINER = 3  # everything is drawn this many times as large, for smooth edges
_MOST_FRAMES = 14
_FRAME_MS, _LAST_MS = 350, 2500
_COLORS = 48
_MUST, _CANNOT = "#8f98a3", "#ecb9a5"  # the page's colours of links, paler: there may be many


@dataclass(frozen=True, eq=False)
class _Moment:
    """What one frame shows."""

    points: Coloring
    bounds: Bounds
    objectives: tuple[float, ...]  # of the assignments so far, for a run without a lower bound


def save_thumbnail(play: Play, moving: Path, still: Path) -> None:
    """Write a run as a moving GIF, and its last frame as a PNG."""
    problem = play.problem
    names = tuple(f"x{j}" for j in range(problem.d))
    nameless = Draft(Dataset("", problem.X, names, problem.truth), problem.k)
    draft = draft_of_problem(problem, play.present or nameless, play.data)
    where = plane(draft, *(play.axes or usual_axes(draft.data.features)))
    frames = [_draw(play, where, moment) for moment in _chosen(_moments(play, where))]
    colors = frames[-1].quantize(_COLORS, dither=Image.Dither.NONE)
    first, *rest = (each.quantize(palette=colors, dither=Image.Dither.NONE) for each in frames)
    times = [_FRAME_MS] * len(rest) + [_LAST_MS]
    first.save(moving, save_all=True, append_images=rest, duration=times, loop=0, optimize=True)
    frames[-1].save(still, optimize=True)


def _moments(play: Play, where: Plane) -> list[_Moment]:
    """Return the moments of a run at which colours, centres or bounds change."""
    run, found = Run(play.problem), []
    colors, seen = None, (None, None, 0)
    objectives: tuple[float, ...] = ()
    for record in play.records:
        run.apply(record)
        if isinstance(record.event, Assigned):
            objectives += (record.event.objective,)
        now = (run.labels, run.centers, len(run.history))
        ended = run.finished is not None
        if ended or any(new is not old for new, old in zip(now, seen, strict=True)):
            points = coloring(run, where, colors)
            colors, seen = points.labels, now
            found.append(_Moment(points, bounds(run, "nodes"), objectives))
    return found


def _chosen(moments: list[_Moment]) -> list[_Moment]:
    """Return a few moments, evenly spread, the first and the last among them."""
    many = min(len(moments), _MOST_FRAMES)
    return [moments[round(at)] for at in np.linspace(0, len(moments) - 1, many)]


def _draw(play: Play, where: Plane, moment: _Moment) -> Image.Image:
    image = Image.new("RGB", (WIDTH * _FINER, HEIGHT * _FINER), LIGHT.paper)
    draw = ImageDraw.Draw(image)
    spots = _on_paper(where, np.column_stack([where.x, where.y]))
    for links, color in (
        (play.problem.must_link, _MUST),
        (play.problem.cannot_link, _CANNOT),
    ):
        for i, j in links.pairs:
            draw.line([*spots[i], *spots[j]], fill=color, width=_FINER)
    colors = cluster_colors(play.problem.k)
    for spot, label in zip(spots, moment.points.labels, strict=True):
        _dot(draw, spot, colors[label] if label >= 0 else LIGHT.unassigned)
    centers = _on_paper(where, moment.points.centers)
    for spot, label in zip(centers, moment.points.center_labels, strict=True):
        _cross(draw, spot, colors[label])
    _draw_strip(draw, moment)
    return image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _on_paper(where: Plane, places: FloatArray) -> FloatArray:
    """Return places of the plot in pixels."""
    low = np.array([where.x_range[0], where.y_range[0]])
    high = np.array([where.x_range[1], where.y_range[1]])
    share = (places - low) / (high - low)
    size = np.array([WIDTH, HEIGHT - _STRIP]) * _FINER
    return np.column_stack([share[:, 0] * size[0], (1 - share[:, 1]) * size[1]])


def _dot(draw: ImageDraw.ImageDraw, spot: FloatArray, color: str) -> None:
    x, y = spot
    r = 2.6 * _FINER
    draw.ellipse([x - r, y - r, x + r, y + r], fill=color)


def _cross(draw: ImageDraw.ImageDraw, spot: FloatArray, color: str) -> None:
    x, y = spot
    for arm, width, ink in ((6, 5, LIGHT.ink), (5, 3, color)):
        r, w = arm * _FINER, width * _FINER
        draw.line([x - r, y, x + r, y], fill=ink, width=w)
        draw.line([x, y - r, x, y + r], fill=ink, width=w)


def _draw_strip(draw: ImageDraw.ImageDraw, moment: _Moment) -> None:
    """Draw both bounds as steps, or the objective by iteration where there is no lower bound."""
    drawn, objectives = moment.bounds, np.array(moment.objectives)
    if drawn.heights is not None and np.isfinite(drawn.lower).any():
        _draw_steps(draw, drawn.upper, drawn.heights, LIGHT.upper)
        _draw_steps(draw, drawn.lower, drawn.heights, LIGHT.lower)
    elif len(objectives):
        heights = float(objectives.min()), float(objectives.max())
        _draw_steps(draw, objectives, heights, LIGHT.upper)


def _draw_steps(
    draw: ImageDraw.ImageDraw, values: FloatArray, heights: tuple[float, float], color: str
) -> None:
    """Draw values below the points, one step for each, as high as they lie between two heights."""
    low, high = heights
    top, bottom = (HEIGHT - _STRIP + 6) * _FINER, (HEIGHT - 4) * _FINER
    x = np.linspace(4, WIDTH - 4, len(values) + 1) * _FINER
    y = bottom - np.clip((values - low) / ((high - low) or 1.0), 0, 1) * (bottom - top)
    known = np.flatnonzero(np.isfinite(values))
    line = [spot for at in known for spot in ((x[at], y[at]), (x[at + 1], y[at]))]
    if line:
        draw.line(line, fill=color, width=2 * _FINER)
