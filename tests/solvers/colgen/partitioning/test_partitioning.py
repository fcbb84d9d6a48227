"""The list of all clusters, against all sets of blocks."""

from itertools import combinations

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.data import load
from ccviz.events import ColumnsPriced, NodePruned
from ccviz.problem.blocks import contract
from ccviz.problem.relaxed import bounded
from ccviz.proof.verify import verify
from ccviz.solvers.colgen.params import TurnParams
from ccviz.solvers.colgen.partitioning.cluster import descend, reduced_cost
from ccviz.solvers.colgen.partitioning.every_cluster import every_cluster_of, has_few_clusters
from ccviz.solvers.colgen.partitioning.master import cluster_costs, make_model, size_classes
from ccviz.solvers.colgen.partitioning.pricer import pricer_of
from tests.constrained import _GIVEN, problem_of
from tests.enumeration import least_objective
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


# --- Sizes ----------------------------------------------------------------------------------------

# Column generation under cluster sizes: against brute force, its bounds and its certificates.


def proved():
    """Return a problem of two classes and the events of its proof by duals alone."""
    X = np.random.default_rng(4).normal(size=(16, 2))
    problem = Problem(X, 3, sizes=[4, 6, 6], cannot_link=[(0, 1)])
    events = [record.event for record in start(problem, "colgen", listed=0)]
    events = [
        _with(event, nonnegativity=None) if isinstance(event, NodePruned) else event
        for event in events
    ]
    return problem, events


def _with(event, **changed):
    """Return the event with some arrays of its certificate replaced, or gone."""
    arrays = {**event.certificate, **changed}
    kept = {name: array for name, array in arrays.items() if array is not None}
    return msgspec.structs.replace(event, certificate=kept)


def test_altered_duals_and_least_values_are_refused():
    problem, events = proved()
    assert verify(problem, events).accepted
    at = next(i for i, event in enumerate(events) if isinstance(event, NodePruned))
    leaf = events[at]
    duals, least = leaf.certificate["duals"], leaf.certificate["least"]
    assert least.shape == (2,)
    for changed in (
        {"least": least + np.abs(least) * 0.05},  # claims more than the clusters allow
        {"least": least[:1]},
        {"duals": duals[:-1]},
        {"duals": duals + 0.05 * np.abs(duals).max()},
        {"taken": np.zeros(1)},
        {"least": None},
    ):
        altered = [*events[:at], _with(leaf, **changed), *events[at + 1 :]]
        assert not verify(problem, altered).accepted, changed
    # The claim goes up with the least values: then a cluster of lower value is found.
    more = np.abs(least) * 0.05
    unit = 4.0 ** leaf.certificate["unit"][0]
    lied = _with(leaf, least=least + more)
    raised = leaf.lower_bound + float(np.array([1, 2]) @ more) / unit
    lied = msgspec.structs.replace(lied, lower_bound=raised)
    altered = [*events[:at], lied, *events[at + 1 :]]
    assert not verify(problem, altered).accepted


@pytest.mark.slow
def test_iris_in_three_clusters_of_fifty_reaches_the_published_optimum():
    problem = Problem(load("iris").X, 3, sizes=[50, 50, 50])
    result = start(problem, "colgen", tolerance=1e-3).result()
    assert result.status in {"feasible", "optimal"}
    assert result.objective == pytest.approx(81.2778, abs=5e-5)
    assert result.lower_bound <= 81.2778 <= result.lower_bound * 1.0011


# --- Column generation under soft links: against brute force, its bounds and its certificates -----


def by_duals(event):
    """Return a closed node's event without its semidefinite certificate."""
    if not isinstance(event, NodePruned):
        return event
    kept = {"duals", "least", "unit", "node", "witness"} & set(event.certificate)
    return msgspec.structs.replace(
        event, certificate={name: event.certificate[name] for name in kept}
    )


