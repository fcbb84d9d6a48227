"""The list of all clusters, against all sets of blocks."""

from itertools import combinations

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.problem.blocks import contract
from ccviz.problem.relaxed import bounded
from ccviz.solvers.colgen.partitioning.every_cluster import every_cluster_of, has_few_clusters
from tests.constrained import _GIVEN, problem_of
from tests.seeds import seeds


def allowed(problem, blocks, inside):
    """Whether a set of blocks keeps every constraint that a single cluster may break."""
    points = np.flatnonzero(np.isin(blocks.block_of, inside))
    cannot = problem.cannot_link.hard.pairs
    if np.isin(cannot, points).all(axis=1).any():
        return False
    if problem.sizes is not None:
        size = blocks.mass[list(inside)].sum()
        if not ((problem.sizes.lower <= size) & (size <= problem.sizes.upper)).any():
            return False
    return all(rule.allows(problem, points) for rule in problem.rules)


@pytest.mark.parametrize("kind", sorted(set(_GIVEN) - {"fixed centres"}))
@pytest.mark.parametrize("seed", seeds(2, 20))
def test_all_sets_that_keep_everything_are_listed_with_their_costs(kind, seed):
    problem = problem_of(kind, seed, keeps_rules=True)
    if problem is None:
        return
    problem = bounded(problem, "all")
    blocks = contract(problem)
    every = every_cluster_of(problem, blocks)
    found = {tuple(np.flatnonzero(column).tolist()) for column in every.clusters.columns}
    sets = [each for t in range(1, blocks.s + 1) for each in combinations(range(blocks.s), t)]
    assert found == {each for each in sets if allowed(problem, blocks, list(each))}
    assert all(map(every.permits, every.clusters.columns))
    expected = every.costs_of(every.clusters.columns)
    assert every.clusters.costs == pytest.approx(expected, rel=1e-9, abs=1e-12 * blocks.mass.sum())
    assert has_few_clusters(problem, len(found))
    assert not found or not has_few_clusters(problem, len(found) - 1)


def test_the_least_reduced_cost_of_each_class_is_that_of_its_clusters():
    rng = np.random.default_rng(0)
    problem = bounded(Problem(rng.normal(size=(7, 2)), 3, sizes=[2, 2, 3]))
    every = every_cluster_of(problem, contract(problem))
    duals, dual = rng.normal(size=7), np.full(2, 0.5)
    priced = every.exact(duals, dual, 0.0)
    reduced = every.clusters.costs - every.clusters.columns @ duals
    least = [reduced[every.clusters.mass == size].min() for size in (2.0, 3.0)]
    assert priced.least == pytest.approx(np.array(least))
    assert len(priced.columns) == (reduced < 0.5).sum()


def test_given_centres_are_priced_as_before():
    X = np.random.default_rng(0).normal(size=(8, 2))
    problem = Problem(X, 3, cannot_link=[(0, 1, 0.5)], fixed_centers=X[:1] + 0.1)
    events = [record.event for record in start(problem, "colgen")]
    assert not any("listed" in getattr(event, "certificate", {}) for event in events)
