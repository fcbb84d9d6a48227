from functools import cache

import numpy as np
import pytest
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
from ccviz.problem.problem import Problem
from ccviz.problem.rules import SoftCannotLink
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.params import Params, PricingParams

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
