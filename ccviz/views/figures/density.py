"""Very many points as a picture: each pixel takes the colours of the points that fall on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.lab.picker import Screen

DENSE_FROM = 10_000
"""More points than this are drawn as a picture; the browser never gets them."""

_MOST_SPREAD_PX = 3
_FAINTEST = 90


class DensityLayer:
    """An image in a figure, made anew for what the figure shows."""

    def __init__(self, plot: Any) -> None:
        self._source = ColumnDataSource({name: [] for name in ("image", "x", "y", "dw", "dh")})
        plot.image_rgba(
            "image", x="x", y="y", dw="dw", dh="dh", source=self._source, name="density"
        )

    @property
    def is_drawn(self) -> bool:
        """Whether there is a picture."""
        return len(self._source.data["image"]) > 0

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
    """Return (height, width) uint32 RGBA: hue by cluster, depth by how many points there are."""
    # Imported here: it takes a second, and most data are small.
    import datashader
    import pandas as pd
    from datashader import transfer_functions

    table = pd.DataFrame(
        {"x": x, "y": y, "label": pd.Categorical(labels, categories=range(len(colors)))}
    )
    canvas = datashader.Canvas(
        max(1, round(screen.width)), max(1, round(screen.height)), screen.x_range, screen.y_range
    )
    counts = canvas.points(table, "x", "y", datashader.count_cat("label"))
    image = transfer_functions.shade(
        counts, color_key=colors, how="eq_hist", min_alpha=_FAINTEST
    )  # fmt: skip
    return np.array(transfer_functions.dynspread(image, max_px=_MOST_SPREAD_PX).data)
