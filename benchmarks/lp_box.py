"""ℓp-box on the tables of Bibi, Wu and Ghanem (2019), with their figures beside.

    python benchmarks/lp_box.py [--bench DIR] [--starts 10] [--draws 5]

Data scaled to [-1, 1]. Table 2: no constraints, random starts, against k-means from random starts.
Tables 4 and 5: pairs on wine and iris. Table 6: sizes, pairs and both, here on all four sets (the
paper has breast cancer among others of its own). Sizes and links come from the classes; links are
drawn anew in each draw, where the paper has one draw that is not printed. A last table sets the
parts apart: the paper's penalty and coupling, and ours without the descent at the end.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402
from soft_published import BENCH, RESULTS, read  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.solvers.lp_box.solver import LpBox  # noqa: E402

SETS = ("Wine", "Iris", "Glass", "Breast Cancer")
# ARI in % and its standard deviation, as printed; None where the paper has no figure.
TABLE_2 = {"Wine": (86.779, 0.10), "Iris": (72.41, 0.90), "Glass": (14.96, 0.91)}
TABLE_2_OBJECTIVE = {"Wine": (195.91, 195.86), "Iris": (29.894, 28.282), "Glass": (81.277, 85.944)}
TABLE_4 = {
    "Wine": {20: 91.67, 40: 88.04, 60: 98.32, 80: 94.87, 100: 96.51},
    "Iris": {20: 72.87, 40: 72.76, 60: 100.0, 80: 100.0, 100: 100.0},
}
TABLE_6 = dict.fromkeys(("sizes", "pairs", "both"), 74.93)  # breast cancer, 100 and 100 links
LINKS_6 = {"Wine": 20, "Iris": 20, "Glass": 20, "Breast Cancer": 100}


def scaled(name: str, bench: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the data scaled to [-1, 1] and the classes, numbered."""
    data = read(name, bench)
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    X = 2 * (data.X - low) / np.where(high > low, high - low, 1.0) - 1
    return X, np.unique(data.truth, return_inverse=True)[1]


def draw(truth: np.ndarray, each: int, seed: int) -> tuple[list, list]:
    """Return as many must-links as cannot-links, random pairs of points."""
    rng, must, cannot = np.random.default_rng(seed), set(), set()
    while min(len(must), len(cannot)) < each:
        i, j = sorted(rng.choice(len(truth), 2, replace=False).tolist())
        kind = must if truth[i] == truth[j] else cannot
        if len(kind) < each:
            kind.add((i, j))
    return sorted(must), sorted(cannot)


def problems(
    X: np.ndarray, truth: np.ndarray, variant: str, each: int, draws: int
) -> Iterator[Problem]:
    """Yield the problem of a variant, once for each draw of links."""
    sizes = np.bincount(truth) if variant in ("sizes", "both") else None
    for seed in range(draws if variant in ("pairs", "both") else 1):
        must, cannot = draw(truth, each, seed) if variant in ("pairs", "both") else ((), ())
        yield Problem(
            X, truth.max() + 1, must_link=must, cannot_link=cannot, sizes=sizes, truth=truth
        )


