"""The clustering that `divide` begins with, where points are many: five starts, or crossing.

    python benchmarks/first_clustering.py [--bench DIR] [--only NAME ...] [--seeds 3]

The best of five starts was the way before; `ccviz.solvers.start.crossing` is the way now. Both with
k-means, without links. One thread, CPU seconds; a row is added as each seed of a set ends. The
certified lower bound is that of `divide.csv`, so the gaps show what a worse clustering would cost.
`--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import mean

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from _rows import append_row, done_keys, read_rows  # noqa: E402
from divide import BENCH, RESULTS, points_of  # noqa: E402
from scipy.spatial.distance import cdist  # noqa: E402

from ccviz import Problem  # noqa: E402
from ccviz.arrays import FloatArray  # noqa: E402
from ccviz.problem.blocks import contract  # noqa: E402
from ccviz.solvers.base import never  # noqa: E402
from ccviz.solvers.common.seeding import plain_kmeans  # noqa: E402
from ccviz.solvers.start.crossing import crossed_centers  # noqa: E402

SETS = ("urbanGB", "shuttle", "letter")
OUT = RESULTS / "first_clustering.csv"
HEAD = """# The clustering that divide begins with

Sums of squares over the seeds: the mean, and the worst. The gaps are of the worst, to the certified lower
bound of `divide.md`.

| set | n | k | seeds | five starts | crossing | five starts, s | crossing, s | gap of five starts | gap of crossing |
|---|---|---|---|---|---|---|---|---|---|
"""  # noqa: E501


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets")
    parser.add_argument("--only", nargs="*", default=SETS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        done = done_keys(OUT, ("set", "seed"))
        for which in options.only:
            for seed in range(options.seeds):
                if (which, str(seed)) not in done:
                    measure(which, seed, options.bench)
    write_table()


def measure(which: str, seed: int, bench: Path) -> None:
    X, k = points_of(which, bench)
    problem = Problem(X, k).centred()
    points = problem.X
    began = time.process_time()
    five = plain_kmeans(points, k, seed, n_init=5).cluster_centers_
    between = time.process_time()
    crossed = crossed_centers(contract(problem), seed, never)
    fields = {
        "set": which,
        "seed": seed,
        "n": len(X),
        "k": k,
        "five": f"{cost(points, five):.9g}",
        "crossing": f"{cost(points, crossed):.9g}",
        "five_s": f"{between - began:.1f}",
        "crossing_s": f"{time.process_time() - between:.1f}",
    }
    append_row(OUT, fields)
    print(*fields.values(), file=sys.stderr, flush=True)


def cost(points: FloatArray, centers: FloatArray) -> float:
    return float(cdist(points, centers, "sqeuclidean").min(axis=1).sum())


def write_table() -> None:
    bounds = {
        row["set"]: float(row["objective"]) * (1.0 - float(row["verified_gap"]))
        for row in read_rows(RESULTS / "divide.csv")
        if row["links"] == "no"
    }
    lines = []
    for which in SETS:
        rows = [row for row in read_rows(OUT) if row["set"] == which]
        cells = [which, rows[0]["n"], rows[0]["k"], str(len(rows))] if rows else []
        values = {way: [float(row[way]) for row in rows] for way in ("five", "crossing")}
        cells += [f"{mean(each):.1f}, {max(each):.1f}" for each in values.values() if rows]
        cells += [f"{mean(float(row[f'{way}_s']) for row in rows):.1f}" for way in values if rows]
        cells += [f"{100 * (1 - bounds[which] / max(each)):.2f} %" for each in values.values()]
        lines.append("| " + " | ".join(cells) + " |")
    OUT.with_suffix(".md").write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
