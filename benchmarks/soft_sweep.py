"""The penalty sweep of Baumann and Hochbaum (2022), section 5, on data sets at hand.

Links are random pairs, as many as all pairs of 10 % of the points have, of which a share q has the
wrong kind. 24 of the paper's 25 sets (soybean cannot be had), ten penalties where it has 60, and a
limit on each assignment: the best found counts. The rows go to results/soft_sweep.csv; ``--sets``
takes more seeds on some sets only. What they add up to, each set once, goes to
results/soft_sweep_best.csv, each set by itself to results/soft_sweep_sets.csv, the nine plots to
results/soft_sweep.png. ``--sixty`` has the paper's whole grid of penalties instead, on the sets
named, and writes results/soft_grid.csv and .png.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import _runner as runner
from _profiles import photograph
from bokeh.embed import file_html
from bokeh.resources import INLINE
from papers_soft import SETS, dataset

from ccviz.studies.suite import RowFile
from ccviz.studies.sweep import PENALTIES as SIXTY
from ccviz.studies.sweep import Curve, SweepRow, common_range, curves, sweep
from ccviz.views.figures.curves import sweep_plots

PENALTIES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.95)


def by_set(rows: list[SweepRow]) -> list[SweepRow]:
    """Return the means over seeds, so that a set with more of them counts no more."""
    cells: dict[tuple[str, float, float], list[SweepRow]] = {}
    for row in rows:
        cells.setdefault((row.dataset, row.noise, row.p), []).append(row)
    return [
        replace(each[0], ari=fmean(row.ari for row in each), time_s=fmean(r.time_s for r in each))
        for each in cells.values()
    ]


def summary(found: list[Curve]) -> list[dict[str, object]]:
    rows = []
    for curve in found:
        best, (low, high) = int(curve.ari.argmax()), curve.good_range
        rows.append(
            {
                "noise": curve.noise, "best_p": curve.p[best],
                "best_ari": round(curve.ari[best], 3), "good_from": low, "good_to": high,
                "best_in_0.1_to_0.3": bool(0.1 <= curve.p[best] <= 0.3),
                "good_meets_0.1_to_0.3": bool(low <= 0.3 and high >= 0.1),
                "cpu_s_per_run": round(curve.time_s.mean(), 3),
            }
        )  # fmt: skip
    return rows


def set_by_set(rows: list[SweepRow]) -> list[dict[str, object]]:
    """Return the best p, its mean ARI and that without links, a row a set and noise rate."""
    found = []
    for name in SETS:
        for curve in curves(row for row in rows if row.dataset == name):
            best = int(curve.ari.argmax())
            aris = [round(float(curve.ari[at]), 3) for at in (best, 0)]
            row = {"dataset": name, "noise": curve.noise, "p": curve.p[best]}
            found.append(row | {"ari": aris[0], "ari at p = 0": aris[1]})
    return found


def measure(name: str, sets: Sequence[str], options: Namespace) -> list[SweepRow]:
    """Run what the table lacks, and return all its rows."""
    table = RowFile(runner.RESULTS / f"{name}.csv", SweepRow)
    penalties = SIXTY if options.sixty else PENALTIES
    for seed in range(0 if options.table else options.seeds):
        datasets = [replace(dataset(each), name=each) for each in sets]
        given = {"penalties": penalties, "seeds": (seed,), "step_limit": options.step_limit}
        for row in sweep(datasets, **given, done=tuple(table.rows)):
            table.add(row)
    return table.rows


def draw(name: str, rows: list[SweepRow]) -> None:
    html = file_html(sweep_plots(curves(rows)), INLINE, "Penalty sweep")
    photograph(html, runner.RESULTS / f"{name}.png", 960, 700)


def main() -> None:
    options = runner.parse(__doc__, seeds=6, sets=SETS, step_limit=0.3, sixty=[str], table=False)
    runner.count_cpu_seconds()
    if options.sixty:
        draw("soft_grid", measure("soft_grid", options.sixty, options))
        return
    rows = by_set(measure("soft_sweep", options.sets, options))
    runner.write_rows(runner.RESULTS / "soft_sweep_best.csv", summary(curves(rows)))
    runner.write_rows(runner.RESULTS / "soft_sweep_sets.csv", set_by_set(rows))
    print(*summary(curves(rows)), sep="\n")
    print("good at every noise rate:", common_range(curves(rows)))
    draw("soft_sweep", rows)


if __name__ == "__main__":
    main()
