"""What is drawn over many points: densities, links as pixels, the decisions of a node."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource
from scipy.ndimage import convolve

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.figures.base import refill
from ccviz.views.frames.links import Lines, opacity, rows_of
from ccviz.views.frames.node import Circles
from ccviz.views.lab.state import Screen
from ccviz.views.palette import Look

# --------------------------------------------------------------------------------------------------
# Very many points as a picture: each pixel takes the colours of the points that fall on it.


DENSE_FROM = 10_000
"""More points than this are drawn as a picture; the browser never gets them."""

_MOST_SPREAD_PX = 3
_SHARE_TAKEN = 0.1
_FAINTEST = 90


class DensityLayer:
    """An image in a figure, redrawn for the range that the figure shows."""

    def __init__(self, plot: Any, name: str = "density") -> None:
        self._source = ColumnDataSource({name: [] for name in ("image", "x", "y", "dw", "dh")})
        self._image = plot.image_rgba(
            "image", x="x", y="y", dw="dw", dh="dh", source=self._source, name=name
        )

    @property
    def is_drawn(self) -> bool:
        """Whether there is a picture."""
        return len(self._source.data["image"]) > 0

    def fade(self, share: float) -> None:
        """Limit the picture's opacity over the layers below."""
        self._image.glyph.global_alpha = share

    def clear(self) -> None:
        """Show nothing."""
        if self.is_drawn:
            self._source.data = {name: [] for name in self._source.data}

    def show(
        self, x: FloatArray, y: FloatArray, labels: IntArray, colors: list[str], screen: Screen
    ) -> None:
        """Draw the points that a screen shows.

        `labels` (n,): Colours, from 0.
        """
        (left, right), (bottom, top) = screen.x_range, screen.y_range
        self._source.data = {
            "image": [density(x, y, labels, colors, screen)],
            "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom],
        }  # fmt: skip


def density(
    x: FloatArray, y: FloatArray, labels: IntArray, colors: list[str], screen: Screen
) -> np.ndarray:
    """Return (height, width) uint32 RGBA: hue by cluster, depth by how many points there are.

    A pixel has the mean colour of its points. The more points than in other pixels, the less can
    be seen through it, by rank: so thin and crowded regions both show their structure. Where few
    pixels are taken each point is a dot of several.
    """
    shape = max(1, round(screen.height)), max(1, round(screen.width))
    pixel, shown = _pixels(x, y, screen, shape)
    tint = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in colors], float)
    tint, pixels = tint[labels[shown]], shape[0] * shape[1]
    counts = np.bincount(pixel, minlength=pixels).reshape(shape).astype(float)
    sums = [np.bincount(pixel, channel, pixels).reshape(shape) for channel in tint.T]
    room = _SHARE_TAKEN * pixels / max(int(np.count_nonzero(counts)), 1)
    reach = min(_MOST_SPREAD_PX, int(np.sqrt(room) / 2))
    if reach:
        square = np.arange(-reach, reach + 1) ** 2
        disc = (square[:, None] + square <= reach**2).astype(float)
        counts, *sums = (convolve(each, disc, mode="constant") for each in (counts, *sums))
    image = np.zeros((*shape, 4), dtype=np.uint8)
    taken = counts > 0
    for channel, total in enumerate(sums):
        image[taken, channel] = np.rint(total[taken] / counts[taken])
    image[taken, 3] = _depth(counts[taken])
    return image.view(np.uint32)[:, :, 0]


def in_view(x: FloatArray, y: FloatArray, screen: Screen) -> np.ndarray:
    """Return (n,) bool: the points that a screen shows."""
    (left, right), (bottom, top) = screen.x_range, screen.y_range
    return (x >= left) & (x <= right) & (y >= bottom) & (y <= top)


def _pixels(
    x: FloatArray, y: FloatArray, screen: Screen, shape: tuple[int, int]
) -> tuple[IntArray, np.ndarray]:
    """Return the pixels of the points in view, row by row, and which points these are."""
    (left, right), (bottom, top), (height, width) = screen.x_range, screen.y_range, shape
    shown = in_view(x, y, screen)
    column = ((x[shown] - left) * (width / (right - left))).astype(np.int64)
    row = ((y[shown] - bottom) * (height / (top - bottom))).astype(np.int64)
    # A point on the far edge belongs to the last pixel.
    return np.minimum(row, height - 1) * width + np.minimum(column, width - 1), shown


def _depth(counts: FloatArray) -> FloatArray:
    """Return how little can be seen through each pixel, by the rank of its count."""
    known, place = np.unique(np.rint(counts), return_inverse=True)
    share = np.cumsum(np.bincount(place)) / len(counts)
    return _FAINTEST + (255 - _FAINTEST) * (
        share[place] if len(known) > 1 else np.ones(len(counts))
    )


# --- Thousands of links as a picture: each pixel is the darker the more lines cross it ------------


_SAMPLED = 20_000  # largest number of lines drawn; more lines are sampled
_STEPS = 600  # largest number of places along a line
_PLACES = 4_000_000  # largest number of places along all lines together
_SHARE = 0.45  # opacity as a share of that of a single line, so that points stay visible


