from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ccviz import Problem, solve
from ccviz.events import Assigned, CentersMoved, IncumbentFound, Noted, Restarted
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.solvers.assignment import structure_of
from ccviz.solvers.assignment.milp import milp_assignment
from ccviz.solvers.base import Context
from ccviz.solvers.pccc import Pccc


def unsure_problem(seed, n=24, k=4, links=30, hard=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    pairs = np.sort(rng.permuted(np.tile(np.arange(n), (links, 1)), axis=1)[:, :2], axis=1)
    certain = np.arange(links) < hard
    weights = np.where(certain, np.inf, rng.uniform(0.05, 1.0, links))
    given = np.column_stack([pairs, weights])
    return Problem(X, k, must_link=given[1::2], cannot_link=given[::2])


def steps_of(problem, seed=0, **settings):
    return list(Pccc(**settings).steps(problem, Context(seed=seed)))


def first_descent(events):
    """Return the centres and the assignment of each step in which no cluster had to be filled."""
    found = []
    for before, event in pairwise(events):
        if isinstance(event, Restarted):
            break
        if isinstance(before, CentersMoved):
            centers = before.centers
        if isinstance(event, Assigned) and not isinstance(before, Noted):
            found.append((centers, event))
    return found


@pytest.mark.parametrize("nearest", [2, 4])
def test_every_assignment_is_an_optimum_of_the_papers_model(nearest):
    steps = 0
    for seed in range(4):
        problem = unsure_problem(seed)
        blocks = contract(problem)
        conflicts = np.bincount(blocks.conflicts.ravel(), minlength=1).max()
        q = min(problem.k, max(nearest, conflicts + 1))
        for centers, event in first_descent(steps_of(problem, seed, nearest=nearest)):
            distances = cdist(blocks.centroid, centers)
            allowed = distances <= np.sort(distances, axis=1)[:, q - 1 : q]
            price = distances[allowed].mean()
            cost = np.where(allowed, blocks.mass[:, None] * distances / price, np.inf)
            whole = milp_assignment(cost, structure_of(blocks)).objective
            assert event.objective == pytest.approx(price * whole, rel=1e-7)
            steps += 1
    assert steps > 6


def test_hard_links_are_kept_and_soft_ones_weighed():
    X = [[0.0], [0.1], [5.0], [5.1], [0.2], [4.9]]
    problem = Problem(
        X, 2, must_link=[(0, 4), (0, 2, 0.1)], cannot_link=[(2, 5), (0, 1, 0.1), (2, 4, 0.9)]
    )
    result = solve(problem, "pccc")
    assert result.partition.violations.none_hard
    assert result.labels[0] == result.labels[1] != result.labels[2]
    believed = Problem(X, 2, must_link=[(0, 4)], cannot_link=[(2, 5), (0, 1, 50.0)])
    assert solve(believed, "pccc").partition.penalty == 0


def test_moved_centres_never_end_worse():
    better = 0
    for seed in range(6):
        problem = unsure_problem(seed, n=60, k=6, links=60, hard=0)
        plain, moved = (
            [e.objective for e in steps_of(problem, seed, reposition=how)
             if isinstance(e, IncumbentFound)]
            for how in (False, True)
        )  # fmt: skip
        assert moved == sorted(moved, reverse=True)
        assert moved[-1] <= plain[-1] + 1e-9
        better += moved[-1] < plain[-1] - 1e-9
    assert better


def test_nearest_centres_are_no_proof():
    """One centre alone is near to all, and sizes leave no room there."""
    X = np.concatenate([np.zeros((7, 1)), [[10.0], [11.0]]]) + np.arange(9)[:, None] / 100
    problem = Problem(X, 3, sizes=[3, 3, 3])
    result = solve(problem, "pccc", nearest=1)
    assert result.status == "feasible"
    assert sorted(np.bincount(result.labels)) == [3, 3, 3]


def test_links_inside_a_block_cost_nothing_in_a_step():
    """The paper leaves them out: no clustering can keep them."""
    X = np.arange(6.0)[:, None]
    problem = Problem(X, 2, must_link=[(0, 1)], cannot_link=[(0, 1, 0.5)])
    events = steps_of(problem)
    last = [event for event in events if isinstance(event, IncumbentFound)][-1]
    assert Partition(problem, last.labels).penalty == 0.5
    assert last.objective == pytest.approx(4.0)
