"""One exact assignment step beside the same model given whole to HiGHS.

CPU seconds of one thread. Ours is the time to prepare the links (once a run) and the step with the
centres of k-means++ and of converged k-means; HiGHS's is building the model and solving it. The
instances are those of S-MDEClust under CCVIZ_BENCH. Where the whole model is too large to build
here, or HiGHS reaches its limit, the ratio is a lower bound or missing.
"""

from __future__ import annotations

from argparse import Namespace
from functools import cache
from itertools import product

import _runner as runner
import numpy as np
from memetic_large import read
from sklearn.cluster import KMeans, kmeans_plusplus

from ccviz.problem.blocks import Blocks, contract
from ccviz.solvers.assignment import solve_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs
from ccviz.solvers.assignment.milp import milp_assignment

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


def centers_of(blocks: Blocks, kind: str) -> np.ndarray:
    """Return centres that a run meets first or near its end."""
    if kind == "k-means++":
        return kmeans_plusplus(
            blocks.centroid, blocks.k, sample_weight=blocks.mass, random_state=0
        )[0]
    model = KMeans(blocks.k, n_init=1, random_state=0)
    return model.fit(blocks.centroid, sample_weight=blocks.mass).cluster_centers_


@cache
def read_instance(name: str) -> Blocks:
    return contract(read(runner.BENCH / "s-mdeclust" / f"{name}.json"))


def measure(options: Namespace, name: str, kind: str) -> dict[str, object]:
    blocks = read_instance(name)
    structure, prepare_s = runner.timed(structure_of, blocks)
    cost = block_costs(blocks.centroid, blocks.mass, centers_of(blocks, kind))
    ours, step_s = runner.timed(solve_assignment, cost, structure, time_limit=OUR_LIMIT)
    row = {
        "blocks": blocks.s, "conflicts": len(blocks.conflicts), "prepare_s": round(prepare_s, 5),
        "step_s": round(step_s, 5), "proved": ours.proved, "objective": ours.objective,
    }  # fmt: skip
    if cost.size > LARGEST_RIVAL:
        return row
    limit = options.rival_limit
    whole, rival_s = runner.timed(milp_assignment, cost, structure, time_limit=limit)
    return row | {
        "highs_s": round(rival_s, 2), "highs_proved": whole.proved,
        "highs_objective": whole.objective, "ratio": round(rival_s / (prepare_s + step_s), 1),
    }  # fmt: skip


if __name__ == "__main__":
    runner.run(
        __doc__, "assignment", ("instance", "centres"),
        lambda options: product(options.only, ("k-means++", "k-means")), measure,
        runner.whole_table, rival_limit=120.0, only=INSTANCES,
        warm_up=lambda: measure(Namespace(rival_limit=1.0), INSTANCES[0], "k-means++"),
    )  # fmt: skip
