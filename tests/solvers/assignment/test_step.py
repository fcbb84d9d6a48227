"""Steps of a descent: each is the exact assignment, whatever was kept from the one before."""

import numpy as np
import pytest

from ccviz import Problem, contract
from ccviz.solvers.assignment import greedy_assignment, solve_assignment, structure_of
from ccviz.solvers.assignment.centers import block_costs
from ccviz.solvers.assignment.greedy import greedy_rules, greedy_step, new_bounds
from ccviz.solvers.assignment.step import Descent


def problem(seed, n=60, k=4):
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(n)[:20].reshape(-1, 2)
    return Problem(rng.normal(size=(n, 3)), k, must_link=pairs[:3], cannot_link=pairs[3:])


@pytest.mark.parametrize("seed", range(5))
def test_every_step_is_the_exact_assignment(seed):
    blocks, rng = contract(problem(seed)), np.random.default_rng(seed)
    descent, centers = Descent(blocks, 5.0), rng.normal(size=(4, 3))
    for scale in (0.5, 0.1, 0.01, 0.0):
        answer = descent.assign(centers)
        costs = block_costs(blocks.centroid, blocks.mass, centers)
        exact = solve_assignment(costs, structure_of(blocks), nonempty=True)
        assert answer.objective == pytest.approx(exact.objective)
        assert (answer.labels == exact.labels).all()
        centers = centers + scale * rng.normal(size=(4, 3))


@pytest.mark.parametrize("most_proved", [0, 100])
def test_no_cluster_is_left_empty(most_proved):
    blocks = contract(problem(0))
    descent = Descent(blocks, 5.0, most_proved=most_proved)
    for far in (100.0, 90.0):
        centers = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [far, 0.0, 0.0]])
        answer = descent.assign(centers)
        assert len(set(answer.labels.tolist())) == 4
        first, second = answer.labels[blocks.conflicts.T]
        assert (first != second).all()
        assert answer.proved == (most_proved > 0)


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
