"""One exact assignment step beside the same model given whole to HiGHS.

    python benchmarks/assignment.py [--rival-limit 120] [--only GLOB]

CPU seconds of one thread. Ours is the time to prepare the links (once a run) and the step with the
centres of k-means++ and of converged k-means; HiGHS's is building the model and solving it. The
instances are those of S-MDEClust under CCVIZ_BENCH. Where the whole model is too large to build
here, or HiGHS reaches its limit, the ratio is a lower bound or missing.
"""

from __future__ import annotations

import argparse
import os
from fnmatch import fnmatch
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from _cpu_clock import timed  # noqa: E402
from sklearn.cluster import KMeans, kmeans_plusplus  # noqa: E402

from ccviz import Problem  # noqa: E402
from ccviz.data.files import read_data  # noqa: E402
from ccviz.data.link_files import read_links_file  # noqa: E402
from ccviz.problem.blocks import Blocks, contract  # noqa: E402
from ccviz.solvers.assignment import (  # noqa: E402
    solve_assignment,
    structure_of,
)
from ccviz.solvers.assignment.centers import block_costs  # noqa: E402
from ccviz.solvers.assignment.milp import milp_assignment  # noqa: E402

RESULTS = Path(__file__).parent / "results"
BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))

INSTANCES = (
    "n1000_k20_c100",
    "n1000_k20_c1000",
    "n20000_k20_c100",
    "n20000_k20_c1000",
    "n20000_k100_c10000",
    "n1000_k20_c10000",
)
OUR_LIMIT = 2.0
LARGEST_RIVAL = 1_000_000
"""Columns of the whole model; beyond that HiGHS is not asked."""


def read_instance(name: str) -> Blocks:
    """Return the contracted problem of one instance."""
    folder = BENCH / "s-mdeclust"
    data = read_data(folder / f"{name.rsplit('_', 1)[0]}.csv", label="class")
    links = read_links_file(folder / f"{name}.json", len(data.X))
    k = int(name.split("_")[1][1:])
    return contract(Problem(data.X, k, links.must_link, links.cannot_link))


def centers_of(blocks: Blocks, kind: str) -> np.ndarray:
    """Return centres that a run meets first or near its end."""
    if kind == "k-means++":
        return kmeans_plusplus(
            blocks.centroid, blocks.k, sample_weight=blocks.mass, random_state=0
        )[0]
    model = KMeans(blocks.k, n_init=1, random_state=0)
    return model.fit(blocks.centroid, sample_weight=blocks.mass).cluster_centers_


def measure(name: str, kind: str, rival_limit: float) -> dict[str, object]:
    """Return one row of the table."""
    blocks = read_instance(name)
    structure, prepare_s = timed(structure_of, blocks)
    cost = block_costs(blocks.centroid, blocks.mass, centers_of(blocks, kind))
    ours, step_s = timed(solve_assignment, cost, structure, time_limit=OUR_LIMIT)
    row = {
        "instance": name,
        "centres": kind,
        "blocks": blocks.s,
        "conflicts": len(blocks.conflicts),
        "prepare_s": round(prepare_s, 5),
        "step_s": round(step_s, 5),
        "proved": ours.proved,
        "objective": ours.objective,
    }
    if cost.size > LARGEST_RIVAL:
        return row
    whole, rival_s = timed(milp_assignment, cost, structure, time_limit=rival_limit)
    return row | {
        "highs_s": round(rival_s, 2),
        "highs_proved": whole.proved,
        "highs_objective": whole.objective,
        "ratio": round(rival_s / (prepare_s + step_s), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rival-limit", type=float, default=120.0, help="seconds for HiGHS")
    parser.add_argument("--only", default="*", help="glob of instances")
    options = parser.parse_args()
    measure("n1000_k20_c100", "k-means++", 1.0)  # compiles
    target = RESULTS / "assignment.csv"
    rows = []
    for name in INSTANCES:
        for kind in ("k-means++", "k-means"):
            if fnmatch(name, options.only):
                rows.append(measure(name, kind, options.rival_limit))
                print(rows[-1], flush=True)
                table = pd.DataFrame(rows)
                table.to_csv(target, index=False)
                target.with_suffix(".md").write_text(as_markdown(table))


def as_markdown(table: pd.DataFrame) -> str:
    """Return a table as Markdown."""
    lines = [table.columns.tolist(), ["---"] * len(table.columns)]
    lines += [["" if value != value else str(value) for value in row] for row in table.values]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    main()
