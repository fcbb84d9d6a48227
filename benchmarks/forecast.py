"""Seconds to a proof by blocks and clusters, fitted to the tables of measured runs.

    python benchmarks/forecast.py

Reads the tables in benchmarks/results, fits ``log(seconds)`` to the logarithms of blocks and
clusters for each exact solver, and prints the constants of `ccviz.solvers.forecast`. A run that was
stopped at its time limit counts as one that takes at least that long (a censored regression). The
table forecast.csv has the held-out error: the runs of each data set are forecast from all others.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _rows import read_rows
from scipy.optimize import minimize
from scipy.stats import norm

from ccviz.solvers.forecast import QUANTILE, Formula

RESULTS = Path(__file__).parent / "results"
FEATURES = {"accent": 12, "computers": 4, "connectionist": 60, "ECG5000": 140, "ecoli": 7,
            "glass": 9, "heart": 13, "iris": 4, "letter": 16, "seeds": 7, "urbanGB": 2,
            "vertebral": 6, "wine": 13}  # fmt: skip
"""Features of the data sets whose tables do not say."""

SHORTEST_S = 0.02
"""Shortest time that the tables tell apart from none."""
RIDGE = 0.05
"""Weight of the squared exponents, which keeps those of few runs small."""


@dataclass(frozen=True)
class Row:
    """One measured run: the group is its data set, which is held out as a whole."""

    solver: str
    group: str
    blocks: int
    clusters: int
    features: int
    kind: str
    seconds: float
    proved: bool


def rows() -> list[Row]:
    """Return all measured runs."""
    return [row for read in (_published, _variants, _classes, _plane, _parts) for row in read()]


def _published() -> Iterator[Row]:
    blocks = {}
    for row in read_rows(RESULTS / "sdp_published.csv"):
        case = f"{row['dataset']}/ml_{row['ml']}_cl_{row['cl']}_{row['seed']}"
        blocks[case] = row["n_blocks"]
        yield _row("sdp", row["dataset"], row["n_blocks"], row["k"], FEATURES[row["dataset"]],
                   row["cpu_s"])  # fmt: skip
    for row in read_rows(RESULTS / "colgen.csv"):
        if row["part"] == "published":
            name = row["case"].split("/")[0]
            yield _row("colgen", name, blocks[row["case"]], row["k"], FEATURES[name], row["cpu_s"])


def _variants() -> Iterator[Row]:
    for kind in ("sizes", "soft"):
        for row in read_rows(RESULTS / f"{kind}_proved.csv"):
            if row["status"] == "infeasible":
                continue
            must, found, _ = row["links"].partition("+")  # "25+25": must-links and cannot-links
            blocks = str(int(row["n"]) - int(must)) if found else row["n"]
            yield _row("sdp", row["set"], blocks, row["k"], FEATURES[row["set"]], row["cpu_s"],
                       row["status"] == "optimal", kind)  # fmt: skip


def _classes() -> Iterator[Row]:
    for row in read_rows(RESULTS / "classes_proved.csv"):
        yield _row("sdp", row["set"], row["blocks"], row["k"], row["d"], row["cpu_s"])
    for row in read_rows(RESULTS / "advised.csv"):
        reached = float(row["gap"]) <= (1e-3 if row["solver"] == "divide" else 1e-4)
        yield _row(row["solver"], f"Gaussians {row['n']}", row["n"], row["k"], 4, row["cpu_s"],
                   reached)  # fmt: skip


def _plane() -> Iterator[Row]:
    for row in read_rows(RESULTS / "colgen_against_sdp.csv"):
        yield _row(row["solver"], f"blobs {row['n']}", row["n"], row["k"], 2, row["cpu_s"],
                   float(row["gap"]) <= 1e-4)  # fmt: skip
    for row in read_rows(RESULTS / "plane.csv"):
        yield _row("colgen", row["set"], row["n"], row["k"], 2, row["cpu_s"])


def _parts() -> Iterator[Row]:
    for row in read_rows(RESULTS / "divide.csv"):
        yield _row("divide", row["set"], row["n_blocks"], row["k"], FEATURES.get(row["set"], 0),
                   row["cpu_s"], row["termination"] == "gap")  # fmt: skip


def _row(
    solver: str, group: str, blocks: str, k: str, d: str | int, cpu_s: str,
    proved: bool = True, kind: str = "hard",
) -> Row:  # fmt: skip
    seconds = max(SHORTEST_S, float(cpu_s))
    return Row(solver, group, int(blocks), int(k), int(d), kind, seconds, proved)


def fit(measured: list[Row]) -> Formula:
    """Return the formula of greatest likelihood."""
    terms = np.array([_terms(row) for row in measured])
    logs = np.log([row.seconds for row in measured])
    proved = np.array([row.proved for row in measured])

    def loss(values: np.ndarray) -> float:
        factors, spread = values[:-1], math.exp(values[-1])
        z = (logs - terms @ factors) / spread
        fits = norm.logpdf(z[proved]).sum() - proved.sum() * values[-1]
        return RIDGE * (factors[1:] ** 2).sum() - fits - norm.logsf(z[~proved]).sum()

    first = np.append(np.linalg.lstsq(terms, logs, rcond=None)[0], 0.0)
    found = minimize(loss, first, method="BFGS").x
    intercept, blocks, clusters, soft, sizes, spread = (round(float(x), 2) for x in found)

    def ends(value: Callable[[Row], int]) -> tuple[int, int]:
        values = [value(row) for row in measured if value(row)]
        return (min(values), max(values)) if values else (1, 10**9)

    kinds = [kind for kind in ("hard", "soft", "sizes") if any(r.kind == kind for r in measured)]
    return Formula(
        runs=len(measured), intercept=intercept, blocks=blocks, clusters=clusters, soft=soft,
        sizes=sizes, spread=round(math.exp(spread), 2), blocks_measured=ends(lambda r: r.blocks),
        clusters_measured=ends(lambda r: r.clusters), features_measured=ends(lambda r: r.features),
        longest=round(max(row.seconds for row in measured if row.proved), 1), kinds=tuple(kinds),
    )  # fmt: skip


def _terms(row: Row) -> list[float]:
    return [1.0, math.log(row.blocks), math.log(row.clusters), row.kind == "soft",
            row.kind == "sizes"]  # fmt: skip


def held_out(measured: list[Row]) -> dict[str, float]:
    """Return the error of forecasts for data sets that the fit has not seen."""
    factors, within = [], []
    for group in sorted({row.group for row in measured}):
        formula = fit([row for row in measured if row.group != group])
        for row in (row for row in measured if row.group == group):
            middle = formula.seconds(row.blocks, row.clusters, row.kind)
            off = math.log(row.seconds / middle)
            reach = QUANTILE * formula.spread
            within.append(abs(off) <= reach if row.proved else off <= reach)
            if row.proved:
                factors.append(math.exp(abs(off)))
    return {"median_factor": float(np.median(factors)),
            "factor_of_80_percent": float(np.quantile(factors, 0.8)),
            "in_range_percent": 100 * float(np.mean(within))}  # fmt: skip


def main() -> None:
    measured, table = rows(), []
    for solver in ("sdp", "colgen", "divide"):
        own = [row for row in measured if row.solver == solver]
        print(f"{solver!r}: {fit(own)},")
        errors = {name: f"{value:.3g}" for name, value in held_out(own).items()}
        table.append({"solver": solver, "runs": len(own),
                      "stopped": sum(not row.proved for row in own),
                      "sets": len({row.group for row in own}), **errors})  # fmt: skip
    with (RESULTS / "forecast.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    lines = [
        "| solver | runs | of them stopped | data sets | median factor | of 80 % | in the range |",
        "|---|---|---|---|---|---|---|",
    ] + [
        f"| {row['solver']} | {row['runs']} | {row['stopped']} | {row['sets']} "
        f"| {row['median_factor']} | {row['factor_of_80_percent']} | {row['in_range_percent']} % |"
        for row in table
    ]
    note = ("Forecasts for data sets that the fit has not seen. The factor is measured over "
            "forecast seconds or its inverse, of runs that ended. The range is to hold 80 %; a "
            "stopped run counts as inside unless the range ends before its limit.")  # fmt: skip
    (RESULTS / "forecast.md").write_text("\n".join([*lines, "", note, ""]))


if __name__ == "__main__":
    main()
