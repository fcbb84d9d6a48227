"""Why IPC-k-means finds more optima here than in the paper: how tight its relaxation is.

    python benchmarks/papers_ipc.py [--bench DIR] [--sets glass ...]

Algorithm 1 of Piccialli, Russo Russo and Sudoso (2022) starts from the matrix of the root's
relaxation. Theirs stops at the root gaps that they print. ``end``: with all rounds of cuts, as
table 8 of the page has it. ``root``: with as many rounds as our bound needs to reach theirs. It is
taken as the optimum less the printed gap, the weakest that it can have been: the gap is to their
answer at the root, which may be above the optimum. One seed for ``end``, three for ``root``. A row
is added as each run ends; a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

from _cpu_clock import count_cpu_seconds
from _memetic import BENCH, RESULTS
from _rows import append_row, done_keys, read_rows
from papers_exact import SMALL

from ccviz.events import CutsAdded
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver
from ccviz.studies.suite import Instance, instances

SETS = (*SMALL, "glass", "heart", "vertebral", "accent", "ecoli")
SEEDS, ALL_ROUNDS = {"end": 1, "root": 3}, 20
FIELDS = ("dataset", "ml", "cl", "links", "until", "seed", "rounds", "below_optimum", "gap",
          "cpu_s")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH / "pc-sos-sdp")
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_ipc.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    gaps = {of(row): float(row["gap0_pct"]) for row in read_rows(options.bench / "published.csv")}
    for each in instances(options.bench):
        if each.dataset in options.sets:
            measure(each, gaps[each.dataset, str(each.ml), str(each.cl), str(each.seed)], options)


def of(row: dict[str, str]) -> tuple[str, ...]:
    return row["dataset"], row["ml"], row["cl"], row["seed"]


def measure(instance: Instance, root_gap_pct: float, options: argparse.Namespace) -> None:
    """Add the rows of one link file that are missing."""
    done = done_keys(options.out, FIELDS[:6])
    key = (instance.dataset, str(instance.ml), str(instance.cl), str(instance.seed))
    if {(*key, until, str(seed)) for until in SEEDS for seed in range(SEEDS[until])} <= done:
        return
    bounds, row = run(instance, ALL_ROUNDS, seed=0)
    theirs = instance.published_f * (1 - root_gap_pct / 100)
    enough = next((n for n, bound in enumerate(bounds, 1) if bound >= theirs), ALL_ROUNDS)
    for until, rounds in (("end", ALL_ROUNDS), ("root", enough)):
        for seed in range(SEEDS[until]):
            whole = (*key, until, str(seed))
            if whole not in done:
                if until == "root":
                    _, row = run(instance, rounds, seed)
                append_row(options.out, dict(zip(FIELDS, whole, strict=False)) | row, FIELDS)


def run(instance: Instance, rounds: int, seed: int) -> tuple[list[float], dict[str, str]]:
    """Return the bounds round by round, and the cells of the row."""
    began = time.process_time()
    solver = make_solver("ipc-kmeans", algorithm="printed", rounds=rounds)
    stepper = Stepper(instance.problem(), solver, seed)
    bounds = [r.event.lower_bound for r in stepper if isinstance(r.event, CutsAdded)]
    found = stepper.result()
    f = instance.published_f
    return bounds, {
        "rounds": str(rounds),
        "below_optimum": f"{1 - found.lower_bound / f:.2e}",
        "gap": f"{found.objective / f - 1:.2e}" if math.isfinite(found.objective) else "inf",
        "cpu_s": f"{time.process_time() - began:.2f}",
    }


if __name__ == "__main__":
    main()
