"""Regions: connected clusters that keep links, sizes and sums, against brute force."""

import math

import numpy as np
import pytest

from ccviz import Partition, Problem, start
from ccviz.errors import ProblemError
from ccviz.events import TERMINATION_SENTENCES
from ccviz.problem.blocks import contract
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.solvers import make_solver
from ccviz.solvers.base import Context
from ccviz.solvers.regions import region_start
from ccviz.solvers.regions.starts import Starts
from tests.constrained import optimum

DRAWS = 25
LEAST_SHARE = 0.9
"""Share of the problems with an answer in which the optimum is to be found."""


def grid(rows, columns):
    """Return the pairs of points next to one another in a grid."""
    at = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()], axis=1)
    return np.concatenate([across, np.stack([at[:-1].ravel(), at[1:].ravel()], axis=1)])


def drawn(kind, seed):
    """Return a small problem with neighbours and rules of a kind, None where these contradict."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    pairs = [(int(rng.integers(i)), i) for i in range(1, n) if rng.random() < 0.9]
    pairs += [tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(n // 2)]
    given = {"neighbors": np.unique(np.array(pairs).reshape(-1, 2), axis=0)}
    links = [tuple(map(int, rng.choice(n, 2, replace=False))) for _ in range(3)]
    values = tuple(map(float, rng.integers(0, 9, n)))
    if kind in ("links", "all"):
        given |= {"must_link": links[:1], "cannot_link": links[1:]}
    if kind in ("soft", "all"):
        weighed = [(a, b, float(rng.integers(1, 9))) for a, b in links[::-1]]
        given["must_link"] = [*given.get("must_link", ()), *weighed[:2]]
        given["cannot_link"] = [*given.get("cannot_link", ()), *weighed[2:]]
    if kind in ("sizes", "all"):
        given["sizes"] = ([max(1, n // k - 1)] * k, [n // k + 1] * k)
    if kind == "exact":
        given["sizes"] = rng.multinomial(n - k, np.ones(k) / k) + 1
    if kind in ("sums", "all"):
        share = sum(values) / k
        given["rules"] = (MaxSum(values, 1.5 * share), MinSum(values, 0.4 * share))
    if kind == "weights":
        given["weights"] = rng.integers(1, 4, n)
    try:
        return Problem(rng.normal(size=(n, 2)), k, **given)
    except ProblemError:
        return None


LONG = [
    pytest.param(kind, marks=pytest.mark.slow) for kind in ("soft", "sizes", "exact", "weights")
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["free", "links", "sizes", "sums", "all", *LONG])
def test_brute_force(kind):
    solved = reached = 0
    for problem in filter(None, (drawn(kind, seed) for seed in range(DRAWS))):
        result = start(problem, make_solver("regions", n_init=8, patience=60), seed=1).result()
        best = optimum(problem)
        assert result.status in ("feasible", "unknown") or best == math.inf
        if result.status == "feasible":
            assert result.partition.violations.none_hard
            assert result.objective >= best * (1.0 - 1e-9)
        solved += best < math.inf
        reached += result.status == "feasible" and result.objective <= best * (1.0 + 1e-9) + 1e-12
    assert reached >= LEAST_SHARE * solved > 0


X = np.random.default_rng(3).normal(size=(36, 2))


def answered(problem, **settings):
    """Return the result of a run, which has an answer that keeps everything."""
    result = start(problem, make_solver("regions", **settings), seed=1).result()
    assert result.status == "feasible"
    assert result.partition.violations.none_hard
    return result


def test_one_cluster_and_a_cluster_a_point():
    pairs = grid(2, 3)
    assert answered(Problem(X[:6], 1, neighbors=pairs)).partition.labels.tolist() == [0] * 6
    assert answered(Problem(X[:6], 6, neighbors=pairs)).objective == 0.0
    assert answered(Problem(X[:2], 2, neighbors=[(0, 1)])).objective == 0.0


def test_an_island_has_a_cluster_of_its_own():
    pairs = [(0, 1), (1, 2), (2, 3), (4, 5)]  # 6 has no neighbour
    labels = answered(Problem(X[:7], 3, neighbors=pairs)).partition.labels
    assert len(set(labels[:4])) == len(set(labels[4:6])) == 1


def test_more_islands_than_clusters_are_not_called_infeasible_by_a_failure():
    run = make_solver("regions").steps(Problem(X[:6], 2, neighbors=[(0, 1), (2, 3)]), Context())
    end = list(run)[-1]
    assert (end.termination, end.message[:8]) in (
        ("stalled", "No start"),
        ("proved", TERMINATION_SENTENCES["proved"][:8]),
    )


def test_a_block_that_is_not_connected_is_joined_by_others():
    """Points 0 and 4 of a path belong together, so all between them do."""
    pairs = np.stack([np.arange(7), np.arange(1, 8)], axis=1)
    labels = answered(Problem(X[:8], 2, must_link=[(0, 4)], neighbors=pairs)).partition.labels
    assert len(set(labels[:5])) == 1


def test_equal_sizes_on_a_grid_are_found_by_swaps_and_moves():
    result = answered(Problem(X, 4, neighbors=grid(6, 6), sizes="equal"), n_init=4)
    assert np.bincount(result.partition.labels).tolist() == [9] * 4


def test_the_function_gives_labels_or_none():
    problem = Problem(X, 4, neighbors=grid(6, 6))
    labels = region_start(problem, np.random.default_rng(0), n_init=2)
    assert problem.neighbors.are_connected(labels)
    cut = Problem(X[:3], 2, neighbors=[(0, 1), (1, 2)], cannot_link=[(0, 1), (1, 2)])
    assert region_start(cut, np.random.default_rng(0), n_init=2) is None


def test_it_is_better_than_growing_alone():
    """Eight starts of growth against one start that is improved."""
    problem = Problem(X, 5, neighbors=grid(6, 6))
    starts, rng = Starts.of(problem, contract(problem)), np.random.default_rng(0)
    grown = [starts.by_growing(rng, is_first=False) for _ in range(8)]
    least = min(Partition(problem, labels).objective for labels in grown)
    assert answered(problem, n_init=1).objective < least


def test_a_start_that_is_not_connected_is_repaired():
    """The heaviest piece of each cluster stays where the search begins."""
    problem = Problem(X, 3, neighbors=grid(6, 6))
    labels = np.repeat([0, 1, 2], 12)
    labels[[0, 20]] = 2, 0  # corners of other regions
    starts, blocks = Starts.of(problem, contract(problem)), contract(problem)
    repaired = starts.repaired(blocks.project(labels))
    assert problem.neighbors.are_connected(repaired)
    assert (repaired == labels).sum() == 34
    found = region_start(problem, np.random.default_rng(0), labels=labels, n_init=1)
    assert problem.neighbors.are_connected(found)


def test_a_run_begins_with_a_given_clustering():
    problem = Problem(X, 4, neighbors=grid(6, 6))
    best = answered(problem)
    again = start(problem, make_solver("regions", n_init=1), seed=9, start=best.partition.labels)
    assert again.result().objective <= best.objective * (1.0 + 1e-12)
