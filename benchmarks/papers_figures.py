"""The papers' figures from our tables, as pictures: `results/papers_*.png`.

Piccialli et al., figures 1 to 3 (boxplots of the seconds of branch and cut, of must-links,
cannot-links and both), figure 4 (gaps of the heuristics); Baumann and Hochbaum, figure 2 (seconds
by penalty and noise); Babaki et al., figure 1 (seconds by the number of links); Bibi et al., figure
2 and figures 1 to 4 of the supplement (ℓp-box converging on wine, run here), figure 3 (ever more
links of one kind). A picture whose table is not there yet is left out. The other figures are drawn
by the scripts that measure them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
from _cells import chosen, kind_of
from _profiles import photograph
from _runner import RESULTS, Rows, parse, results
from _tables_heuristics import gap
from bokeh.embed import file_html
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource, FixedTicker, LinearColorMapper, Whisker
from bokeh.palettes import Colorblind8
from bokeh.plotting import figure
from bokeh.resources import INLINE
from lp_box import problems, scaled

from ccviz import start
from ccviz.events import ResidualsUpdated
from ccviz.solvers import make_solver

KINDS = {"ML": "must-links", "CL": "cannot-links", "both": "both kinds"}
LEAST_GAP = 1e-5
"""Where a logarithmic axis shows what is no gap at all; the published optima have six digits."""


def main() -> None:
    parse(__doc__)
    cuts, heuristics = results("sdp_published"), results("papers_exact", part="heuristics")
    save("papers_seconds", [seconds_of(cuts, kind) for kind in KINDS], 3)
    if heuristics:
        names = list(dict.fromkeys(row["method"] for row in heuristics))
        save("papers_gaps", [gaps_of(heuristics, name) for name in names], 2)
    once = [row for row in results("soft_sweep") if row["seed"] == "0"]
    save("papers_penalty_seconds", by_noise(once), 3)
    save("papers_columns_seconds", [seconds_by_links(k) for k in ("3", "5")], 2)
    save("papers_convergence", [*convergence("none"), *convergence("both")], 1 + len(SHOWN))
    more = results("papers_rivals", part="more")
    if more:
        sets = dict.fromkeys(row["dataset"] for row in more)
        save("papers_more_links", [more_links(more, name) for name in sets], 2)


def save(name: str, plots: Sequence[Any], columns: int) -> None:
    page = file_html(gridplot(list(plots), ncols=columns, toolbar_location=None), INLINE, name)
    width = sum(plot.width for plot in plots[:columns]) + 20
    photograph(
        page, RESULTS / f"{name}.png", width, 20 + plots[0].height * -(-len(plots) // columns)
    )


def seconds_of(rows: Rows, kind: str) -> Any:
    groups = by_dataset([row for row in rows if kind_of(row) == kind], "cpu_s", 0.0)
    return boxes(f"sdp, {KINDS[kind]}", groups, "CPU seconds")


def gaps_of(rows: Rows, method: str) -> Any:
    own = [row | {"gap": str(gap(row))} for row in rows if row["method"] == method]
    groups = by_dataset(own, "gap", LEAST_GAP)
    plot = boxes(method, groups, "gap to the optimum")
    plot.y_range.start, plot.y_range.end = 0.7 * LEAST_GAP, 1.0
    return plot


def by_dataset(rows: Rows, column: str, least: float) -> dict[str, list[float]]:
    """Return the finite values of each set, raised to the least that is shown."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        value = float(row[column])
        if math.isfinite(value):
            groups.setdefault(row["dataset"], []).append(max(value, least))
    return groups