class LinkDensity:
    """A picture of links below the points, redrawn for the range that the figure shows."""

    def __init__(self, plot: Any) -> None:
        self._layer = DensityLayer(plot, "link density")
        self._frames: tuple[Lines, Lines] | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether there are too many links to draw one by one."""
        return self._frames is not None

    def clear(self) -> None:
        """Show nothing."""
        self._frames = None
        self._layer.clear()

    def show(
        self, must: Lines, cannot: Lines, drawn: str, colors: list[str], screen: Screen
    ) -> None:
        """Draw all lines, unless they are drawn already.

        `drawn`: A value of `ccviz.views.frames.links.LINKS_DRAWN`. `colors`: ``#rrggbb`` of
        must-links and of cannot-links.
        """
        seen = max(opacity(each, drawn).max(initial=0.0) for each in (must, cannot))
        self._layer.fade(_SHARE * float(seen))
        is_drawn = self._frames is not None and all(
            np.array_equal(getattr(one, end), getattr(other, end))
            for one, other in zip(self._frames, (must, cannot), strict=True)
            for end in _ENDS
        )
        if not is_drawn:
            self._frames = must, cannot
            self.redraw(colors, screen)

    def redraw(self, colors: list[str], screen: Screen) -> None:
        """Draw the lines of the part in view."""
        if self._frames is not None:
            self._layer.show(*along(self._frames, screen), colors, screen)


def along(frames: tuple[Lines, ...], screen: Screen) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return places along the parts of lines that a screen shows, and which frame's they are."""
    start, step, kind = _in_view(frames, screen)
    some = rows_of(len(kind), _SAMPLED)
    steps = min(_STEPS, _PLACES // max(1, len(some)))
    share = (np.arange(steps) + 0.5) / steps
    at = start[:, some, None] + share * step[:, some, None]
    return at[0].ravel(), at[1].ravel(), np.repeat(kind[some], steps)


def _in_view(frames: tuple[Lines, ...], screen: Screen) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return (2, m) starts and lengths of the lines in view, and the frame of each line.

    The part of a line between two sides of a screen is an interval of it (Liang and Barsky 1984).
    """
    start = np.stack([np.concatenate([getattr(f, end) for f in frames]) for end in ("x0", "y0")])
    stop = np.stack([np.concatenate([getattr(f, end) for f in frames]) for end in ("x1", "y1")])
    kind = np.repeat(np.arange(len(frames)), [len(f.x0) for f in frames])
    step = stop - start
    sides = np.array([screen.x_range, screen.y_range])
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = (sides[:, :, None] - start[:, None]) / step[:, None]
    still = (step == 0)[:, None]
    inside = ((start >= sides[:, :1]) & (start <= sides[:, 1:]))[:, None]
    meets = np.where(still, np.where(inside, [[[-np.inf], [np.inf]]], np.inf), meets)
    enters = np.maximum(meets.min(axis=1).max(axis=0), 0.0)
    leaves = np.minimum(meets.max(axis=1).min(axis=0), 1.0)
    seen = enters < leaves
    enters, leaves = enters[seen], leaves[seen]
    first, length = start[:, seen], step[:, seen]
    return first + enters * length, (leaves - enters) * length, kind[seen]


# --- The decisions of a tree's node, laid over the scatter plot -----------------------------------


_ENDS = ("x0", "y0", "x1", "y1")
_ROUND = ("x", "y", "across")
_DASHES = ("solid", [8, 5])


class DecisionsOverlay:
    """Draws what a node's path decided on a figure of another class.

    Pairs put together and places with a centre are solid, pairs kept apart and places without one
    are dashed.
    """

    def __init__(self, plot: Any, look: Look) -> None:
        self._sources = [ColumnDataSource({end: [] for end in _ENDS}) for _ in range(2)]
        self._glyphs = [
            plot.segment(*_ENDS, source=source, line_width=3.5, line_dash=dash, line_alpha=0.9)
            for source, dash in zip(self._sources, _DASHES, strict=True)
        ]
        # Ellipses, for their sizes are in the units of the axes, which differ on the screen.
        self._round = [ColumnDataSource({name: [] for name in _ROUND}) for _ in range(2)]
        self._rings = [
            plot.ellipse(
                "x", "y", "across", "across", source=source, fill_color=None, line_width=2.5,
                line_dash=dash, line_alpha=0.9,
            )
            for source, dash in zip(self._round, _DASHES, strict=True)
        ]  # fmt: skip
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        for glyph in (*self._glyphs, *self._rings):
            glyph.glyph.line_color = look.mark

    def show(
        self,
        together: Lines | None,
        apart: Lines | None,
        taken: Circles | None = None,
        empty: Circles | None = None,
    ) -> None:
        """Draw the decisions of a node, or none."""
        for source, lines in zip(self._sources, (together, apart), strict=True):
            refill(source, **{end: [] if lines is None else getattr(lines, end) for end in _ENDS})
        for source, circles in zip(self._round, (taken, empty), strict=True):
            if circles is None:
                refill(source, **{name: [] for name in _ROUND})
            else:
                refill(source, x=circles.x, y=circles.y, across=2.0 * circles.radius)
