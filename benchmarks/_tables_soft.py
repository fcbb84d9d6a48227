"""The tables of Baumann and Hochbaum (2022) beside ours."""

from __future__ import annotations

import statistics

from _cells import NO_TIME, NOT_HAD, Rows, column, mean, owing, read, spread, table
from papers_soft import SETS
from printed import BROKEN, SECONDS

METHODS = (("bh-kmeans", "bh"), ("dils", "dils"), ("k-means", "kmeans"))
LIMIT_S = 5
DRAWS = 6
RUNS = 75
"""Runs of the printed sums of tables 4 and 5."""
PRINTED_MEAN = "Mean"
"""The printed mean is of 25 sets; ours is of those that can be had."""


def values(published: Rows, value: str) -> str:
    """Return table 2 (``ari``) or 3 (``wcss``), and the means of the sets that we have."""
    digits = 3 if value == "ari" else 1
    done = {method: by_cell(method) for method, _ in METHODS}
    rows, means, missing = [], [], 0
    for row in published:
        dataset, fraction = row["dataset"], row["fraction_pct"]
        if dataset == PRINTED_MEAN:
            continue
        cells = [dataset, f"{fraction} %"]
        for method, printed in METHODS:
            own = [float(each[value]) for each in done[method].get((dataset, fraction), [])]
            missing += max(DRAWS - len(own), 0) if dataset in SETS else 0
            cells += [row[f"{value}_{printed}"]]
            cells += [spread(own, digits) if dataset in SETS else NOT_HAD]
        rows.append(cells)
    for fraction in dict.fromkeys(row["fraction_pct"] for row in published):
        own_rows = [
            row for row in published if row["fraction_pct"] == fraction and row["dataset"] in SETS
        ]
        cells = [f"Mean of {len(own_rows)}", f"{fraction} %"]
        for method, printed in METHODS:
            both = (
                [float(row[f"{value}_{printed}"]) for row in own_rows],
                [
                    statistics.mean(float(each[value]) for each in cell)
                    for row in own_rows
                    if (cell := done[method].get((row["dataset"], fraction)))
                ],
            )
            cells += [f"{statistics.mean(side):.{digits}f}" for side in both]
        means.append(cells)
    header = ("set", "links", "BH-kmeans", "ours", "DILS", "ours", "k-means", "ours")
    return owing(table(header, rows + means), "papers_soft.py", missing, LIMIT_S)


def by_cell(method: str) -> dict[tuple[str, str], Rows]:
    """Return the draws of a method by set and share of links."""
    cells: dict[tuple[str, str], Rows] = {}
    for row in read("papers_soft", links="drawn", method=method):
        cells.setdefault((row["dataset"], row["fraction_pct"]), []).append(row)
    return cells


def totals() -> str:
    """Return tables 4 and 5: broken links and seconds, means of a run."""
    rows = []
    for fraction, printed in BROKEN.items():
        cells: list[object] = [f"{fraction} %"]
        for place, (method, _) in enumerate(METHODS):
            own = read("papers_soft", links="drawn", method=method, fraction_pct=fraction)
            cells += [f"{printed[place] / RUNS:.2f}", mean(own, "broken", 2)]
            cells += [f"{SECONDS[fraction][place] / RUNS:.1f}", mean(own, "cpu_s", 2), len(own)]
        rows.append(cells)
    header = ["links"]
    for name in ("BH-kmeans", "DILS", "k-means"):
        header += [f"{name}, broken", "ours", "s", "ours", "our runs"]
    return table(header, rows)


def penalty() -> str:
    """Return the best penalty by the share of wrong links, and how it varies with the seed."""
    rows = read("soft_sweep")
    seeds = sorted({row["seed"] for row in rows})
    repeated = repeated_sets()
    groups = [[row for row in rows if row["seed"] == "0"]]
    if seeds[1:]:
        quick = [row for row in rows if row["dataset"] in repeated]
        groups += [[row for row in quick if row["seed"] == seed] for seed in seeds]
    lines = [
        [f"{100 * noise:.0f} %", *(f"{best_penalty(each, noise):g}" for each in groups)]
        for noise in sorted({float(row["noise"]) for row in rows})
    ]
    sets = len({row["dataset"] for row in rows})
    header = ["wrong links", f"best p: {sets} sets, seed 0"]
    header += [f"{len(repeated)} sets, seed {seed}" for seed in seeds if seeds[1:]]
    return table(header, lines)


def repeated_sets() -> set[str]:
    """Return the sets that have every seed of the sweep."""
    rows = read("soft_sweep")
    last = max((row["seed"] for row in rows), default="0")
    return {row["dataset"] for row in rows if row["seed"] == last}


def single_minutes() -> str:
    """Return the CPU minutes that one more seed of the other sets takes."""
    repeated = repeated_sets()
    left = [row for row in read("soft_sweep") if row["dataset"] not in repeated]
    return f"{sum(column(left, 'time_s')) / 60:.0f}"


def best_penalty(rows: Rows, noise: float) -> float:
    """Return the penalty of the highest mean ARI at a share of wrong links."""
    by_p: dict[float, list[float]] = {}
    for row in rows:
        if float(row["noise"]) == noise:
            by_p.setdefault(float(row["p"]), []).append(float(row["ari"]))
    return max(by_p, key=lambda p: statistics.mean(by_p[p]))


def authors() -> str:
    """Return BH-kmeans on the authors' own link sets."""
    rows = [
        (row["dataset"], f"{row['fraction_pct']} %", row["ari"], row["wcss"], row["broken"])
        for row in read("papers_soft", links="authors")
    ]
    text = table(("set", "links", "ARI", "WCSS", "broken"), rows) if rows else f"{NO_TIME}\n"
    return owing(text, "papers_soft.py --authors", 8 - len(rows), LIMIT_S)
