from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ccviz import Problem, solve
from ccviz.solvers import vqe


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["must_link", "cannot_link"])
def test_cvqe_gives_the_ends_of_a_broken_link_the_two_cheapest_clusters(seed, kind):
    rng = np.random.default_rng(seed)
    X, centers = rng.normal(size=(2, 2)), rng.normal(size=(3, 2))
    near, between = cdist(X, centers, "sqeuclidean"), cdist(centers, centers, "sqeuclidean")
    next_centre = (between + np.where(np.eye(3), np.inf, 0.0)).min(axis=1)

    def cost(i, j):
        broken = (i != j) if kind == "must_link" else (i == j)
        price = between[i, j] if i != j else next_centre[i]
        return (near[0, i] + near[1, j] + broken * price) / 2

    problem = Problem(np.concatenate([X, X + 9]), 3, **{kind: [(0, 1)]})
    rest = np.full((2, 3), 0.0)
    got = vqe.settle_pairwise(problem, centers, np.concatenate([near, rest]))
    assert got.objective == pytest.approx(min(cost(i, j) for i, j in product(range(3), repeat=2)))
    assert cost(*got.labels[:2]) == pytest.approx(got.objective)


def test_lcvqe_by_hand():
    # On a line: centres at 0 and 4; the must-linked points 1 and 3.5 lie nearest to one each.
    # Apart they cost (1 + .25) / 2 + (9 + 12.25) / 4, both at 0 (1 + 12.25) / 2, both at 4
    # (9 + .25) / 2 = 4.625, which is least.
    X = np.array([[1.0], [3.5]])
    near = cdist(X, [[0.0], [4.0]], "sqeuclidean")
    problem = Problem(np.array([[1.0], [3.5], [0.0]]), 2, must_link=[(0, 1)])
    centers = np.array([[0.0], [4.0]])
    got = vqe.settle_local(problem, centers, cdist(problem.X, centers, "sqeuclidean"))
    assert near.argmin(axis=1).tolist() == [0, 1]
    assert got.labels.tolist() == [1, 1, 0]
    assert got.objective == pytest.approx(4.625)
    # On their centres they stay, and each pulls the other's centre with half its weight.
    problem = Problem(np.array([[2.0], [8.0], [0.0]]), 2, must_link=[(0, 1)])
    centers = np.array([[2.0], [8.0]])
    got = vqe.settle_local(problem, centers, cdist(problem.X, centers, "sqeuclidean"))
    assert got.labels.tolist() == [0, 1, 0]
    assert got.weight.tolist() == [0.5, 0.5]
    assert got.pull.ravel().tolist() == [4.0, 1.0]
    # Of two cannot-linked points in one cluster the farther one moves on.
    problem = Problem(np.array([[0.0], [1.0], [9.0]]), 2, cannot_link=[(0, 1)])
    centers = np.array([[0.2], [8.0]])
    got = vqe.settle_local(problem, centers, cdist(problem.X, centers, "sqeuclidean"))
    assert got.labels.tolist() == [0, 1, 1]


@pytest.mark.parametrize("name", ["cvqe", "lcvqe"])
def test_links_bring_the_answer_nearer_to_them_than_k_means(name):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 1.0, size=(40, 2)) for c in ((0, 0), (2.5, 0), (0, 2.5))])
    truth = np.repeat(np.arange(3), 40)
    pairs = rng.choice(120, size=(80, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 3, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)
    with_links, without = solve(problem, name, seed=0), solve(problem, "k-means", seed=0)
    assert with_links.partition.violations.hard < without.partition.violations.hard
    assert with_links.partition.scores["ari"] > without.partition.scores["ari"]
