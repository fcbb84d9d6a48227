"""The penalty sweep of Baumann and Hochbaum (2022), section 5, on data sets at hand.

    python benchmarks/soft_sweep.py [--bench DIR] [--seeds 6] [--sets Iris ...] [--sixty Iris ...]

Links are random pairs, as many as all pairs of 10 % of the points have, of which a share q has the
wrong kind. 24 of the paper's 25 sets (soybean cannot be had), ten penalties where it has 60, and a
limit on each assignment: the best found counts. The rows go to results/soft_sweep.csv and the
script goes on where it stopped; ``--sets`` takes more seeds on some sets only. What they add up to,
each set once, goes to results/soft_sweep_best.csv, each set by itself to
results/soft_sweep_sets.csv, the nine plots to results/soft_sweep.png. ``--sixty`` has the paper's
whole grid of penalties instead, on the sets named, and writes results/soft_grid.csv and .png.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from _cpu_clock import count_cpu_seconds  # noqa: E402
from _profiles import photograph  # noqa: E402
from bokeh.embed import file_html  # noqa: E402
from bokeh.resources import INLINE  # noqa: E402
from papers_soft import SETS, dataset  # noqa: E402
from soft_published import BENCH, RESULTS  # noqa: E402

from ccviz.studies.sweep import PENALTIES as SIXTY  # noqa: E402
from ccviz.studies.sweep import (  # noqa: E402
    Curve,
    SweepRow,
    append_row,
    common_range,
    curves,
    read_rows,
    sweep,
)
from ccviz.views.figures.sweep import sweep_plots  # noqa: E402

PENALTIES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.95)


def summary(found: list[Curve]) -> list[dict[str, object]]:
    """Return one row a noise rate."""
    rows = []
    for curve in found:
        best = int(curve.ari.argmax())
        low, high = curve.good_range
        rows.append(
            {
                "noise": curve.noise,
                "best_p": curve.p[best],
                "best_ari": round(curve.ari[best], 3),
                "good_from": low,
                "good_to": high,
                "best_in_0.1_to_0.3": bool(0.1 <= curve.p[best] <= 0.3),
                "good_meets_0.1_to_0.3": bool(low <= 0.3 and high >= 0.1),
                "cpu_s_per_run": round(curve.time_s.mean(), 3),
            }
        )
    return rows


def set_by_set(rows: list[SweepRow]) -> list[dict[str, object]]:
    """Return the best p, its mean ARI and that without links, a row a set and noise rate."""
    return [
        {
            "dataset": name,
            "noise": curve.noise,
            "p": curve.p[best],
            "ari": round(float(curve.ari[best]), 3),
            "ari at p = 0": round(float(curve.ari[0]), 3),
        }
        for name in SETS
        for curve in curves(row for row in rows if row.dataset == name)
        for best in (int(curve.ari.argmax()),)
    ]


def write(name: str, rows: list[dict[str, object]]) -> None:
    """Write a table."""
    with (RESULTS / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def by_set(rows: list[SweepRow]) -> list[SweepRow]:
    """Return the means over seeds, so that a set with more of them counts no more."""
    cells: dict[tuple[str, float, float], list[SweepRow]] = {}
    for row in rows:
        cells.setdefault((row.dataset, row.noise, row.p), []).append(row)
    return [
        replace(each[0], ari=fmean(row.ari for row in each), time_s=fmean(r.time_s for r in each))
        for each in cells.values()
    ]


def take_picture(found: list[Curve], picture: Path) -> None:
    """Draw the plots and photograph them."""
    photograph(file_html(sweep_plots(found), INLINE, "Penalty sweep"), picture, 960, 700)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--step-limit", type=float, default=0.3)
    parser.add_argument("--sixty", nargs="+", choices=SETS, help="sets for the paper's grid")
    count_cpu_seconds()
    asked = parser.parse_args()
    if asked.sixty:
        found = curves(measure("soft_grid", asked.sixty, SIXTY, asked))
        take_picture(found, RESULTS / "soft_grid.png")
        return
    rows = by_set(measure("soft_sweep", asked.sets, PENALTIES, asked))
    found = curves(rows)
    best = summary(found)
    write("soft_sweep_best.csv", best)
    write("soft_sweep_sets.csv", set_by_set(rows))
    print(*best, sep="\n")
    print("good at every noise rate:", common_range(found))
    take_picture(found, RESULTS / "soft_sweep.png")


def measure(
    name: str, sets: Sequence[str], penalties: Sequence[float], asked: argparse.Namespace
) -> list[SweepRow]:
    """Run what the table lacks, and return all its rows."""
    table = RESULTS / f"{name}.csv"
    datasets = [replace(dataset(each, asked.bench), name=each) for each in sets]
    rows = read_rows(table)
    for seed in range(asked.seeds):
        for row in sweep(
            datasets,
            penalties=penalties,
            seeds=(seed,),
            step_limit=asked.step_limit,
            done=tuple(rows),
        ):
            append_row(table, row)
            rows.append(row)
    return rows


if __name__ == "__main__":
    main()
