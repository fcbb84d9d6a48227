"""The objective over the iterations of a heuristic, which has no bound to show."""

from __future__ import annotations

from ccviz.views.figures.series import Series, SeriesFigure
from ccviz.views.palette import Look


class DescentFigure(SeriesFigure):
    """Draws `ccviz.views.frames.descent.Descent`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "objective",
            "at",
            [
                Series("best", "least so far", "lower", "dashed"),
                Series("objective", "this iteration", "upper"),
            ],
            x_label="iteration",
            tooltips=[
                ("iteration", "@at{0}"),
                ("objective", "@objective{0,0.000}"),
                ("least so far", "@best{0,0.000}"),
            ],
        )
