import numpy as np
import pytest

from ccviz.problem.links import Links
from ccviz.solvers.assignment import Structure, objective_of
from ccviz.solvers.assignment.kernels.anneal import anneal
from ccviz.solvers.assignment.milp import milp_assignment


def random_structure(rng, s, k):
    pairs = np.array([(i, j) for i in range(s) for j in range(i + 1, s)])
    kind = rng.integers(0, 8, len(pairs))
    weight = rng.uniform(0.2, 2, len(pairs))
    return Structure.from_edges(
        s,
        k,
        pairs[kind == 0],
        soft_must=Links(pairs[kind == 1], weight[kind == 1]),
        soft_cannot=Links(pairs[kind == 2], weight[kind == 2]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_keeps_conflicts_never_gets_worse_and_finds_small_optima(seed):
    rng = np.random.default_rng(seed)
    structure, cost = random_structure(rng, 10, 4), rng.uniform(0, 3, (10, 4))
    feasible = milp_assignment(rng.uniform(0, 1, (10, 4)), structure).labels
    linked, labels = structure.linked, cost.argmin(axis=1)
    labels[linked] = anneal(cost[linked], structure.graph, feasible[linked], 20_000, 3.0, 0.01, rng)
    found = objective_of(labels, cost, structure)
    assert found <= objective_of(feasible, cost, structure)
    assert found == pytest.approx(milp_assignment(cost, structure).objective, rel=1e-6)
