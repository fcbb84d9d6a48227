"""The plane with many clusters: `colgen` on the sets of Sudoso and Aloise (2025).

    python benchmarks/plane.py [--bench DIR] [--only NAME ...] [--k K ...] [--cpu-limit 3600]

`colgen` to a gap of 1e-4 unless the row says more, one thread; the rivals' seconds are those that
the paper prints (its column generation with dynamic constraint aggregation stops at 0.1 %, with a
commercial solver; so does the SOS-SDP it is compared with, or after a day). "links": n / 10 pairs
of points that one run of k-means put together are must-links, n / 10 that it kept apart are
cannot-links. A row is added as each ends; what was stopped goes on where it was. The seconds are
CPU seconds, and begin with the first clustering. Every proof is checked by `ccviz.proof.verify`
after the clock has stopped. `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _proved import proved  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.arrays import FloatArray, IntArray  # noqa: E402
from ccviz.data.random_links import random_pairs  # noqa: E402
from ccviz.solvers.common.seeding import plain_kmeans  # noqa: E402

RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED))
TOLERANCE = 1e-4
ROWS = 30  # of the paper's table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets")
    parser.add_argument("--only", nargs="*", help="sets; all of them unless named")
    parser.add_argument("--k", nargs="*", type=int, help="numbers of clusters; all unless named")
    parser.add_argument("--links", nargs="*", choices=["no", "yes"], default=["no", "yes"])
    parser.add_argument("--cpu-limit", type=float, default=3600.0)
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="gap to come to")
    parser.add_argument("--work", type=float, default=120.0, help="units that a check may take")
    parser.add_argument("--out", type=Path, default=RESULTS / "plane.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        warm_up()
        done = done_keys(options.out, ("set", "k", "links"))
        for links in options.links:
            for row in published(options.bench):
                if wanted(row, options) and (row["instance"], row["k"], links) not in done:
                    measure(row, links, options)
    write_table(options.out)


def warm_up() -> None:
    """Load compiled code once, as a long-lived process has it."""
    points = np.random.default_rng(0).normal(size=(300, 2))
    start(Problem(points, 30, cannot_link=[(0, 1)]), "colgen", tolerance=TOLERANCE).result()


def published(bench: Path) -> list[dict[str, str]]:
    """Return the paper's rows, one a set and number of clusters."""
    with (bench / "large" / "plane" / "published.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def wanted(row: dict[str, str], options: argparse.Namespace) -> bool:
    named = options.only is None or row["instance"] in options.only
    return named and (options.k is None or int(row["k"]) in options.k)


def problem_of(which: str, k: int, links: str, bench: Path) -> Problem:
    X = np.loadtxt(bench / "large" / "plane" / f"{which}.txt", skiprows=1)
    if links == "no":
        return Problem(X, k)
    must, cannot = drawn(X, k)
    return Problem(X, k, must_link=must, cannot_link=cannot)


def drawn(X: FloatArray, k: int) -> tuple[IntArray, IntArray]:
    """Return n / 10 random pairs of each kind, as one run of k-means says."""
    rng = np.random.default_rng(0)
    pairs = random_pairs(plain_kmeans(X, k, 0).labels_, k * len(X) // 4)
    each = len(X) // 10
    must, cannot = (
        rng.choice(kind, each, replace=False) for kind in (pairs.must_link, pairs.cannot_link)
    )
    return must, cannot


def measure(row: dict[str, str], links: str, options: argparse.Namespace) -> None:
    which, k = row["instance"], int(row["k"])
    problem = problem_of(which, k, links, options.bench)
    tolerance = options.tolerance
    cells, seconds = proved(
        problem, "colgen", tolerance, options.cpu_limit, work=options.work, gap=tolerance
    )
    fields = {
        "set": which,
        "n": problem.n,
        "k": k,
        "links": links,
        "tolerance": f"{tolerance:g}",
        **cells,
        "cg_dca_s": row["time_s_cg_dca"],
        "sos_sdp_s": row["time_s_sos_sdp"],
        "ratio": f"{float(row['time_s_cg_dca']) / seconds:.3g}",
    }
    append_row(options.out, fields)
    print(*fields.values(), file=sys.stderr, flush=True)


def write_table(source: Path) -> None:
    """Write the rows, and for those without links the sums over rows."""
    lines = [
        "| set (n) | k | links | to | status | gap | checked gap | CPU seconds | checking, s "
        "| CG+DCA, s | SOS-SDP, s | CG+DCA / ours |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    names = (
        "k", "links", "tolerance", "status", "gap", "verified_gap", "cpu_s", "verify_s",
        "cg_dca_s", "sos_sdp_s",
    )  # fmt: skip
    rows = sorted(read_rows(source), key=lambda row: (row["links"], int(row["n"]), int(row["k"])))
    for row in rows:
        cells = [f"{row['set']} ({row['n']})", *(row[name] for name in names)]
        cells.append(f"{float(row['ratio']):,.0f}" if is_proved(row) else "–")
        lines.append("| " + " | ".join(cells) + " |")
    for links in ("no", "yes"):
        for tolerance in sorted({row["tolerance"] for row in rows}):
            lines += summary(rows, links, tolerance)
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


def is_proved(row: dict[str, str]) -> bool:
    """Whether the checker accepts the row's proof, to the row's tolerance."""
    return not row["verified_gap"].startswith("no proof")


def summary(rows: list[dict[str, str]], links: str, tolerance: str) -> list[str]:
    """Return a sentence on the rows proved to a tolerance, with or without links."""
    asked = [row for row in rows if (row["links"], row["tolerance"]) == (links, tolerance)]
    mine = [row for row in asked if is_proved(row)]
    if not mine:
        return []
    ours, theirs = (sum(float(row[key]) for row in mine) for key in ("cpu_s", "cg_dca_s"))
    return [
        "",
        f"Links: {links}. {len(mine)} of {ROWS} proved to {tolerance}: "
        f"{ours:.0f} CPU seconds; CG+DCA without links {theirs:.0f}.",
    ]


if __name__ == "__main__":
    main()
