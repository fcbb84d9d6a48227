"""Primal and dual residuals of a splitting method, on a logarithmic axis."""

from __future__ import annotations

from ccviz.views.figures.series import Series, SeriesFigure
from ccviz.views.palette import Look


class ResidualsFigure(SeriesFigure):
    """Draws `ccviz.views.frames.residuals.Residuals`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "residuals",
            "iteration",
            [
                Series("primal", "primal residual", "upper"),
                Series("dual", "dual residual", "lower"),
                Series("rho", "ρ", "faint", "dotted"),
            ],
            x_label="iteration",
            log=True,
            tooltips=[
                ("iteration", "@iteration"),
                ("primal, dual", "@primal{0.0e+0}, @dual{0.0e+0}"),
                ("ρ", "@rho{0.0e+0}"),
                ("off 0 and 1", "@fractional{0.000}"),
                ("broken links", "@violations"),
            ],
            extra=("fractional", "violations"),
        )