@pytest.mark.parametrize("seed", seeds(3, 30))
def test_links_against_each_other_on_one_pair_cost_both_weights(seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        n = int(rng.integers(2, 8))
        pairs = [rng.choice(n, 2, replace=False).tolist() for _ in range(2)]
        must, cannot = ([(*pair, float(rng.integers(1, 20))) for pair in pairs] for _ in range(2))
        problem = Problem(
            rng.integers(0, 5, (n, 2)), int(rng.integers(1, min(n, 3) + 1)), must, cannot
        )
        run = start(problem, "colgen", seed=2, tolerance=1e-7, listed=0)
        events = [record.event for record in run]
        optimum = least_objective(problem)
        assert run.result().status == "optimal"
        assert run.result().objective == pytest.approx(optimum, abs=1e-9)
        assert run.result().lower_bound <= optimum * (1.0 + 1e-9)
        assert verify(problem, events).accepted


@pytest.mark.parametrize("weight", [1e10, 8e13, 1e15])
def test_a_link_heavier_than_all_costs_leaves_the_costs_their_digits(weight):
    problem = Problem([[0.0], [0.0], [0.0], [1.0]], 1, must_link=[(0, 2, weight)])
    run = start(problem, "colgen", seed=2, time_limit=60.0, listed=0)
    events = [record.event for record in run]
    assert run.result().status == "optimal"
    assert run.result().lower_bound <= 0.75 == pytest.approx(run.result().objective)
    assert sum(isinstance(event, ColumnsPriced) for event in events) < 20


def test_costs_far_below_the_rounding_of_the_data_end_by_themselves():
    X = np.array([[-2, -1], [-1, -3], [-3, -2], [2, -2], [1, 0]]) / 2.0**28
    link, centers = [(4, 2, 8.84e-18)], [[-0.5, -0.5]]
    problem = Problem(X, 4, must_link=link, fixed_centers=centers)
    run = start(problem, "colgen", seed=81, time_limit=60.0)
    assert sum(isinstance(record.event, ColumnsPriced) for record in run) < 40
    assert run.result().termination == "stalled"


def test_duals_alone_prove_and_altered_ones_do_not():
    X = np.random.default_rng(4).normal(size=(14, 2))
    soft = [(0, 1, 0.5), (2, 3, 1.0), (4, 9, 0.2), (5, 6, 3.0)]
    problem = Problem(X, 3, must_link=soft[::2], cannot_link=soft[1::2])
    events = [by_duals(record.event) for record in start(problem, "colgen", listed=0)]
    assert verify(problem, events).accepted
    at = next(i for i, event in enumerate(events) if isinstance(event, NodePruned))
    leaf = events[at]
    duals, least = leaf.certificate["duals"], leaf.certificate["least"]
    for changed in (
        {"least": least + 0.05 * np.abs(least)},  # claims more than the leaf's bound
        {"duals": 1.2 * duals},
        {"duals": duals[1:]},
        {"least": np.append(least, least)},
    ):
        lied = msgspec.structs.replace(leaf, certificate={**leaf.certificate, **changed})
        assert not verify(problem, [*events[:at], lied, *events[at + 1 :]]).accepted, changed


# --- Pricing within size limits and under soft links, against all clusters ------------------------


def drawn(seed):
    """Draw blocks with conflicts and soft links, duals of any sign, and size limits."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 11)), int(rng.integers(1, 4))
    pairs = rng.choice(n, (8, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    soft = [(int(i), int(j), float(rng.exponential())) for i, j in pairs[4:]]
    lower = int(rng.integers(1, n))
    upper = int(rng.integers(lower, n + 1))
    X = np.round(rng.normal(size=(n, d)), int(rng.integers(0, 3)))  # with ties
    problem = Problem(
        X,
        1,
        must_link=[(0, 1)] * int(rng.integers(2)) + soft[::2],
        cannot_link=soft[1::2],
        sizes=([1], [n]),
    )
    blocks = contract(problem)
    conflicts = np.sort(rng.choice(blocks.s, (3, 2)), axis=1)
    conflicts = conflicts[conflicts[:, 0] != conflicts[:, 1]]
    object.__setattr__(blocks, "conflicts", conflicts)
    duals = rng.normal(size=blocks.s) * rng.choice([0.3, 1.0, 3.0])
    return problem, blocks, duals, float(lower), float(upper)


def least_of_all(blocks, duals, lower, upper):
    """Return the least reduced cost of any cluster, inf if there is none."""
    inside = (np.arange(1, 1 << blocks.s)[:, None] >> np.arange(blocks.s) & 1).astype(bool)
    mass = inside @ blocks.mass
    allowed = (mass >= lower) & (mass <= upper)
    for i, j in blocks.conflicts:
        allowed &= ~(inside[:, i] & inside[:, j])
    inside = inside[allowed]
    costs = cluster_costs(make_model(blocks), inside)
    return min(costs - inside @ duals, default=np.inf)


@pytest.mark.parametrize("method", ["space", "blocks", "both"])
@pytest.mark.parametrize("seed", seeds(2, 20))
def test_exact_pricing_finds_the_least_of_all_clusters(method, seed):
    for each in range(12 * seed, 12 * seed + 12):
        problem, blocks, duals, lower, upper = drawn(each)
        least = least_of_all(blocks, duals, lower, upper)
        pricer = pricer_of(problem, blocks, method, TurnParams(visits=50, visits_per_block=1))
        (first,) = size_classes(blocks)
        limited = type(pricer)(
            pricer.models, (first._replace(lower=lower, upper=upper),), method, pricer.turns
        )
        cutoff = 100.0
        priced = limited.exact(duals, np.array([cutoff]), 1e-7)
        assert priced.least[0] <= least + 1e-12
        assert priced.least[0] == pytest.approx(min(least, cutoff), abs=1e-6)
        if np.isfinite(least):
            found = priced.costs - priced.columns @ duals
            assert min(found) == pytest.approx(least, abs=1e-6)
            assert all(limited.permits(column) for column in priced.columns)


def test_descents_end_at_clusters_of_the_reduced_cost_that_they_report():
    for seed in range(10):
        _, blocks, duals, lower, upper = drawn(seed)
        model = make_model(blocks)
        columns, values = np.zeros((20, blocks.s), dtype=bool), np.zeros(20)
        seed_points = model.instance.points.copy()
        found = descend(model, duals, lower, upper, seed_points, 1e9, columns, values)
        least = least_of_all(blocks, duals, lower, upper)
        mean = np.empty(model.instance.points.shape[1])
        for column, value in zip(columns[:found], values[:found], strict=True):
            again, mass = reduced_cost(model, duals, column, mean)
            assert value == pytest.approx(again, abs=1e-9)
            assert value == pytest.approx(
                cluster_costs(model, column[None])[0] - duals[column].sum(), abs=1e-9
            )
            assert lower <= mass <= upper
            assert value >= least - 1e-9


def test_classes_are_the_distinct_limits():
    blocks = contract(Problem(np.arange(9.0)[:, None], 3, sizes=([2, 3, 2], [3, 4, 3])))
    assert [tuple(each) for each in size_classes(blocks)] == [(2.0, 3.0, 2), (3.0, 4.0, 1)]
    free = contract(Problem(np.arange(9.0)[:, None], 3))
    assert [tuple(each) for each in size_classes(free)] == [(1.0, 9.0, 3)]
