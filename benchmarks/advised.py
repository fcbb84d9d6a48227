"""Which exact solver `auto` should take: the gap of sdp, colgen and divide by the seconds given.

    python benchmarks/advised.py [--sizes N ...] [--clusters K ...] [--solvers NAME ...]
                                 [--cpu-limit 20] [--table]

Seeded Gaussians whose clusters touch, n from 200 to 4,000, few clusters, with and without n / 5
links of the classes; each solver with its own settings, one thread. The gap is that of the best
clustering and bound so far after 5 and after 20 CPU seconds. A row is added as each run ends;
`--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _cpu_clock import events_within  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.bounds import relative_gap  # noqa: E402
from ccviz.data.random_links import random_pairs  # noqa: E402
from ccviz.events import BoundImproved, IncumbentFound  # noqa: E402

RESULTS = Path(__file__).parent / "results"
SOLVERS = ("sdp", "colgen", "divide")
SIZES = (200, 500, 1000, 2000, 4000)
CLUSTERS = (3, 8)
EARLY_S = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--clusters", type=int, nargs="*", default=CLUSTERS)
    parser.add_argument("--solvers", nargs="*", choices=SOLVERS, default=SOLVERS)
    parser.add_argument("--cpu-limit", type=float, default=20.0)
    parser.add_argument("--out", type=Path, default=RESULTS / "advised.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        warm_up()
        for n in options.sizes:
            for k in options.clusters:
                for links in (0, n // 5):
                    measure(n, k, links, options)
    write_table(options.out)


def warm_up() -> None:
    """Load compiled code once, as a long-lived process has it."""
    for solver in SOLVERS:
        start(problem_of(60, 3, 12), solver).result()
    start(problem_of(80, 3, 0), "divide", part_size=20).result()


def problem_of(n: int, k: int, links: int) -> Problem:
    """Return k Gaussians in four dimensions whose centres are drawn, too, with links."""
    rng = np.random.default_rng(k)
    classes = rng.integers(k, size=n)
    X = 2.5 * rng.normal(size=(k, 4))[classes] + rng.normal(size=(n, 4))
    found = random_pairs(classes, links)
    return Problem(X, k, must_link=found.must_link, cannot_link=found.cannot_link)


def measure(n: int, k: int, links: int, options: argparse.Namespace) -> None:
    done = done_keys(options.out, ("n", "k", "links", "solver"))
    for solver in options.solvers:
        if (str(n), str(k), str(links), solver) in done:
            continue
        problem = problem_of(n, k, links)
        stepper = start(problem, solver)
        upper, lower, early = np.inf, -np.inf, np.inf
        spent = 0.0
        for event, spent in events_within(stepper, options.cpu_limit):
            if isinstance(event, IncumbentFound):
                upper = event.objective
            elif isinstance(event, BoundImproved):
                lower = event.lower_bound
            if spent <= EARLY_S:
                early = relative_gap(upper, lower)
        result = stepper.result()
        row = {"n": n, "k": k, "links": links, "solver": solver, "status": result.status}
        cells = {"early_gap": f"{early:.1e}", "gap": f"{result.gap:.1e}", "cpu_s": f"{spent:.1f}"}
        append_row(options.out, {**row, **cells})
        print(*row.values(), *cells.values(), file=sys.stderr, flush=True)


def write_table(source: Path) -> None:
    """Write a line for each problem: each solver's gap after 5 s and in the end, its seconds."""
    lines = [
        f"| n | k | links | {' | '.join(SOLVERS)} |",
        "|---|---|---|" + "---|" * len(SOLVERS),
    ]
    rows = read_rows(source)
    asked = {(row["n"], row["k"], row["links"]) for row in rows}
    for n, k, links in sorted(asked, key=lambda each: tuple(map(int, each))):
        cells = [n, k, links]
        for solver in SOLVERS:
            mine = [r for r in rows if (r["n"], r["k"], r["links"]) == (n, k, links)]
            cells += [as_cell(row) for row in mine if row["solver"] == solver] or ["–"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "Gap after 5 CPU seconds, gap in the end, seconds in all (stopped at 20)."]
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


def as_cell(row: dict[str, str]) -> str:
    gaps = [percent(row[name]) for name in ("early_gap", "gap")]
    return f"{gaps[0]}, {gaps[1]}, {row['cpu_s']} s"


def percent(gap: str) -> str:
    return f"{100 * float(gap):.2g} %" if np.isfinite(float(gap)) else "none"


if __name__ == "__main__":
    main()
