"""Places: what a centre may be worth in one, and that a tree of them ends where it should."""

import itertools
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz.events import (
    BoundImproved,
    Finished,
    IncumbentFound,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Started,
)
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import node, opening
from ccviz.solvers.colgen.instance import Discs, make_instance
from ccviz.solvers.colgen.places import _moves, center_of, likely_places, placed
from ccviz.solvers.colgen.pricing import Pricer
from ccviz.solvers.colgen.solver import Colgen
from ccviz.solvers.search.tree import Decision, Task
from tests.seeds import seeds
from tests.solvers.colgen.conftest import best_clustering
from tests.solvers.colgen.test_plane import of


def clusters(s):
    bits = np.arange(1, 2**s)[:, None] >> np.arange(s)
    return (bits & 1).astype(bool)


def points_of(seed, n=8):
    return np.random.default_rng(seed).normal(size=(n, 2))


def instance_of(X, taken=(), empty=(), links=()):
    blocks = contract(Problem(X, 3, cannot_link=list(links)))
    pairs = np.array([*taken, *empty], dtype=np.int64).reshape(-1, 2)
    center, border = X[pairs].transpose(1, 0, 2)
    return make_instance(blocks, (), Discs(center, border, len(taken)))


def within(instance, p, center):
    return ((instance.place[p] - center) ** 2).sum() <= instance.place_reach[p]


def centers_of(instance, columns):
    centers = np.empty((len(columns), 2))
    fits = np.array([center_of(instance, c, at) for c, at in zip(columns, centers, strict=True)])
    return centers, fits


@pytest.mark.parametrize("seed", range(6))
def test_a_centre_is_the_nearest_to_the_mean_that_a_place_allows(seed):
    X = points_of(seed)
    every = clusters(8)
    for taken, empty in ([(0, 1)], []), ([], [(0, 1)]):
        instance = instance_of(X, taken, empty)
        marked = np.pad(every, ((0, 0), (0, len(taken))), constant_values=True)
        centers, fits = centers_of(instance, marked)
        assert fits.all()
        means = every @ instance.points / every.sum(axis=1)[:, None]
        gaps = np.sqrt(((means - instance.place[0]) ** 2).sum(axis=1))
        radius = np.sqrt(instance.place_reach[0])
        wrong = gaps > radius if taken else gaps < radius
        moved = np.sqrt(((means - centers) ** 2).sum(axis=1))
        np.testing.assert_allclose(moved, np.where(wrong, np.abs(gaps - radius), 0.0), atol=1e-9)


def test_a_cluster_that_fits_no_place_is_left_out():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.1, 0.0], [2.0, 3.0]])
    instance = instance_of(X, taken=[(0, 1), (2, 3)])  # two discs apart: no centre is in both
    columns = np.array([[1, 1, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 1, 0]], dtype=bool)
    _, costs, fits = placed(instance, columns, mark=False)
    assert fits.tolist() == [False, True]
    assert costs[1] == pytest.approx(2 * 0.05**2)


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_exact_pricing_finds_the_least_value_among_centres_in_places(seed):
    rng = np.random.default_rng(seed)
    X = points_of(seed)
    pairs = rng.permutation(8)[:4].reshape(2, 2).tolist()
    taken, empty = [pairs[0]], [pairs[1]] if seed % 2 else []
    instance = instance_of(X, taken, empty, [(0, 1), (2, 3)] if seed % 3 == 0 else [])
    duals = np.append(rng.exponential(1.5, 8), rng.exponential(0.5))
    found = Pricer((instance,)).exact(duals, 0.0, 0.0)
    assert found.exact
    i, j = [(0, 2), (1, 3)] if seed % 3 == 0 else [(), ()]
    every = clusters(8)
    every = every[~(every[:, list(i)] & every[:, list(j)]).any(axis=1)]
    best = np.inf
    for inside in (False, True):
        columns = np.pad(every, ((0, 0), (0, 1)), constant_values=inside)
        columns, costs, fits = placed(instance, columns, mark=False)
        centers, _ = centers_of(instance, columns)  # no mean is beyond all points
        fits &= (centers <= instance.points.max(axis=0) + 1e-9).all(axis=1)
        fits &= (centers >= instance.points.min(axis=0) - 1e-9).all(axis=1)
        best = min(best, (costs - columns @ duals)[fits].min(initial=np.inf))
    assert found.least <= best + 1e-9
    if not empty:  # one place: the nearest centre is the best one
        assert found.least >= best - 1e-6 * abs(best)
    values = found.costs - found.columns @ duals
    assert values.min() == pytest.approx(found.least, rel=1e-6)
    centers, fits = centers_of(instance, found.columns)
    assert fits.all()
    for p in range(len(empty)):
        radius = np.sqrt(instance.place_reach[1 + p])
        gaps = np.sqrt(((centers - instance.place[1 + p]) ** 2).sum(axis=1))
        assert (gaps >= radius * (1.0 - 1e-6)).all()


