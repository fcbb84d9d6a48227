"""The plots of a penalty sweep: agreement or time against p, one a noise rate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bokeh.embed import file_html
from bokeh.layouts import gridplot
from bokeh.models import BoxAnnotation
from bokeh.plotting import figure
from bokeh.resources import INLINE

from ccviz.studies.sweep import Curve, common_range
from ccviz.views.palette import LIGHT


def sweep_plots(found: Sequence[Curve]) -> Any:
    """Return a grid of plots of the mean ARI, three a row.

    The range of good penalties is shaded, darker where it is good at every noise rate.
    """
    shared = common_range(found)
    plots = [_plot(curve, shared) for curve in found]
    for plot in plots[1:]:
        plot.x_range = plots[0].x_range
    return gridplot(plots, ncols=3, width=300, height=230, toolbar_location=None)


def _plot(curve: Curve, shared: tuple[float, float] | None) -> Any:
    plot = figure(
        title=f"noise q = {curve.noise:g}", x_axis_label="penalty p", y_axis_label="mean ARI"
    )
    for span, alpha in ((curve.good_range, 0.15), (shared, 0.35)):
        if span is not None:
            shade = BoxAnnotation(
                left=span[0], right=span[1], fill_color=LIGHT.mark, fill_alpha=alpha
            )
            plot.add_layout(shade)
    plot.line(curve.p, curve.ari, line_color=LIGHT.ink)
    plot.scatter(curve.p, curve.ari, size=3, color=LIGHT.ink)
    return plot


def save_sweep(found: Sequence[Curve], path: str | Path) -> None:
    """Write the plots as one HTML file that needs nothing else."""
    page = file_html(sweep_plots(found), INLINE, "Penalty sweep")
    Path(path).write_text(page, encoding="utf-8")