def boxes(title: str, groups: dict[str, list[float]], label: str) -> Any:
    """Return boxplots: quartiles, whiskers to the extremes, a line at the median."""
    names = list(groups)
    low, first, middle, third, high = (
        [float(np.quantile(values, share)) for values in groups.values()]
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    plot = figure(
        title=title, width=420, height=320, x_range=names, y_axis_type="log", y_axis_label=label,
        y_range=(0.7 * min(low), 1.4 * max(high)),
    )  # fmt: skip
    source = ColumnDataSource({"name": names, "low": low, "high": high})
    plot.add_layout(Whisker(source=source, base="name", lower="low", upper="high"))
    plot.vbar(names, 0.6, top=third, bottom=first, fill_color="#b8d4ea", line_color="black")
    for name, value in zip(names, middle, strict=True):
        plot.segment([(name, -0.3)], [value], [(name, 0.3)], [value], color="black", line_width=2)
    plot.xaxis.major_label_orientation = 0.9
    return plot


def line(plot: Any, groups: dict[float, list[float]], **looks: Any) -> None:
    """Draw the means of groups over their numbers."""
    at = sorted(groups)
    means = [statistics.mean(groups[number]) for number in at]
    plot.line(at, means, line_width=2, **looks)
    plot.scatter(at, means, size=6, color=looks.get("color", Colorblind8[0]))


def grouped(rows: Rows, by: str, value: str) -> dict[float, list[float]]:
    groups: dict[float, list[float]] = {}
    for row in rows:
        groups.setdefault(float(row[by]), []).append(float(row[value]))
    return groups


def by_noise(rows: Rows) -> list[Any]:
    """Return the mean seconds of a run by penalty, a plot for each share of wrong links."""
    plots = []
    for noise in dict.fromkeys(row["noise"] for row in rows):
        plot = figure(
            title=f"noise q = {float(noise):g}", width=300, height=230,
            x_axis_label="penalty p", y_axis_label="CPU s a run",
        )  # fmt: skip
        line(plot, grouped(chosen(rows, noise=noise), "p", "time_s"))
        plots.append(plot)
    return plots


def seconds_by_links(k: str) -> Any:
    """Return the mean seconds of column generation on iris, from our start and COP-k-means'."""
    plot = figure(
        title=f"iris, k = {k}", width=420, height=320, y_axis_type="log",
        x_axis_label="links", y_axis_label="CPU seconds",
    )  # fmt: skip
    starts = {"our start": "own", "COP-k-means × 500": "start"}
    for color, (name, part) in zip(Colorblind8, starts.items(), strict=False):
        own = results("papers_columns", part=part, case="iris", k=k)
        line(plot, grouped(own, "links", "cpu_s"), color=color, legend_label=name)
    return plot


SHOWN = (0.0, 0.1, 0.3, 1.0)
"""When x is shown, as shares of the iterations."""


def convergence(variant: str) -> list[Any]:
    """Return the objective of ℓp-box on wine by iteration, and x at some iterations."""
    X, truth = scaled("Wine")
    order = np.argsort(truth, kind="stable")
    (problem,) = problems(X[order], truth[order], variant, 20, 1)
    run = start(problem, make_solver("lp-box", start="random", show_every=1))
    steps = [r.event for r in run if isinstance(r.event, ResidualsUpdated)]
    curve = figure(
        title=f"wine, {'no constraints' if variant == 'none' else 'sizes, 20 + 20 links'}",
        width=330, height=230, x_axis_label="iteration", y_axis_label="objective",
    )  # fmt: skip
    curve.line([step.iteration + 1 for step in steps], [step.objective for step in steps])
    plots = [curve]
    for share in SHOWN:
        step = steps[round(share * (len(steps) - 1))]
        picture = figure(
            title=f"x, iteration {step.iteration + 1}, {step.violations} broken",
            width=230, height=230, x_range=(0, problem.n), y_range=(0, problem.k),
        )  # fmt: skip
        picture.image(
            [step.x.T], x=0, y=0, dw=problem.n, dh=problem.k,
            color_mapper=LinearColorMapper("Greys256", low=1.0, high=0.0),
        )  # fmt: skip
        picture.yaxis.visible = False
        plots.append(picture)
    return plots


def more_links(rows: Rows, dataset: str) -> Any:
    """Return the mean ARI by the number of links, a curve for each kind."""
    plot = figure(
        title=f"ℓp-box with sizes, {dataset}", width=420, height=320,
        x_axis_label="links", y_axis_label="ARI, %",
    )  # fmt: skip
    for color, kind in zip(Colorblind8, ("must-links", "cannot-links"), strict=False):
        own = [
            row | {"count": row["case"].partition(" ")[0]}
            for row in chosen(rows, dataset=dataset)
            if row["case"].endswith(f" {kind}") and row["ari"]
        ]
        line(plot, grouped(own, "count", "ari"), color=color, legend_label=kind)
    plot.xaxis.ticker = FixedTicker(ticks=[0, 20, 40, 60, 80])
    plot.legend.location = "bottom_right"
    return plot


if __name__ == "__main__":
    main()