def test_a_block_in_the_middle_of_an_empty_place_is_as_far_from_all_of_its_border():
    X = points_of(0)
    instance = instance_of(X, taken=[(2, 3)], empty=[(0, 1)])
    radius = np.linalg.norm(X[0] - X[1])
    gaps = np.linalg.norm(X - X[0], axis=1)
    assert instance.away == pytest.approx(np.maximum(radius - gaps, 0.0) ** 2)
    duals = np.zeros(9)
    duals[0] = (1.0 - 1e-8) * radius**2  # just not worth it anywhere, and all but so on a circle
    found = Pricer((instance,)).exact(duals, 0.0, 0.0, visit_limit=1000)
    assert found.exact
    assert found.least >= -1e-7


def test_no_point_in_the_place_is_worth_more_than_any_centre_on_a_grid():
    X = points_of(3)
    instance = instance_of(X, taken=[(0, 1)], empty=[(2, 3)])
    duals = np.append(np.full(8, 0.7), 0.4)
    least = Pricer((instance,)).exact(duals, 0.0, 0.0).least
    low, high = instance.points.min(axis=0), instance.points.max(axis=0)
    axes = [np.linspace(a, b, 200) for a, b in zip(low, high, strict=True)]
    for center in np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2):
        if within(instance, 1, center):
            continue
        gaps = ((instance.points - center) ** 2).sum(axis=1)
        value = np.minimum(gaps - duals[:8], 0.0).sum() - duals[8] * within(instance, 0, center)
        assert value >= least - 1e-9


def test_a_likely_place_holds_half_a_centre():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [6.0, 0.0], [7.0, 0.0], [3.5, 1.0], [3.5, 4.0]])
    instance = instance_of(X)
    columns = np.array(
        [[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0]],
        dtype=bool,
    )
    weights = np.array([0.5, 1.0, 1.0, 0.5])
    turned = instance.points  # every block is one point
    near, far = likely_places(instance, columns, weights, turned)[0]
    radius = np.sqrt(((turned[near] - turned[far]) ** 2).sum())
    centers, _ = centers_of(instance, columns)
    gaps = np.sqrt(((centers - turned[near]) ** 2).sum(axis=1))
    assert weights[gaps <= radius].sum() == pytest.approx(0.5)
    assert likely_places(instance, columns[:3], np.ones(3), turned) == []


def test_what_it_costs_to_move_centres_to_a_border():
    gaps, weights = np.array([3.0, 1.0, 5.0]), np.array([0.75, 0.5, 1.0])
    mass = np.array([2.0, 4.0, 10.0])
    moves = _moves(np.array([0.5, 2.0, 4.0, 6.0]), gaps, weights, mass)
    # The border at 2: out goes half of 4, in comes half of 2, and no more: that is one in all.
    assert moves.tolist() == pytest.approx([0.0, 1.0, 0.0, 0.0])


def means_keep(problem, labels, decisions):
    """Whether a clustering's means keep to the places decided on."""
    means = [problem.X[labels == c].mean(axis=0) for c in range(problem.k)]
    for (i, j), together, _ in decisions:
        radius = ((problem.X[i] - problem.X[j]) ** 2).sum()
        if together != any(((mean - problem.X[i]) ** 2).sum() <= radius for mean in means):
            return False
    return True


def best_in_places(problem, decisions):
    best = np.inf
    for tail in itertools.product(range(problem.k), repeat=problem.n - 1):
        labels = np.array([0, *tail])
        seen = labels[np.sort(np.unique(labels, return_index=True)[1])]
        if len(seen) < problem.k or (np.diff(seen) < 0).any():
            continue
        partition = Partition(problem, labels)
        if partition.violations.none_hard and partition.wcss < best:
            best = partition.wcss if means_keep(problem, labels, decisions) else best
    return best