def run(problem: Problem, solver: LpBox, seed: int) -> dict[str, float]:
    """Return the figures of one run; NaN where it gave no answer."""
    began = time.process_time()
    stepper = start(problem, solver, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the paper's coupling overflows as it diverges
        found = stepper.result().partition
    seconds = time.process_time() - began
    if found is None:
        nothing = dict.fromkeys(("objective", "ari", "mirkin", "hubert", "repaired"), np.nan)
        return {**nothing, "cpu_s": seconds, "broken": 0}
    broken = found.violations
    return {
        "objective": found.wcss,
        "ari": 100 * found.scores["ari"],
        "mirkin": found.scores["mirkin"],
        "hubert": 100 * found.scores["hubert"],
        "repaired": any("repair moved" in note for note in stepper.run.notes),
        "broken": broken.must_link + broken.cannot_link + broken.sizes,
        "cpu_s": seconds,
    }


def cell(given: list[Problem], solver: LpBox, starts: int) -> dict[str, object]:
    """Run all draws and starts of a cell of a table."""
    each = [run(problem, solver, seed) for problem, seed in product(given, range(starts))]
    ari = np.array([row["ari"] for row in each])
    no_answer = int(np.isnan(ari).sum())
    mean = {
        key: np.nan if no_answer == len(each) else np.nanmean([row[key] for row in each])
        for key in each[0]
    }
    return {
        "runs": len(each),
        "no_answer": no_answer,
        "objective": round(mean["objective"], 3),
        "ari_pct": round(mean["ari"], 2),
        "ari_std": round(float(np.nanstd(ari)) if no_answer < len(each) else np.nan, 2),
        "mirkin": round(mean["mirkin"], 4),
        "hubert_pct": round(mean["hubert"], 2),
        "violations": sum(row["broken"] for row in each),
        "repaired": int(np.nansum([row["repaired"] for row in each])),
        "cpu_s_per_run": round(mean["cpu_s"], 3),
    }


def compared(row: dict[str, object], paper: tuple[float, float] | None) -> dict[str, object]:
    """Add the paper's ARI: reached less two of its or of our standard deviations."""
    if paper is None:
        return row | {"paper_ari_pct": "", "paper_std": "", "reached": "", "reached_own_std": ""}
    ari, std = paper
    return row | {
        "paper_ari_pct": ari,
        "paper_std": std,
        "reached": bool(row["ari_pct"] >= ari - 2 * std),
        "reached_own_std": bool(row["ari_pct"] >= ari - 2 * max(std, row["ari_std"])),
    }


def table_2(data: dict, starts: int) -> list[dict[str, object]]:
    """No constraints, random starts."""
    rows = []
    for name, (X, truth) in data.items():
        kmeans = [
            KMeans(truth.max() + 1, init="random", n_init=1, random_state=seed).fit(X).inertia_
            for seed in range(starts)
        ]
        row = cell(list(problems(X, truth, "none", 0, 1)), LpBox(start="random"), starts)
        row = {"dataset": name, **compared(row, TABLE_2.get(name))}
        row["kmeans_objective"] = round(float(np.mean(kmeans)), 3)
        row["not_above_kmeans"] = bool(row["objective"] <= np.mean(kmeans) * (1 + 1e-9))
        row["paper_kmeans"], row["paper_lp"] = TABLE_2_OBJECTIVE.get(name, ("", ""))
        rows.append(row)
    return rows


def table_4(data: dict, starts: int, draws: int) -> list[dict[str, object]]:
    """Pairs on wine and iris."""
    rows = []
    for name, printed in TABLE_4.items():
        for each, ari in printed.items():
            given = list(problems(*data[name], "pairs", each, draws))
            row = compared(cell(given, LpBox(), starts), (ari, 0.0))
            rows.append({"dataset": name, "links_of_each_kind": each, **row})
    return rows


def table_6(data: dict, starts: int, draws: int) -> list[dict[str, object]]:
    """Sizes, pairs and both."""
    rows = []
    for name, variant in product(data, TABLE_6):
        given = list(problems(*data[name], variant, LINKS_6[name], draws))
        paper = (TABLE_6[variant], 0.0) if name == "Breast Cancer" else None
        row = compared(cell(given, LpBox(), starts), paper)
        rows.append({"dataset": name, "variant": variant, **row})
    return rows


def parts(data: dict, starts: int) -> list[dict[str, object]]:
    """Set our differences from the paper apart, without constraints."""
    rows = []
    for name, (X, truth) in data.items():
        spread = float(((X - X.mean(axis=0)) ** 2).sum() / len(X))
        ways = {
            "ours": {},
            "ours without descent": {"descent": False},
            "ours, first penalty 20": {"descent": False, "rho": 20 / spread},
            "paper: split, first penalty 20": {
                "descent": False, "rho": 20 / spread, "coupling": "split",
            },
            "split, our first penalty": {"descent": False, "coupling": "split"},
        }  # fmt: skip
        for way, settings in ways.items():
            given = list(problems(X, truth, "none", 0, 1))
            row = cell(given, LpBox(start="random", **settings), starts)
            rows.append({"dataset": name, "way": way, **row})
    return rows


def write(name: str, rows: list[dict[str, object]]) -> None:
    """Write a table and print it."""
    with (RESULTS / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print(name, *(tuple(row.values()) for row in rows), sep="\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--draws", type=int, default=5)
    asked = parser.parse_args()
    data = {name: scaled(name, asked.bench) for name in SETS}
    run(next(problems(*data["Iris"], "both", 5, 1)), LpBox(), 0)  # compiles
    write("lp_box_table2.csv", table_2(data, asked.starts))
    write("lp_box_parts.csv", parts(data, asked.starts))
    write("lp_box_table4.csv", table_4(data, asked.starts, asked.draws))
    write("lp_box_table6.csv", table_6(data, asked.starts, asked.draws))


if __name__ == "__main__":
    main()
