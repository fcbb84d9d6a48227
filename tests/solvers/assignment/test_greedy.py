"""Greedy iterations with bounds: the same answers as without."""

import numpy as np
import pytest

from ccviz import Problem, contract
from ccviz.solvers.assignment import greedy_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs
from ccviz.solvers.assignment.greedy import greedy_rules, greedy_step, new_bounds


@pytest.mark.parametrize("sizes", [None, ([5, 5, 5], [40, 40, 40])])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_change_no_answer(seed, sizes):
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(60)[:30].reshape(-1, 2)
    X = rng.normal(size=(60, 2))
    blocks = contract(Problem(X, 3, must_link=pairs[:5], cannot_link=pairs[5:], sizes=sizes))
    structure, order = structure_of(blocks), rng.permutation(blocks.s)
    rules = greedy_rules(structure, nonempty=True)
    centers, labels = X[:3].copy(), np.full(blocks.s, -1)
    bounds = new_bounds(blocks.s, centers)
    for _ in range(6):
        step = greedy_step(blocks.centroid, blocks.mass, centers, order, rules, labels, bounds)
        costs = block_costs(blocks.centroid, blocks.mass, centers)
        plain = greedy_assignment(costs, structure, order, nonempty=True)
        assert (step.labels == plain.labels).all()
        if step.done < blocks.s:
            break
        assert step.objective == pytest.approx(plain.objective)
        labels, centers = step.labels, step.centers