@pytest.mark.parametrize("seed", seeds(2, 8))
def test_a_nodes_bound_is_not_above_the_best_clustering_in_its_places(seed):
    rng = np.random.default_rng(seed)
    links = [(0, 1)] if seed % 2 else []
    problem = Problem(points_of(seed), 3, cannot_link=links)
    pairs = rng.permutation(8)[:4].reshape(2, 2).tolist()
    for sides in itertools.product((True, False), repeat=2):
        decisions = tuple(
            Decision((i, j), side, True) for (i, j), side in zip(pairs, sides, strict=True)
        )
        best = best_in_places(problem, decisions)
        task = Task(3, decisions, upper_bound=1.5 * best_clustering(problem))
        for _ in range(60):
            report = node.advance(problem, Colgen(), task)
            assert report.lower_bound <= best * (1.0 + 1e-9)
            if report.verdict != "go on":
                break
            task = replace(task, opening=False, state=report.state, lower_bound=report.lower_bound)
        assert report.verdict != "go on"


class Forced:
    """Work that branches on given places wherever it would close a node, as deep as they go."""

    def __init__(self, places, keeps_state):
        self.places, self.keeps_state, self.advance = places, keeps_state, node.advance

    def __call__(self, problem, settings, task):
        report = self.advance(problem, settings, task)
        depth = len(task.decisions)
        if report.verdict == "infeasible" or depth >= len(self.places):
            return report
        report = replace(report, lower_bound=0.0)  # which closes nothing
        if report.verdict == "go on":
            return report
        place, state = tuple(self.places[depth]), report.state if self.keeps_state else None
        return replace(report, verdict="branch", pair=place, place=True, state=state)


@pytest.mark.parametrize("keeps_state", [True, False])
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_a_tree_of_places_ends_with_the_best_clustering_and_its_proof_is_accepted(
    seed, keeps_state, monkeypatch
):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(opening, "_STARS_FROM", 0)
    monkeypatch.setattr(opening, "_STARS_FROM_FEW", 0)
    monkeypatch.setattr(node, "_FEW_BLOCKS", 0)  # no semidefinite certificate that would do alone
    monkeypatch.setattr(node, "_MANY_BLOCKS", 0)
    places = rng.permutation(16)[:6].reshape(3, 2).tolist()
    monkeypatch.setattr(node, "advance", Forced(places, keeps_state))
    X = np.random.default_rng(seed).uniform(size=(16, 2))
    problem = Problem(X, 4)
    events = [*Colgen(tolerance=1e-4).steps(problem, Context(seed=0))]
    assert isinstance(events[-1], Finished)
    branched = of(events, NodeBranched)
    assert branched[0].place
    best = of(events, IncumbentFound)[-1].objective
    for event in of(events, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)
    assert of(events, BoundImproved)[-1].lower_bound >= best * (1.0 - 1e-4)
    first = Started(solver="colgen", settings={}, seed=0, n=16, d=2, k=4, n_blocks=16)
    told = [first, *events]
    assert verify(problem, told, work=60.0).accepted
    assert any("taken" in leaf.certificate for leaf in of(events, NodePruned))
    for altered in ALTERATIONS:
        verdict = verify(problem, [altered(event) for event in told], work=60.0)
        assert not verdict.accepted, altered.__name__


def without_places(event):
    is_node = isinstance(event, NodeOpened | NodeBranched)
    return msgspec.structs.replace(event, place=False) if is_node else event


def dearer_places(event):
    return with_taken(event, lambda taken: taken + 10.0**6)


def places_below_zero(event):
    return with_taken(event, lambda taken: -1.0 - taken)


def more_places(event):
    return with_taken(event, lambda taken: np.append(taken, 0.0))


def one_side_elsewhere(event):
    moved = isinstance(event, NodeOpened) and event.node == 1
    return msgspec.structs.replace(event, pair=event.pair[::-1]) if moved else event


def with_taken(event, change):
    if not isinstance(event, NodePruned) or "taken" not in event.certificate:
        return event
    taken = change(event.certificate["taken"])
    return msgspec.structs.replace(event, certificate={**event.certificate, "taken": taken})


ALTERATIONS = without_places, dearer_places, places_below_zero, more_places, one_side_elsewhere


def test_a_prize_is_won_where_no_block_is_of_worth_too():
    instance = instance_of(points_of(0), taken=[(0, 1)])
    duals = np.append(np.zeros(8), 1.0)
    assert Pricer((instance,)).exact(duals, 0.0, 0.0).least <= -1.0
