"""MIP and conic models of clustering under sizes, as people write them, beside `sdp`.

    python benchmarks/sizes_rivals.py [--points 10 12 15 20 40 60 100] [--cpu-limit 60]

Random rows of scikit-learn's iris in three sizes that differ by at most one. Three methods:
- `sdp` to a gap of 1e-4, with its proof.
- HiGHS (highspy) on the assignment model: binaries x[i, c], and for each pair and cluster a product
  linearised by McCormick. The objective, the sum of squared distances within pairs over twice the
  cluster's size, is linear since every size is given. The first point is in the first cluster where
  all sizes are equal.
- cvxpy with SCS on the matrix lifting of Rujeerapaiboon, Schindler, Kuhn and Wiesemann (2019), as
  written there: for each cluster a vector and a matrix. It ends with a bound, not a clustering.

One thread, CPU seconds. A method that does not end within the limit is not tried with more points.
A row is added as each run ends. `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import highspy  # noqa: E402
import numpy as np  # noqa: E402
from _cpu_clock import events_within  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.arrays import FloatArray  # noqa: E402

RESULTS = Path(__file__).parent / "results"
CLUSTERS = 3
KEY = ("n", "method")
_PATIENCE = 5.0
"""Seconds on the clock for each CPU second that SCS may take: the machine may be busy."""
_DIGITS = 1e-8
"""Relative rounding of the values in the table."""
CLOSED = 1e-4
"""Relative gap at which a run has ended."""

Answer = tuple[float, float, bool]
"""Objective, lower bound, and whether the method ended by itself."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", nargs="*", type=int, default=[10, 12, 15, 20, 40, 60, 100])
    parser.add_argument("--cpu-limit", type=float, default=60.0)
    parser.add_argument("--only", nargs="*", choices=METHODS, default=list(METHODS))
    parser.add_argument("--out", type=Path, default=RESULTS / "sizes_rivals.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    for method in options.only if not options.table else ():
        METHODS[method](points_of(6), [2, 2, 2], options.cpu_limit)  # loads and compiles
        for n in options.points:
            if (str(n), method) not in done_keys(options.out, KEY):
                measure(method, n, options)
            rows = {(row["n"], row["method"]): row for row in read_rows(options.out)}
            if rows[str(n), method]["ended"] == "no":
                break
    write_table(options.out)


def points_of(n: int) -> FloatArray:
    """Return n random rows of iris."""
    from sklearn.datasets import load_iris

    X = load_iris().data
    return X[np.random.default_rng(0).permutation(len(X))[:n]]


def measure(method: str, n: int, options: argparse.Namespace) -> None:
    sizes = [n // CLUSTERS + (cluster < n % CLUSTERS) for cluster in range(CLUSTERS)]
    began = time.process_time()
    objective, bound, ended = METHODS[method](points_of(n), sizes, options.cpu_limit)
    fields = {
        "n": n,
        "method": method,
        "objective": f"{objective:.9g}",
        "lower_bound": f"{bound:.9g}",
        "ended": "yes" if ended else "no",
        "cpu_s": f"{time.process_time() - began:.1f}",
    }
    append_row(options.out, fields)
    print(*fields.values(), file=sys.stderr, flush=True)


def by_sdp(X: FloatArray, sizes: list[int], limit: float) -> Answer:
    """Solve by `sdp`."""
    stepper = start(Problem(X, len(sizes), sizes=sizes), "sdp", tolerance=CLOSED)
    for _ in events_within(stepper, limit):
        pass
    found = stepper.result()
    return found.objective, found.lower_bound, found.gap <= CLOSED


def by_highs(X: FloatArray, sizes: list[int], limit: float) -> Answer:
    """Solve the linearised assignment model by HiGHS."""
    n, k = len(X), len(sizes)
    square = squares(X)
    highs = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", CLOSED)):
        highs.setOptionValue(option, value)
    began = time.process_time()
    highs.cbMipInterrupt += lambda event: (
        event.interrupt() if time.process_time() - began > limit else None
    )
    x = [[highs.addBinary() for _ in range(k)] for _ in range(n)]
    for i in range(n):
        highs.addConstr(sum(x[i]) == 1)
    cost = []
    for c, size in enumerate(sizes):
        highs.addConstr(sum(x[i][c] for i in range(n)) == size)
        for i in range(n):
            for j in range(i):
                both = highs.addVariable(lb=0.0)
                highs.addConstr(both >= x[i][c] + x[j][c] - 1)
                cost.append(float(square[i, j] / size) * both)
    if len(set(sizes)) == 1:
        highs.addConstr(x[0][0] >= 1)
    highs.minimize(sum(cost))
    info = highs.getInfo()
    bound = float(info.mip_dual_bound)
    objective = float(info.objective_function_value)
    return objective, bound, highs.getModelStatus() == highspy.HighsModelStatus.kOptimal


def by_cvxpy(X: FloatArray, sizes: list[int], limit: float) -> Answer:
    """Bound by the matrix lifting in cvxpy, solved by SCS."""
    import cvxpy as cp

    n, square = len(X), squares(X)
    chosen = [cp.Variable(n) for _ in sizes]
    lifted = [cp.Variable((n, n), symmetric=True) for _ in sizes]
    given = [sum(chosen) == 1]
    for p, P, size in zip(chosen, lifted, sizes, strict=True):
        column = cp.reshape(p, (n, 1), order="C")
        given += [
            cp.bmat([[P, column], [column.T, np.ones((1, 1))]]) >> 0,
            P >= 0,
            cp.diag(P) == p,
            P @ np.ones(n) == size * p,
            cp.sum(p) == size,
            column @ np.ones((1, n)) >= P,
        ]
    cost = sum(cp.trace(square @ P) / (2.0 * size) for P, size in zip(lifted, sizes, strict=True))
    model = cp.Problem(cp.Minimize(cost), given)
    began = time.process_time()
    model.solve(solver=cp.SCS, time_limit_secs=_PATIENCE * limit, eps=1e-5, max_iters=10**6)
    ended = model.status == "optimal" and time.process_time() - began <= limit
    return float("nan"), float("nan") if model.value is None else float(model.value), ended


def squares(X: FloatArray) -> FloatArray:
    """Return (n, n) the squared distances."""
    return ((X[:, None] - X[None]) ** 2).sum(axis=2)


METHODS: dict[str, Callable[[FloatArray, list[int], float], Answer]] = {
    "sdp": by_sdp,
    "HiGHS": by_highs,
    "cvxpy": by_cvxpy,
}


def write_table(source: Path) -> None:
    rows = read_rows(source)
    best = {row["n"]: float(row["objective"]) for row in rows if row["method"] == "sdp"}
    lines = [
        "| n | method | objective | lower bound | below the best known | ended | CPU seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda each: int(each["n"])):
        gap = 1.0 - float(row["lower_bound"]) / best[row["n"]]
        objective = "·" if row["objective"] == "nan" else row["objective"]
        cells = [row["n"], row["method"], objective, row["lower_bound"]]
        said = f"{100 * max(gap, 0.0):.2g} %" if gap > -_DIGITS else "no: above it"
        cells += [said, row["ended"], row["cpu_s"]]
        lines.append("| " + " | ".join(cells) + " |")
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
