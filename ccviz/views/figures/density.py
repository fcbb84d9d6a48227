"""Very many points as a picture: each pixel takes the colours of the points that fall on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource
from scipy.ndimage import convolve

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.lab.picker import Screen

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

        Parameters
        ----------
        x, y : (n,) float
        labels : (n,) int
            Colours, from 0.
        colors : list of str
        screen : Screen
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

    Parameters
    ----------
    x, y : (n,) float
    labels : (n,) int
    colors : list of str
        ``#rrggbb`` for each label.
    screen : Screen

    Returns
    -------
    (height, width) uint32, low rows first
    """
    shape = max(1, round(screen.height)), max(1, round(screen.width))
    pixel, shown = _pixels(x, y, screen, shape)
    tint = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in colors], float)
    tint, pixels = tint[labels[shown]], shape[0] * shape[1]
    counts = np.bincount(pixel, minlength=pixels).reshape(shape).astype(float)
    sums = [np.bincount(pixel, channel, pixels).reshape(shape) for channel in tint.T]
    reach = _reach(int(np.count_nonzero(counts)), pixels)
    if reach:
        counts, *sums = (convolve(each, _disc(reach), mode="constant") for each in (counts, *sums))
    image = np.zeros((*shape, 4), dtype=np.uint8)
    taken = counts > 0
    for channel, total in enumerate(sums):
        image[taken, channel] = np.rint(total[taken] / counts[taken])
    image[taken, 3] = _depth(counts[taken])
    return image.view(np.uint32)[:, :, 0]


def in_view(x: FloatArray, y: FloatArray, screen: Screen) -> np.ndarray:
    """Return (n,) bool: the points that a screen shows.

    Parameters
    ----------
    x, y : (n,) float
    screen : Screen
    """
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


def _reach(taken: int, pixels: int) -> int:
    """Return by how many pixels a point spreads: as far as most of the picture stays free."""
    room = _SHARE_TAKEN * pixels / max(taken, 1)
    return min(_MOST_SPREAD_PX, int(np.sqrt(room) / 2))


def _disc(reach: int) -> np.ndarray:
    across = np.arange(-reach, reach + 1)
    return (across[:, None] ** 2 + across**2 <= reach**2).astype(float)


def _depth(counts: FloatArray) -> FloatArray:
    """Return how little can be seen through each pixel, by the rank of its count."""
    known, place = np.unique(np.rint(counts), return_inverse=True)
    share = np.cumsum(np.bincount(place)) / len(counts)
    return _FAINTEST + (255 - _FAINTEST) * (
        share[place] if len(known) > 1 else np.ones(len(counts))
    )
