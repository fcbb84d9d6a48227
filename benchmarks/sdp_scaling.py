"""How the root's cost grows with the number of blocks, and where the time goes.

Seeded Gaussian clusters with n/8 must-links and n/8 cannot-links that follow the classes, s = 100
to 800 blocks; CPU seconds of one process and thread. The exponent is that of a least-squares line
through log time against log s.

    python benchmarks/sdp_scaling.py
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402

from ccviz import Problem  # noqa: E402
from ccviz.problem.blocks import contract  # noqa: E402
from ccviz.solvers.relaxation.admm import (  # noqa: E402
    Iterate,
    cold_start,
    exchange_cuts,
)
from ccviz.solvers.relaxation.engine import iterate  # noqa: E402
from ccviz.solvers.relaxation.model import relax  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "sdp_scaling.md"
SIZES = (100, 200, 400, 800)
ROUNDS = 12
SHARES = {
    "eigenvectors": ("_follow", "_afresh"),
    "projection on the cuts": ("hildreth_sweep", "add_rows", "admm_update"),
    "separation": ("exchange_cuts",),
    "certificate": ("certify",),
}


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    root(draw(60))
    lines = [
        f"| blocks | {ROUNDS} rounds, s | {' | '.join(SHARES)} | other |",
        "|---" * (len(SHARES) + 3) + "|",
    ]
    seconds = []
    for size in SIZES:
        total, shares = measure(draw(size))
        seconds.append(total)
        cells = [f"{share:.0%}" for share in (*shares, 1.0 - sum(shares))]
        lines.append(f"| {size} | {total:.2f} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    slope = float(np.polyfit(np.log(SIZES), np.log(seconds), 1)[0])
    lines += ["", f"Fitted exponent: time grows as s^{slope:.2f}."]
    print(lines[-1])
    RESULTS.write_text("\n".join(lines) + "\n")


def draw(blocks: int) -> Problem:
    """Draw a problem that contracts to a number of blocks."""
    rng = np.random.default_rng(blocks)
    links = blocks // 7
    n = blocks + links
    truth = rng.integers(0, 5, n)
    X = rng.normal(size=(5, 8))[truth] * 1.5 + rng.normal(size=(n, 8))
    must = [
        (i, int(rng.choice(np.flatnonzero(truth[:i] == truth[i])))) for i in range(n - links, n)
    ]
    pairs = rng.integers(0, n, size=(4 * links, 2))
    cannot = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]][:links]
    return Problem(X, 5, must_link=must, cannot_link=cannot)


def root(problem: Problem) -> Iterate:
    relaxation = relax(contract(problem))
    at = cold_start(relaxation)
    for _ in range(ROUNDS):
        at = iterate(relaxation, at, 30)
        at = exchange_cuts(relaxation, at, 15 * relaxation.s, 1e-4)[0]
    return at


def measure(problem: Problem) -> tuple[float, list[float]]:
    """Return CPU seconds and the share of each part, the shares from a second, profiled run."""
    began = time.process_time()
    root(problem)
    total = time.process_time() - began
    profile = cProfile.Profile(time.process_time)
    profile.runcall(root, problem)
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    spent = {key[2]: times[3] for key, times in stats.items()}
    whole = max(times[3] for times in stats.values())
    return total, [sum(spent.get(name, 0.0) for name in parts) / whole for parts in SHARES.values()]


if __name__ == "__main__":
    main()
