"""The tables of Baumann and Hochbaum (2022) beside ours."""

from __future__ import annotations

import statistics

from _cells import NOT_HAD, chosen, column, mean, owing, spread
from _runner import RESULTS, Rows, markdown, results
from papers_soft import SETS
from printed import BROKEN, SECONDS
from soft_sweep import by_set

from ccviz.studies.suite import RowFile
from ccviz.studies.sweep import SweepRow, common_range, curves

METHODS = (("bh-kmeans", "bh"), ("dils", "dils"), ("k-means", "kmeans"))
LIMIT_S = 5
DRAWS = 6
RUNS = 75
"""Runs of the printed sums of tables 4 and 5."""
HEADLINE = 0.2
"""A penalty of those that the paper finds good at every share of wrong links, 0.18 to 0.20."""
PRINTED_MEAN = "Mean"
"""The printed mean is of 25 sets; ours is of those that can be had."""


def values(published: Rows, value: str) -> str:
    """Return table 2 (``ari``) or 3 (``wcss``): the printed mean, and those of the sets we have."""
    digits = 3 if value == "ari" else 1
    done = {method: by_cell(method) for method, _ in METHODS}
    rows, means, missing = [], [], 0
    for row in published:
        dataset, fraction = row["dataset"], row["fraction_pct"]
        cells, had = [dataset, f"{fraction} %"], dataset in SETS
        for method, printed in METHODS:
            own = [float(each[value]) for each in done[method].get((dataset, fraction), [])]
            missing += max(DRAWS - len(own), 0) if had else 0
            cells += [row[f"{value}_{printed}"]]
            cells += [spread(own, digits) if had else "-" if dataset == PRINTED_MEAN else NOT_HAD]
        cells += [row["wcss_truth"]] if value == "wcss" else []
        (means if dataset == PRINTED_MEAN else rows).append(cells)
    for cells in means:
        cells[0] = "Mean of 25"
    for fraction in dict.fromkeys(row["fraction_pct"] for row in published):
        had_rows = [
            row for row in chosen(published, fraction_pct=fraction) if row["dataset"] in SETS
        ]
        cells = [f"Mean of {len(had_rows)}", f"{fraction} %"]
        for method, printed in METHODS:
            found = [done[method].get((row["dataset"], fraction)) for row in had_rows]
            ours = [statistics.mean(column(each, value)) for each in found if each]
            theirs = column(had_rows, f"{value}_{printed}")
            cells += [f"{statistics.mean(side):.{digits}f}" for side in (theirs, ours)]
        if value == "wcss":
            cells += [f"{statistics.mean(column(had_rows, 'wcss_truth')):.1f}"]
        means.append(cells)
    header = ["set", "links", "BH-kmeans", "ours", "DILS", "ours", "k-means", "ours"]
    header += ["the classes, printed"] if value == "wcss" else []
    return owing(markdown(header, rows + means), "papers_soft.py", missing, LIMIT_S)


def by_cell(method: str) -> dict[tuple[str, str], Rows]:
    """Return the runs of a method by set and share of links."""
    cells: dict[tuple[str, str], Rows] = {}
    for row in results("papers_soft", method=method):
        cells.setdefault((row["dataset"], row["fraction_pct"]), []).append(row)
    return cells


def totals() -> str:
    """Return tables 4 and 5: broken links and seconds, means of a run."""
    rows = []
    for fraction, printed in BROKEN.items():
        cells: list[object] = [f"{fraction} %"]
        for place, (method, _) in enumerate(METHODS):
            own = results("papers_soft", method=method, fraction_pct=fraction)
            cells += [f"{printed[place] / RUNS:.2f}", mean(own, "broken", 2)]
            cells += [f"{SECONDS[fraction][place] / RUNS:.1f}", mean(own, "cpu_s", 2), len(own)]
        rows.append(cells)
    header = ["links"]
    for name in ("BH-kmeans", "DILS", "k-means"):
        header += [f"{name}, broken", "ours", "s", "ours", "our runs"]
    return markdown(header, rows)


def penalty() -> str:
    """Return the good penalties by the share of wrong links, and how the best varies by seed."""
    rows = RowFile(RESULTS / "soft_sweep.csv", SweepRow).rows
    by_seed = [
        curves(row for row in rows if row.seed == seed)
        for seed in sorted({row.seed for row in rows})
    ]
    lines = []
    for place, curve in enumerate(curves(by_set(rows))):
        best, (low, high) = int(curve.ari.argmax()), curve.good_range
        each = [found[place] for found in by_seed]
        at = (best, *(list(curve.p).index(p) for p in (HEADLINE, 0.0)))
        lines.append(
            [f"{100 * curve.noise:.0f} %", f"{curve.p[best]:g}",
             f"{low:g}" if low == high else f"{low:g} to {high:g}",
             *(spread([float(seed.ari[here]) for seed in each]) for here in at),
             ", ".join(f"{seed.p[int(seed.ari.argmax())]:g}" for seed in each)]
        )  # fmt: skip
    sets = len({row.dataset for row in rows})
    header = ["wrong links", f"best p, {sets} sets", "good p", "mean ARI at the best p",
              f"at p = {HEADLINE:g}", "at p = 0", "best p of each seed"]  # fmt: skip
    return markdown(header, lines)


def penalty_verdict() -> str:
    """Return whether the paper's headline holds here: one penalty for all rates."""
    found = curves(by_set(RowFile(RESULTS / "soft_sweep.csv", SweepRow).rows))
    good = [
        f"{100 * each.noise:.0f}" for each in found if each.is_good[list(each.p).index(HEADLINE)]
    ]
    common = common_range(found)
    every = "no p of the grid is" if common is None else f"p from {common[0]:g} to {common[1]:g} is"
    return f"p = {HEADLINE:g} is good with {', '.join(good)} % wrong links, and {every} good at all"


def sweep_seeds() -> int:
    """Return the number of seeds that every set of the sweep has."""
    seeds: dict[str, set[str]] = {}
    for row in results("soft_sweep"):
        seeds.setdefault(row["dataset"], set()).add(row["seed"])
    return min(map(len, seeds.values()))
