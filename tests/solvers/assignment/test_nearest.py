"""Nearest centres of many features: those of distances in float64, whichever way they are found."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ccviz import Problem, contract, solve
from ccviz.arrays import freeze
from ccviz.solvers import kmeans
from ccviz.solvers.assignment import greedy_assignment, solve_assignment, step, structure_of, wide
from ccviz.solvers.assignment.centers import block_costs, some_costs
from ccviz.solvers.assignment.greedy import greedy_rules, greedy_step, new_bounds
from ccviz.solvers.assignment.step import Descent
from ccviz.solvers.assignment.wide import WideNearest, product_costs
from ccviz.solvers.common import scaling

D = 40


def points_of(kind, n=400, clusters=12, far=0.0):
    rng = np.random.default_rng(0)
    middle = rng.normal(size=(clusters, D)) * 3.0 / np.sqrt(1.0 + np.arange(D))
    X = middle[rng.integers(clusters, size=n)] + rng.normal(size=(n, D)) / (1.0 + np.arange(D))
    return freeze((X + far).astype(kind))


def passes_of(X, k, found):
    """Yield the labels and costs of passes, the nearest ones, and the centres of each."""
    centers = X[:k].astype(np.float64)
    for _ in range(8):
        labels, paid = found(centers)
        yield labels, paid, cdist(X, centers, "sqeuclidean")
        centers = np.stack([
            X[labels == j].mean(axis=0, dtype=np.float64) if (labels == j).any() else centers[j]
            for j in range(k)
        ])  # fmt: skip


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("far", [0.0, 1e4])
@pytest.mark.parametrize("k", [7, 45])
@pytest.mark.parametrize(("is_open", "is_near"), [(2.0, 2.0), (-1.0, 2.0), (-1.0, -1.0)])
def test_labels_and_costs_are_exact(monkeypatch, kind, far, k, is_open, is_near):
    monkeypatch.setattr(wide, "_OPEN", is_open)
    monkeypatch.setattr(wide, "_NEAR", is_near)
    monkeypatch.setattr(wide, "_ALONE", 0.0)
    monkeypatch.setattr(wide, "_SHARE", 1)
    X = points_of(kind, far=far)
    for labels, paid, square in passes_of(X, k, WideNearest(X, np.arange(len(X))).assign):
        assert paid == pytest.approx(square.min(axis=1), rel=1e-9)
        assert (square[np.arange(len(X)), labels] <= square.min(axis=1) * (1 + 1e-12)).all()


@pytest.mark.parametrize("far", [0.0, 30.0])
@pytest.mark.parametrize("rank", [3, D])
def test_leads_are_no_farther_apart_than_points(far, rank):
    rng = np.random.default_rng(0)
    X, centers = rng.normal(size=(300, rank)), rng.normal(size=(20, rank))
    turn = np.linalg.qr(rng.normal(size=(D, D)))[0]
    some, others = ((each @ turn[:rank] + far).astype(np.float32) for each in (X, centers))
    basis = turn[:7].T.astype(np.float32)
    leads, factors = wide._lead(some, basis), wide._factors(wide._lead(others, basis))
    own = wide._square(leads)
    times, doubt = wide._times(leads, own, factors, wide._lead_roundings(*basis.shape))
    least = times + own[:, None] + factors.square - doubt[:, None]
    exact = cdist(some.astype(np.float64), others.astype(np.float64), "sqeuclidean")
    assert (least <= exact).all()
    if rank == 3 and far == 0.0:  # all of a distance is in the leads
        assert least == pytest.approx(exact, abs=0.1)


def test_leads_are_used_only_where_they_save_work():
    rng = np.random.default_rng(0)
    alike, led = rng.normal(size=(2, 4000, D))
    led[:, 8:] *= 0.01
    for X, saves in ((freeze(alike), False), (freeze(led), True)):
        nearest = WideNearest(X, np.arange(len(X)))
        for centers in (X[:30], X[:30] + 0.01):
            nearest.assign(centers)
        assert (nearest._basis is not None) == saves


def test_each_way_is_taken(monkeypatch):
    taken = set()
    for name in ("search_open", "search_near", "search_all"):
        kept = getattr(wide, name)

        def noted(*given, _name=name, _kept=kept):
            taken.add(_name)
            return _kept(*given)

        monkeypatch.setattr(wide, name, noted)
    monkeypatch.setattr(wide, "_OPEN", 0.03)
    X = points_of(np.float32, 4000)
    for _ in passes_of(X, 45, WideNearest(X, np.arange(len(X))).assign):
        pass
    assert taken == {"search_open", "search_near", "search_all"}


def test_equal_points_and_the_same_centre_twice_are_no_trouble():
    X = freeze(np.ones((50, D)))
    nearest = WideNearest(X, np.arange(50))
    for _ in range(3):
        labels, paid = nearest.assign(np.ones((3, D)))
        assert not labels.any()
        assert not paid.any()


def test_some_rows_of_huge_numbers():
    X = freeze(points_of(np.float64) * 1e60)
    rows = np.arange(0, 400, 3)
    labels, _ = WideNearest(X, rows).assign(X[:9].copy())
    assert (labels == cdist(X[rows] / 1e60, X[:9] / 1e60).argmin(axis=1)).all()


def test_costs_by_a_product_are_those_of_differences():
    X, some = points_of(np.float32, far=1e3), np.arange(0, 400, 7)
    mass, centers = freeze(np.full(400, 2.0)), X[:9].astype(np.float64)
    given = X, mass, some, centers
    assert product_costs(*given) == pytest.approx(some_costs(*given), abs=1e-6)


def test_solvers_find_the_same_either_way(monkeypatch):
    rng = np.random.default_rng(1)
    pairs = rng.permutation(400)[:120].reshape(-1, 2)
    X = points_of(np.float32)
    for name, links in (("k-means", {}), ("blp-kmeans", {"cannot_link": pairs[30:]})):
        problem = Problem(X, 12, must_link=pairs[:30], **links)
        one = solve(problem, name, seed=0)
        with monkeypatch.context() as patched:
            patched.setattr(scaling, "_MANY", 0)
            other = solve(problem, name, seed=0)
        assert (one.labels == other.labels).all()
        assert one.objective == other.objective


def test_where_features_are_few_nothing_is_loaded(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(wide, "WideNearest", refuse)
    monkeypatch.setattr(scaling, "_MANY", 0)
    assert kmeans._loops_for(Problem(np.eye(31), 3)) is not None
    assert step.is_wide(10, 3, 31) is False


# --- Steps of a descent: each is the exact assignment, whatever was kept from the one before ------


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
