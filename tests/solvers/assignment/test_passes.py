"""Passes by several threads: the results are the same, to the last bit."""

import numpy as np
import pytest

from ccviz import Problem, contract, solve
from ccviz.solvers.assignment.centers import block_costs, block_means, block_wcss
from ccviz.solvers.assignment.kernels.rules import open_candidates
from ccviz.solvers.assignment.step import Descent, open_passes
from ccviz.solvers.assignment.structure import structure_of


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    pairs = rng.permutation(500)[:80].reshape(-1, 2)
    X = rng.normal(size=(500, 3)) + rng.integers(3, size=(500, 1))
    return Problem(X, 4, must_link=pairs[:20], cannot_link=pairs[20:])


@pytest.mark.parametrize("threads", [1, 3])
def test_a_pass_is_the_whole_in_strips(problem, threads):
    blocks, rng = contract(problem), np.random.default_rng(1)
    centers, labels = rng.normal(size=(4, 3)), rng.integers(4, size=blocks.s)
    costs, structure = block_costs(blocks.centroid, blocks.mass, centers), structure_of(blocks)
    whole = open_candidates(costs, structure.linked, 0, structure.graph)
    some = np.arange(0, blocks.s, 2)
    with open_passes(blocks, threads, strip=64) as over:
        in_strips = over.candidates(structure.linked, structure.graph, centers)
        assert [each.tolist() for each in in_strips] == [each.tolist() for each in whole]
        means = block_means(blocks.centroid, blocks.mass, labels, centers)
        assert over.means(labels, centers) == pytest.approx(means)
        wcss = block_wcss(blocks.centroid, blocks.mass, labels, centers)
        assert over.wcss(labels, centers) == pytest.approx(wcss)
        found, lower = np.full(blocks.s, -1), np.zeros(len(some))
        paid = over.nearest(some, centers, np.zeros(4), found, lower)
    assert (found[some] == costs[some].argmin(axis=1)).all()
    assert (found[1::2] == -1).all()
    assert paid == pytest.approx(costs[some].min(axis=1).sum())


def descent_of(blocks, threads):
    """Return labels and objective of each step of a descent, and the last centres."""
    found, centers = [], np.random.default_rng(1).normal(size=(4, 3))
    with open_passes(blocks, threads, strip=64) as over:
        descent = Descent(blocks, 5.0, over)
        for _ in range(6):
            answer = descent.assign(centers)
            found.append((answer.labels.tolist(), answer.objective))
            centers = over.means(answer.labels, centers)
    return found, centers.tolist()


def test_threads_change_no_bit_of_a_descent(problem):
    blocks = contract(problem)
    assert descent_of(blocks, 1) == descent_of(blocks, 3)


def test_threads_change_no_bit_of_a_run(problem):
    one, three = (solve(problem, "blp-kmeans", seed=1, threads=number) for number in (1, 3))
    assert (one.labels == three.labels).all()
    assert one.objective == three.objective
