"""Can the links be kept? Ours beside the whole colouring model given to HiGHS.

    python benchmarks/feasibility.py [--rival-limit 30]

CPU seconds of one thread on the instances of S-MDEClust under CCVIZ_BENCH, with the links alone
and with equal sizes. Ours is the whole of `check_feasibility`, contraction included and the
compiled search loaded before; HiGHS's is building the model over all blocks with links, in bulk,
and solving it.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from ccviz import Problem, check_feasibility, contract  # noqa: E402
from ccviz.data.files import read_data  # noqa: E402
from ccviz.data.link_files import read_links_file  # noqa: E402
from ccviz.feasibility.packing import Packing, pack_by_highs  # noqa: E402

RESULTS = Path(__file__).parent / "results"
BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
INSTANCES = (
    ("n1000_k20", 1000),
    ("n1000_k20", 10000),
    ("n20000_k2", 10000),
    ("n20000_k20", 1000),
    ("n20000_k20", 10000),
    ("n20000_k100", 10000),
)
LARGEST_RIVAL = 1_000_000
"""Columns of the whole model; beyond that HiGHS is not asked."""


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rival-limit", type=float, default=30.0)
    limit = parser.parse_args().rival_limit
    check_feasibility(Problem(np.eye(4), 2, cannot_link=[(0, 1), (1, 2), (2, 3), (3, 0)]))
    import ccviz.feasibility.search  # noqa: F401  the compiled search, loaded before it is timed

    rows = [
        row(name, links, sizes, limit) for name, links in INSTANCES for sizes in ("any", "equal")
    ]
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    table.to_csv(RESULTS / "feasibility.csv", index=False)


def row(name: str, links: int, sizes: str, limit: float) -> dict[str, object]:
    problem = load(name, links, sizes)
    began = time.process_time()
    answer = check_feasibility(problem)
    ours = time.process_time() - began
    theirs, rival = whole_model(problem, limit)
    return {
        "instance": f"{name}_c{links}",
        "sizes": sizes,
        "ours_s": round(ours, 4),
        "ours": answer.feasible,
        "highs_s": theirs,
        "highs": rival,
        "ratio": None if theirs is None else round(theirs / ours, 1),
    }


def load(name: str, links: int, sizes: str) -> Problem:
    data = read_data(BENCH / "s-mdeclust" / f"{name}.csv")
    n, k = len(data.X), data.k
    given = read_links_file(BENCH / "s-mdeclust" / f"{name}_c{links}.json", n)
    equal = ([n // k] * k, [-(-n // k)] * k) if sizes == "equal" else None
    return Problem(data.X, k, given.must_link, given.cannot_link, sizes=equal)


def whole_model(problem: Problem, limit: float) -> tuple[float | None, str]:
    began = time.process_time()
    blocks = contract(problem)
    k = problem.k
    tied = len(np.unique(blocks.conflicts))
    if tied * k > LARGEST_RIVAL:
        return None, f"not asked: {tied * k} columns"
    lower, upper = np.ones(k, dtype=np.int64), np.full(k, problem.n)
    if problem.sizes is not None:
        lower, upper = problem.sizes.lower, problem.sizes.upper
    packing = Packing(blocks.mass.astype(np.int64), blocks.conflicts, lower, upper)
    feasible, _ = pack_by_highs(packing, np.zeros(0, dtype=np.int64), limit)
    said = "no answer in time" if feasible is None else str(feasible)
    return round(time.process_time() - began, 2), said


if __name__ == "__main__":
    main()
