"""Certified gaps under equal sizes at n = 2,000 and 20,000.

    python benchmarks/sizes_large.py [--bench DIR] [--only SET ...] [--points 2000 20000]
                                     [--cpu-limit 120]

Blobs, a set that Mansueto and Schoen (2025) drew and two real tables, standardised: random rows,
in k sizes that differ by at most one. `sdp` keeps the sizes in its bound and takes 2,000 points;
`divide` leaves them out and takes both. One thread, CPU seconds. A row is added as each run ends; a
run that is in the table is not repeated. Every proof is checked by `ccviz.proof.verify` after the
clock has stopped. `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _cpu_clock import count_cpu_seconds  # noqa: E402
from _proved import proved  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.arrays import FloatArray  # noqa: E402
from ccviz.data.files import read_data  # noqa: E402
from ccviz.data.scaling import scale  # noqa: E402

RESULTS = Path(__file__).parent / "results"
BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
CLUSTERS = {"blobs": 20, "n20000_k20": 20, "letter": 26, "shuttle": 7}
LARGEST_SDP = 2_000
TOLERANCE = 1e-4
KEY = ("set", "n", "solver")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets")
    parser.add_argument("--only", nargs="*", choices=CLUSTERS, default=list(CLUSTERS))
    parser.add_argument("--points", nargs="*", type=int, default=[2_000, 20_000])
    parser.add_argument("--cpu-limit", type=float, default=120.0)
    parser.add_argument("--out", type=Path, default=RESULTS / "sizes_large.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        count_cpu_seconds()
        warm_up()
        done = done_keys(options.out, KEY)
        for n in options.points:
            for which in options.only:
                for solver in ("sdp", "divide") if n <= LARGEST_SDP else ("divide",):
                    if (which, str(n), solver) not in done:
                        measure(which, n, solver, options)
    write_table(options.out)


def warm_up() -> None:
    """Load compiled code once, as a long-lived process has it."""
    points = np.random.default_rng(0).normal(size=(80, 2))
    for sizes in ([20] * 4, [27, 27, 26]):
        solve(Problem(points, len(sizes), sizes=sizes), "sdp", progress=False)
    solve(Problem(points, 4, sizes=[20] * 4), "divide", part_size=20, progress=False)


def points_of(which: str, n: int, bench: Path) -> FloatArray:
    """Return n points of a set, at random where it has more."""
    rng = np.random.default_rng(0)
    if which == "blobs":
        centers = rng.uniform(-10.0, 10.0, (CLUSTERS[which], 5))
        return centers[rng.integers(len(centers), size=n)] + 1.5 * rng.normal(size=(n, 5))
    folder = "s-mdeclust" if which.startswith("n") else "classes"
    path = next((bench / folder).glob(f"{which}.[cp]*"))
    X = read_data(str(path), label="class").X
    return scale(X[np.sort(rng.permutation(len(X))[:n])], "standard")


def measure(which: str, n: int, solver: str, options: argparse.Namespace) -> None:
    X, k = points_of(which, n, options.bench), CLUSTERS[which]
    problem = Problem(X, k, sizes=[n // k + (cluster < n % k) for cluster in range(k)])
    cells, _ = proved(problem, solver, TOLERANCE, options.cpu_limit, gap=1.0)
    fields = {**dict(zip(KEY, (which, n, solver), strict=True)), "d": X.shape[1], "k": k, **cells}
    append_row(options.out, fields)
    print(*fields.values(), file=sys.stderr, flush=True)


def write_table(source: Path) -> None:
    lines = [
        "| set | n, d, k | solver | objective | gap | checked gap | CPU seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in read_rows(source):
        cells = [row["set"], f"{int(row['n']):,}, {row['d']}, {row['k']}", f"`{row['solver']}`"]
        cells += [row[name] for name in ("objective", "gap", "verified_gap", "cpu_s")]
        lines.append("| " + " | ".join(cells) + " |")
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
