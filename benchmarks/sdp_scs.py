"""The node solver beside SCS: same relaxation, same cuts, same certified bound, one thread.

The cuts are those of the root when its bound has come within 1e-4 of the best clustering or has
stalled. Both then start cold on these cuts. The bound to reach is 1e-5 below the best that either
proves; SCS is asked for ever more accuracy until its certified bound is there, and only its last,
sufficient run counts (a run with the accuracy known beforehand). Our time counts every certified
round up to the bound. CPU seconds of the process.

    python benchmarks/sdp_scs.py [--bench DIR]
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402

from ccviz.problem.blocks import contract  # noqa: E402
from ccviz.solvers.relaxation.admm import (  # noqa: E402
    Iterate,
    balance,
    cold_start,
    exchange_cuts,
)
from ccviz.solvers.relaxation.conic_backend import solve_by_cvxpy  # noqa: E402
from ccviz.solvers.relaxation.engine import iterate  # noqa: E402
from ccviz.solvers.relaxation.model import Relaxation, relax  # noqa: E402
from ccviz.studies.suite import instances  # noqa: E402

SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED)) / "pc-sos-sdp"
RESULTS = Path(__file__).parent / "results" / "sdp_scs.md"
CASES = ("wine/ml_50_cl_50_0", "ecoli/ml_75_cl_75_0", "ECG5000/ml_125_cl_125_0")
ACCURACIES = (1e-4, 3e-5, 1e-5, 3e-6)
ROUNDS = 30
SLACK = 1e-5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    options = parser.parse_args()
    lines = [
        "| instance | blocks | cuts | bound to reach | ours, s | iterations | SCS, s | iterations "
        "| SCS accuracy | faster |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    warm_up(options.bench)
    for case in CASES:
        lines.append(compare(options.bench, case))
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


def warm_up(bench: Path) -> None:
    relaxation = relaxation_of(bench, "iris/ml_50_cl_50_0")
    solve_by_cvxpy(relaxation, tightened(relaxation, rounds=3), "scs", 1e-3)


def relaxation_of(bench: Path, case: str) -> Relaxation:
    (instance,) = instances(bench, case)
    return relax(contract(instance.problem()))


def tightened(relaxation: Relaxation, rounds: int = ROUNDS) -> Iterate:
    """Return the root's iterate after its rounds of cuts."""
    at = cold_start(relaxation)
    for _ in range(rounds):
        at = iterate(relaxation, at, 30)
        at = exchange_cuts(relaxation, at, 15 * relaxation.s, 1e-4)[0]
    active = at.weights > 0
    return replace(at, cuts=at.cuts.where(active), weights=at.weights[active])


def compare(bench: Path, case: str) -> str:
    relaxation = relaxation_of(bench, case)
    cuts = tightened(relaxation).cuts
    start = cold_start(relaxation)
    start = replace(start, cuts=cuts, weights=np.zeros(len(cuts)))
    theirs = [(accuracy, *timed_scs(relaxation, start, accuracy)) for accuracy in ACCURACIES]
    target = (1.0 - SLACK) * max(at.lower_bound for _, at, _ in theirs)
    accuracy, scs, scs_s = next(each for each in theirs if each[1].lower_bound >= target)
    ours, ours_s = timed_splitting(relaxation, start, target)
    cells = (
        case.replace("/ml_", " ").replace("_cl_", "/").removesuffix("_0"),
        relaxation.s,
        len(cuts),
        f"{target:.7g}",
        f"{ours_s:.2f}",
        ours.iterations,
        f"{scs_s:.2f}",
        scs.iterations,
        f"{accuracy:g}",
        f"{scs_s / ours_s:.1f}x",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def timed_scs(relaxation: Relaxation, start: Iterate, accuracy: float) -> tuple[Iterate, float]:
    began = time.process_time()
    return solve_by_cvxpy(relaxation, start, "scs", accuracy), time.process_time() - began


def timed_splitting(relaxation: Relaxation, start: Iterate, target: float) -> tuple[Iterate, float]:
    began = time.process_time()
    at = start
    while at.lower_bound < target and time.process_time() - began < 600:
        at = balance(iterate(relaxation, at, 30))
    return at, time.process_time() - began


if __name__ == "__main__":
    main()
