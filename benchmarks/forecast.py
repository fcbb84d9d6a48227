"""Seconds to a proof by blocks and clusters, fitted to the tables of measured runs.

Reads the tables in benchmarks/results, fits ``log(seconds)`` to the logarithms of blocks and
clusters for each exact solver, and prints the constants of `ccviz.solvers.forecast`. A run that was
stopped at its time limit counts as one that takes at least that long (a censored regression). The
table forecast.csv has the held-out error: the runs of each data set are forecast from all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from _runner import RESULTS, markdown, parse, results, write_page, write_rows
from scipy.optimize import minimize
from scipy.stats import norm

from ccviz.solvers.forecast import QUANTILE, Formula

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
    return [*_published(), *_variants(), *_others()]


def _row(solver: str, group: str, row: dict[str, str], n: str | int = "", **more: Any) -> Row:
    given = {"features": int(row.get("d") or FEATURES.get(group, 0)), "kind": "hard"}
    given |= {"seconds": max(SHORTEST_S, float(row["cpu_s"])), "proved": True}
    return Row(solver, group, int(n or row["n"]), int(row["k"]), **given | more)


def _published() -> Iterator[Row]:
    blocks = {}
    for row in results("sdp_published"):
        case = f"{row['dataset']}/ml_{row['ml']}_cl_{row['cl']}_{row['seed']}"
        blocks[case] = row["n_blocks"]
        yield _row("sdp", row["dataset"], row, row["n_blocks"])
    for row in results("colgen", part="published"):
        yield _row("colgen", row["case"].split("/")[0], row, blocks[row["case"]])


def _variants() -> Iterator[Row]:
    for kind in ("sizes", "soft"):
        for row in results(f"{kind}_proved"):
            if row["status"] != "infeasible":
                must, both, _ = row["links"].partition("+")  # "25+25": must-links and cannot-links
                n, proved = int(row["n"]) - int(must if both else 0), row["status"] == "optimal"
                yield _row("sdp", row["set"], row, n, proved=proved, kind=kind)


def _others() -> Iterator[Row]:
    for row in results("classes_proved"):
        yield _row("sdp", row["set"], row, row["blocks"])
    for row in results("advised"):
        reached = float(row["gap"]) <= (1e-3 if row["solver"] == "divide" else 1e-4)
        yield _row(row["solver"], f"Gaussians {row['n']}", row, features=4, proved=reached)
    for row in results("colgen_against_sdp"):
        reached = float(row["gap"]) <= 1e-4
        yield _row(row["solver"], f"blobs {row['n']}", row, features=2, proved=reached)
    for row in results("plane"):
        yield _row("colgen", row["set"], row, features=2)
    for row in results("divide"):
        proved = row["termination"] == "gap"
        yield _row("divide", row["set"], row, row["n_blocks"], proved=proved)


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
    parse(__doc__)
    measured, table = rows(), []
    for solver in ("sdp", "colgen", "divide"):
        own = [row for row in measured if row.solver == solver]
        print(f"{solver!r}: {fit(own)},")
        stopped, sets = sum(not row.proved for row in own), len({row.group for row in own})
        row: dict[str, object] = {"solver": solver, "runs": len(own), "stopped": stopped}
        errors = {name: f"{value:.3g}" for name, value in held_out(own).items()}
        table.append(row | {"sets": sets, **errors})
    write_rows(RESULTS / "forecast.csv", table)
    text = markdown(
        "solver | runs | of them stopped | data sets | median factor | of 80 % | in the range",
        [[*list(row.values())[:-1], f"{row['in_range_percent']} %"] for row in table],
    )
    note = ("Forecasts for data sets that the fit has not seen. The factor is measured over "
            "forecast seconds or its inverse, of runs that ended. The range is to hold 80 %; a "
            "stopped run counts as inside unless the range ends before its limit.")  # fmt: skip
    write_page("forecast", f"{text}\n{note}\n")


if __name__ == "__main__":
    main()
