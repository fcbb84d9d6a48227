"""BH-kmeans on the protocol of Baumann and Hochbaum (2022), section 4, with their figures beside.

    python benchmarks/soft_published.py [--bench DIR] [--draws 3] [--seeds 3]

Standardised data, p = 1. A set of fraction f has m = c (c - 1) / 2 links with c = ceil(f n). They
can be drawn in two ways, and both are run:

- ``points``: all pairs of c random points. Most points then have no link at all.
- ``pairs``: m random pairs of all points, as section 5.1 of the paper draws them. From 15 % on
  these join nearly everything.

Only the second fits the published figures: an ARI of 1 on circles, which any two centres cut in
half, cannot come from links among 15 % of the points. (The authors' own sets for iris, public in
their repository, are random pairs too; from 10 % on every one has an end among the first 50 points,
the class that k-means finds anyway, so that their ARI and WCSS stay near those of k-means.)

Of three sets the paper has other copies than ours (see `as_the_paper_has_it`), which the printed
WCSS of the classes and of k-means give away; those sets are run on both.

The paper has one constraint set a fraction and three seeds of k-means++; which links a set holds
matters more than the seed, so here each of several draws gets each seed. Where random pairs fall
short (see `falls_short`), ten draws follow, each the best of ten starts. A run that was stopped
goes on where it was.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from ast import literal_eval
from dataclasses import replace
from itertools import product
from math import ceil, comb
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.data.datasets import Dataset, load, standardise  # noqa: E402
from ccviz.data.random_links import DrawnLinks, pairs_of_a_fraction, random_pairs  # noqa: E402

BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
RESULTS = Path(__file__).parent / "results"
TABLE = "soft_published.csv"
OTHER_COPIES = ("Iris", "Ecoli", "Glass")
SETS = ("Iris", "Wine", "Breast Cancer", "Circles", "Moons", "Spiral", "Ecoli", "Glass")
COPIES = (*((name, "bench") for name in SETS), *((name, "paper") for name in OTHER_COPIES))
WAYS = (("points", 1), ("pairs", 1), ("pairs", 10))  # how links are drawn, starts a run
MORE, MORE_DRAWS = WAYS[-1], 10
FRACTIONS = (5, 10, 15, 20)
PUBLISHED_SECONDS = 3233.8  # Table 5: all 25 sets, 300 runs; seconds of single sets are not printed
PUBLISHED_RUNS = 300
MOST_IRON = 0.51  # per cent by weight, of glass


def read(name: str, bench: Path) -> Dataset:
    """Return one of the eight sets."""
    if name in ("Iris", "Wine", "Breast Cancer"):
        return replace(load(name.lower().replace(" ", "_")), name=name)
    if name in ("Circles", "Moons", "Spiral"):
        table = np.loadtxt(bench / "toys" / f"{name.lower()}.csv", delimiter=",")
        return Dataset(name, table[:, :-1], ("x0", "x1"), table[:, -1].astype(np.int64))
    folder, file = bench / "pc-sos-sdp", f"{name.lower()}.txt"
    X = np.loadtxt(folder / "data" / file, skiprows=1)
    truth = np.loadtxt(folder / "labels" / file, dtype=np.int64)
    return Dataset(name, X, (), truth)


def as_the_paper_has_it(data: Dataset) -> Dataset:
    """Return iris, ecoli or glass as in the copy that the published figures come from.

    Iris is the copy of the UCI repository, with its two misprinted flowers. Ecoli and glass are
    KEEL's: ecoli lost its decimal points (0.49 is 49, but 0.4 is 4); glass is scaled to [0, 1] in
    three digits, but for iron, which stayed as it was and has 0.09 as 0.9 and 0.18 as 1.
    """
    X = data.X.copy()
    if data.name == "Iris":
        X[34, 3], X[37, 1:3] = 0.1, (3.1, 1.5)
    elif data.name == "Ecoli":
        X = np.array([[float(f"{value:.9g}".split(".")[-1]) for value in row] for row in X])
    elif data.name == "Glass":
        X = (1 + X) / 2
        iron = (MOST_IRON * X[:, -1]).round(2)
        X = X.round(3)
        X[:, -1] = np.select([iron == 0.09, iron == 0.18], [0.9, 1.0], iron)
    return replace(data, X=X)


def draw_links(truth: np.ndarray, fraction: int, way: str, draw: int) -> DrawnLinks:
    """Draw a constraint set."""
    if way == "points":
        return pairs_of_a_fraction(truth, fraction / 100, seed=draw)
    chosen = ceil(round(fraction / 100 * len(truth), 9))
    return random_pairs(truth, comb(chosen, 2), seed=draw)


def problem_of(data: Dataset, fraction: int, way: str, draw: int) -> Problem:
    """Return the set with soft links of weight 1."""
    links = draw_links(data.truth, fraction, way, draw)
    return Problem(
        standardise(data.X),
        len(np.unique(data.truth)),
        must_link=[(i, j, 1.0) for i, j in links.must_link.tolist()],
        cannot_link=[(i, j, 1.0) for i, j in links.cannot_link.tolist()],
        truth=data.truth,
    )


def run(problem: Problem, seed: int, starts: int) -> tuple[float, float, int, float]:
    """Return ARI, WCSS, violations and CPU seconds of a run."""
    began = time.process_time()
    result = start(problem, "bh-kmeans", seed=seed, n_init=starts).result()
    seconds = time.process_time() - began
    found = result.partition
    broken = found.violations.must_link + found.violations.cannot_link
    return found.scores["ari"], found.wcss, broken, seconds


def published(bench: Path) -> dict[tuple[str, int], dict[str, float]]:
    """Return the rows of Tables 2 and 3 by set and fraction."""
    with (bench / "bh-kmeans" / "published.csv").open() as file:
        return {
            (row["dataset"], int(row["fraction_pct"])): {
                key: float(value) for key, value in row.items() if key != "dataset"
            }
            for row in csv.DictReader(file)
        }


def within(data: Dataset) -> float:
    """Return the WCSS of the classes, standardised: the mark of a copy."""
    X = standardise(data.X)
    groups = (X[data.truth == one] for one in np.unique(data.truth))
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def cell(
    data: Dataset,
    fraction: int,
    way: tuple[str, int],
    known: dict[str, float],
    draws: int,
    seeds: int,
) -> dict[str, object]:
    """Run all draws and seeds of a set, fraction and way."""
    links, starts = way
    each = np.array(
        [
            run(problem_of(data, fraction, links, draw), seed, starts)
            for draw, seed in product(range(draws), range(seeds))
        ]
    )
    ari, wcss, broken, seconds = each.T
    by_draw = ari.reshape(draws, seeds).mean(axis=1)
    return {
        "dataset": data.name,
        "links": links,
        "starts": starts,
        "fraction_pct": fraction,
        "runs": len(each),
        "ari": round(ari.mean(), 3),
        "ari_std": round(ari.std(), 3),
        "ari_worst_draw": round(by_draw.min(), 3),
        "ari_best_draw": round(by_draw.max(), 3),
        "ari_published": known["ari_bh"],
        "ari_reached": bool(ari.mean() >= known["ari_bh"] - 0.02),
        "wcss": round(wcss.mean(), 1),
        "wcss_published": known["wcss_bh"],
        "wcss_reached": bool(wcss.mean() <= 1.01 * known["wcss_bh"]),
        "wcss_classes": round(within(data), 1),
        "wcss_classes_published": known["wcss_truth"],
        "violations": int(broken.sum()),
        "cpu_s": round(seconds.sum(), 2),
    }


def measure(bench: Path, draws: int, seeds: int) -> list[dict[str, object]]:
    """Run everything that the table does not have; one row for each set, fraction and way."""
    printed, rows = published(bench), read_rows()
    keys = ("dataset", "copy", "fraction_pct", "links", "starts")
    done = {tuple(row[key] for key in keys): row for row in rows}
    run(problem_of(read("Iris", bench), 5, "points", 0), 0, 1)  # compiles
    for (name, copy), fraction, way in product(COPIES, FRACTIONS, WAYS):
        key = (name, copy, fraction, *way)
        if key in done or (way == MORE and not falls_short(done[name, copy, fraction, "pairs", 1])):
            continue
        data = replace(read(name, bench), name=name)
        data = as_the_paper_has_it(data) if copy == "paper" else data
        numbers = (MORE_DRAWS, 1) if way == MORE else (draws, seeds)
        done[key] = {"copy": copy} | cell(data, fraction, way, printed[name, fraction], *numbers)
        rows.append(done[key])
        write(TABLE, rows)
        print(*done[key].values(), flush=True)
    return rows


def falls_short(row: dict[str, object]) -> bool:
    """Return whether a cell on the paper's copy misses a figure or leaves links broken.

    A WCSS is missed only where the ARI is no better than the published: nearer to the classes,
    whose WCSS is higher, more starts do not lower it.
    """
    loose = not row["wcss_reached"] and row["ari"] <= row["ari_published"]
    missed = not row["ari_reached"] or loose or row["violations"] > 0
    return missed and is_as_the_paper_has_it(row)


def is_as_the_paper_has_it(row: dict[str, object]) -> bool:
    """Return whether the data are those of the published figures."""
    return row["copy"] == "paper" or row["dataset"] not in OTHER_COPIES


def read_rows() -> list[dict[str, object]]:
    """Return the rows of a run that was stopped."""
    if not (RESULTS / TABLE).exists():
        return []
    with (RESULTS / TABLE).open() as file:
        words = {"links", "dataset", "copy"}
        return [
            {key: text if key in words else literal_eval(text) for key, text in row.items()}
            for row in csv.DictReader(file)
        ]


def totals(rows: list[dict[str, object]], kind: str) -> dict[str, object]:
    """Sum up some of the rows."""
    runs, seconds = (sum(row[key] for row in rows) for key in ("runs", "cpu_s"))
    return {
        "cells": kind,
        "runs": runs,
        "number": len(rows),
        "ari_reached": sum(row["ari_reached"] for row in rows),
        "wcss_reached": sum(row["wcss_reached"] for row in rows),
        "violations": sum(row["violations"] for row in rows),
        "cpu_s": round(float(seconds), 1),
        "cpu_s_per_run": round(float(seconds) / runs, 4),
        "published_s_per_run_of_25_sets": round(PUBLISHED_SECONDS / PUBLISHED_RUNS, 2),
    }


def write_page(rows: list[dict[str, object]]) -> None:
    """Put the cells of random pairs on a page, each beside the published figures."""
    head = ("set", "%", "runs", "starts", "ARI", "draws from", "to", "published", "reached")
    head += ("WCSS", "published", "reached", "broken links", "CPU s")
    keys = ("dataset", "fraction_pct", "runs", "starts", "ari", "ari_worst_draw", "ari_best_draw")
    keys += ("ari_published", "ari_reached", "wcss", "wcss_published", "wcss_reached")
    keys += ("violations", "cpu_s")
    lines = [
        "# BH-kmeans beside the published figures, cell by cell",
        "",
        "Random pairs of all points, as many as all pairs of a share (%) of the points;",
        "standardised data, p = 1. ARI is reached at the published less 0.02, WCSS at 1 % more",
        "than the published. A cell that falls short follows again with ten draws, each the best",
        "of ten starts. What the cells say is in `soft.md`.",
    ]
    for title, of in (("Copies as the paper has them", True), ("Other copies", False)):
        lines += ["", f"## {title}", "", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
        lines += [
            "| " + " | ".join(str(row[key]) for key in keys) + " |"
            for row in rows
            if row["links"] == "pairs" and is_as_the_paper_has_it(row) == of
        ]
    (RESULTS / "soft_published.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write(name: str, rows: list[dict[str, object]]) -> None:
    """Write a table."""
    with (RESULTS / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def sum_up(rows: list[dict[str, object]]) -> None:
    """Write the totals and the page."""
    sides = {
        "our copies": [row for row in rows if row["copy"] == "bench"],
        "the paper's copies": [row for row in rows if is_as_the_paper_has_it(row)],
    }
    kinds = {
        f"{side}: {links}, {starts} start{'s' * (starts > 1)}": [
            row for row in some if (row["links"], row["starts"]) == (links, starts)
        ]
        for (side, some), (links, starts) in product(sides.items(), WAYS)
    }
    summary = [totals(some, kind) for kind, some in kinds.items() if some]
    write("soft_published_totals.csv", summary)
    write_page(rows)
    print(*summary, sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    sum_up(measure(asked.bench, asked.draws, asked.seeds))


if __name__ == "__main__":
    main()
