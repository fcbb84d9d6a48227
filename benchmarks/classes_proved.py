"""Proofs on tables with classes, with links drawn from them; and on more points than 4,000.

    python benchmarks/classes_proved.py [--bench DIR] [--only NAME ...] [--cpu-limit 900]

`sdp` to a gap of 1e-4, one thread: digits, breast cancer and vehicle with 500 random pairs linked
as the classes say; Abalone as Croella et al. have it, without links, where `divide` comes first. A
row is added as each set ends. The seconds are CPU seconds. Every proof is checked by
`ccviz.proof.verify` after the clock has stopped; what is not proved says so. `--table` only writes
the summary.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _proved import proved  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_digits  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.data.files import read_data  # noqa: E402
from ccviz.data.random_links import random_pairs  # noqa: E402
from ccviz.data.scaling import scale  # noqa: E402
from ccviz.problem.blocks import contract  # noqa: E402

RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED))
SETS = ("breast cancer", "vehicle", "Abalone", "digits")
ABALONE_K = 3
LINKS, TOLERANCE = 500, 1e-4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets")
    parser.add_argument("--only", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--cpu-limit", type=float, default=900.0)
    parser.add_argument("--out", type=Path, default=RESULTS / "classes_proved.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        warm_up()
        done = {row["set"] for row in read_rows(options.out)}
        for which in options.only:
            if which not in done:
                measure(which, options)
    write_table(options.out)


def warm_up() -> None:
    """Load compiled code once, as a long-lived process has it."""
    points = np.random.default_rng(0).normal(size=(80, 2))
    start(Problem(points, 3, cannot_link=[(0, 1)]), "sdp").result()
    start(Problem(points, 3), "divide", part_size=20).result()


def problem_of(which: str, bench: Path) -> Problem:
    """Return a set with its links; digits and Abalone as they are, the others standardised."""
    if which == "Abalone":
        return Problem(np.loadtxt(bench / "large" / "avoc" / "Abalone.txt", skiprows=1), ABALONE_K)
    if which == "vehicle":
        data = read_data(str(bench / "classes" / "vehicle.csv"), label="class")
        X, truth = data.X, data.truth
    else:
        X, truth = (load_digits if which == "digits" else load_breast_cancer)(return_X_y=True)
    assert truth is not None
    links = random_pairs(truth, LINKS)
    k = len(np.unique(truth))
    X = X if which == "digits" else scale(X, "standard")
    return Problem(X, k, must_link=links.must_link, cannot_link=links.cannot_link)


def measure(which: str, options: argparse.Namespace) -> None:
    problem = problem_of(which, options.bench)
    cells, _ = proved(problem, "sdp", TOLERANCE, options.cpu_limit, gap=1.0)
    fields = {
        "set": which,
        "n": problem.n,
        "d": problem.X.shape[1],
        "k": problem.k,
        "links": len(problem.must_link) + len(problem.cannot_link),
        "blocks": contract(problem).s,
        **cells,
    }
    append_row(options.out, fields)
    print(*fields.values(), file=sys.stderr, flush=True)


def write_table(source: Path) -> None:
    lines = [
        "| set | n, d, k | links | blocks | status | gap | checked gap | CPU seconds "
        "| checking, s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in sorted(read_rows(source), key=lambda row: SETS.index(row["set"])):
        cells = [row["set"], f"{row['n']}, {row['d']}, {row['k']}"]
        names = ("links", "blocks", "status", "gap", "verified_gap", "cpu_s", "verify_s")
        cells += [row[name] for name in names]
        lines.append("| " + " | ".join(cells) + " |")
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
