from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from ccviz.events import (
    BoundImproved,
    ColumnsPriced,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    NodeBranched,
    NodePruned,
)
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.rules import (
    MaxOverlap,
    MaxSize,
    SoftCannotLink,
    different_from,
    minimum_separation,
)
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.params import Params, PricingParams
from tests.enumeration import least_wcss
from tests.seeds import seeds
from tests.solvers.colgen.conftest import random_problem

SLICED = Params(pricing=PricingParams(visits=30_000))


def run(problem, params=None, **settings):
    return [*Colgen(**settings).steps_with(params or Params(), problem, Context(seed=0))]


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def sampled_links(labels, count, seed):
    """Return links by the protocol of Wagstaff and Cardie: pairs drawn, labels compared."""
    rng = np.random.default_rng(seed)
    must, cannot = set(), set()
    while len(must) + len(cannot) < count:
        i, j = sorted(rng.choice(len(labels), 2, replace=False).tolist())
        (must if labels[i] == labels[j] else cannot).add((i, j))
    return sorted(must), sorted(cannot)


def iris(k, count, every=1):
    data = load_iris()
    X, classes = data.data[::every], data.target[::every]
    must, cannot = sampled_links(classes, count, seed=0)
    return Problem(X, k, must_link=must, cannot_link=cannot)


@pytest.mark.parametrize("seed", seeds(2, 8))
def test_the_optimum_is_that_of_brute_force(seed, rules):
    problem = random_problem(seed, rules)
    best = least_wcss(problem)
    events = run(problem)
    assert isinstance(events[-1], Finished)
    assert events[-1].termination == "proved"
    if np.isinf(best):
        assert len(of(events, InfeasibilityProved)) == 1
        assert not of(events, IncumbentFound)
        return
    labels = of(events, IncumbentFound)[-1].labels
    partition = Partition(problem, labels)
    assert partition.violations.none_hard
    assert partition.wcss == pytest.approx(best, rel=1e-6)
    root = [event for event in of(events, ColumnsPriced) if event.node == 0]
    for event in of(events, BoundImproved) + root:
        assert event.lower_bound <= best * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", seeds(2, 4))
def test_minimum_separation_gives_the_best_of_all_clusterings_so_far_apart(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2))
    apart = squareform(pdist(X))
    distance = np.sort(apart[np.triu_indices(8, 1)])[3] + 1e-6
    best = np.inf
    for labels in product(range(3), repeat=8):
        labels = np.array(labels)
        if len(set(labels)) == 3 and apart[labels[:, None] != labels].min() >= distance:
            best = min(best, Partition(Problem(X, 3), labels).wcss)
    events = run(Problem(X, 3, must_link=minimum_separation(X, distance)))
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
    assert isinstance(events[-1], Finished)


def test_the_optimum_of_iris_with_three_hundred_links():
    events = run(iris(3, 300))
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(88.8767778, rel=1e-6)
    assert of(events, BoundImproved)[-1].lower_bound == pytest.approx(88.8767778, rel=1e-6)


@cache
def events_of(*instance):
    """Return the events of a run on iris that several tests look at."""
    return run(iris(*instance))


@pytest.mark.parametrize("stabilisation", ["interior", "smoothing", "perturbation", "none"])
@pytest.mark.parametrize("pricing", ["space", "blocks"])
def test_every_stabilisation_and_pricing_gives_the_same_optimum(stabilisation, pricing):
    best = of(events_of(3, 60, 3), IncumbentFound)[-1].objective
    events = run(iris(3, 60, every=3), stabilisation=stabilisation, pricing=pricing)
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
    assert of(events, BoundImproved)[-1].lower_bound == pytest.approx(best, rel=1e-6)


@pytest.mark.slow
def test_stabilisation_at_least_halves_the_iterations():
    rounds = {
        scheme: len(of(run(iris(5, 60, every=2), stabilisation=scheme), ColumnsPriced))
        for scheme in ("interior", "none")
    }
    assert 2 * rounds["interior"] <= rounds["none"]


@pytest.mark.parametrize(("n", "d", "k", "links", "seed"), [(30, 1, 6, 60, 3), (24, 2, 10, 60, 1)])
def test_a_fractional_relaxation_is_branched_on(n, d, k, links, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    pairs = rng.choice(n, size=(links, 2))
    events = run(Problem(X, k, cannot_link=[(i, j) for i, j in pairs.tolist() if i != j]))
    assert len(of(events, NodeBranched)) > 0
    assert len(of(events, NodePruned)) == len(of(events, NodeBranched)) + 1
    upper, lower = of(events, IncumbentFound)[-1].objective, of(events, BoundImproved)[-1]
    assert upper * (1.0 - 2e-6) <= lower.lower_bound <= upper * (1.0 + 1e-9)


def test_rules_that_leave_nothing_are_proved_infeasible():
    X = np.random.default_rng(0).normal(size=(9, 2))
    assert of(run(Problem(X, 2, rules=(MaxSize(4),))), InfeasibilityProved)
    overlap = MaxOverlap(tuple(range(9)), 2)
    assert of(run(Problem(X, 4, rules=(overlap,))), InfeasibilityProved)


@pytest.mark.parametrize(("by", "k"), [(1, 2), (2, 3)])
def test_a_different_clustering_is_different_and_best(by, k):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(8, 2))
    first = of(run(Problem(X, k)), IncumbentFound)[-1].labels
    problem = Problem(X, k, rules=(different_from(first, by),))
    second = of(run(problem), IncumbentFound)[-1]
    assert second.objective == pytest.approx(least_wcss(problem), rel=1e-6)
    for known in (first == label for label in range(k)):
        most = max(known.sum() - by, 1)
        assert all((known & (second.labels == j)).sum() <= most for j in range(k))


def test_a_tree_whose_branches_are_all_infeasible_proves_it():
    # Grötzsch's graph: without triangles, fractionally coloured by less than 3, but not by 3.
    cycle = [(i, (i + 1) % 5) for i in range(5)]
    spokes = [(5 + i, (i + step) % 5) for i in range(5) for step in (1, -1)]
    pairs = (*cycle, *spokes, *((10, 5 + i) for i in range(5)))
    X = np.random.default_rng(0).normal(size=(11, 2))
    events = run(Problem(X, 3, rules=(SoftCannotLink(pairs, 0),)))
    assert of(events, NodeBranched)
    [proof] = of(events, InfeasibilityProved)
    assert proof.reason == "every branch of the search tree is infeasible."
    assert events[-1].termination == "proved"


@pytest.mark.slow
def test_an_exact_pricing_over_many_tasks_ends_at_the_same_optimum():
    whole = events_of(5, 200)
    sliced = run(iris(5, 200), SLICED)
    for kind, field in ((IncumbentFound, "objective"), (BoundImproved, "lower_bound")):
        first, second = (getattr(of(events, kind)[-1], field) for events in (whole, sliced))
        assert second == pytest.approx(first, rel=2e-6)


@pytest.mark.parametrize("looks", [14, 20, 26])
def test_a_stop_within_a_pricing_leaves_a_valid_bound(looks):
    optimum = of(events_of(5, 200), IncumbentFound)[-1].objective
    count = iter(range(looks))
    context = Context(seed=0, stop=lambda: next(count, None) is None)
    events = [*Colgen().steps_with(SLICED, iris(5, 200), context)]
    assert not of(events, Finished)
    for event in of(events, BoundImproved):
        assert event.lower_bound <= optimum * (1.0 + 1e-9)
