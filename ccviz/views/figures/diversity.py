"""How different the members of a population are, by generation."""

from __future__ import annotations

from ccviz.views.figures.base import stand_on_zero
from ccviz.views.figures.series import Series, SeriesFigure
from ccviz.views.palette import Look


class DiversityFigure(SeriesFigure):
    """Draws the diversity of `ccviz.views.frames.population.Population`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "diversity",
            "generation",
            [Series("diversity", "diversity", "mark")],
            x_label="generation",
            y_label="diversity",
            tooltips=[("generation", "@generation"), ("diversity", "@diversity{0.0000}")],
        )
        stand_on_zero(self.plot, list(self._lines.values()), top=0.01)
        self.plot.xaxis.ticker.min_interval = 1
