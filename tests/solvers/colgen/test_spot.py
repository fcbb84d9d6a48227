"""The master near a spot: duals that hold there, and a tree whose nodes begin with one."""

import itertools

import numpy as np
import pytest

from ccviz.events import BoundImproved, ColumnsPriced, Finished, IncumbentFound, Started
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import node
from ccviz.solvers.colgen.places import likely_places, placed
from ccviz.solvers.colgen.solver import Colgen
from ccviz.solvers.colgen.spot import _WORTH, blocks_near, is_local, raised
from ccviz.solvers.colgen.star_master import StarMaster
from ccviz.solvers.colgen.stars import make_stars
from tests.seeds import seeds
from tests.solvers.colgen.conftest import few_blocks_are_many, few_blocks_near
from tests.solvers.colgen.test_places import Forced
from tests.solvers.colgen.test_plane import of
from tests.solvers.colgen.test_stars import instance_of

K = 7


def near_columns(points, sizes=(4, 7, 10)):
    """Return the blocks nearest to each one, so many at a time."""
    gaps = ((points[:, None] - points) ** 2).sum(axis=2)
    order = np.argsort(gaps, axis=1)
    columns = np.zeros((len(sizes), len(points), len(points)), dtype=bool)
    for column, size in zip(columns, sizes, strict=True):
        np.put_along_axis(column, order[:, :size], True, axis=1)
    return np.unique(columns.reshape(-1, len(points)), axis=0)


def solved(instance, columns, costs):
    """Return the master over all stars, with its solution."""
    master = StarMaster(instance, K, np.full(columns.shape[1], 1.0))
    master.add(columns, costs)
    return master.solve(1e-9)


@pytest.fixture
def sixty():
    """Return sixty points as an instance, with columns, costs, and the master's solution.

    Which is fractional.
    """
    X = np.random.default_rng(5).uniform(size=(60, 2))
    _, instance = instance_of(Problem(X, K))
    columns, costs, _ = placed(instance, near_columns(instance.points), mark=False)
    return instance, columns, costs, solved(instance, columns, costs)


def raised_at(instance, columns, duals, price, at, share=1.0):
    most = np.full(len(duals), 1.0)
    return raised(instance, columns, duals, price, most, at, K, 1e-7, share)


def test_where_all_blocks_are_near_it_is_the_whole_master(sixty):
    instance, columns, _, best = sixty
    found = raised_at(instance, columns, 0.98 * best.duals, best.price, instance.points[0], 10.0)
    assert found.duals.sum() == pytest.approx(best.duals.sum(), rel=1e-5)
    assert blocks_near(instance, instance.points[0], K, 10.0).all()


def test_duals_rise_near_the_spot_alone_and_no_star_is_worth_more_than_the_price(
    sixty, monkeypatch
):
    few_blocks_near(monkeypatch, 20)
    instance, columns, _, best = sixty
    at = instance.points[7]
    near = blocks_near(instance, at, K)
    assert near.sum() == 21
    low = np.where(near, 0.98 * best.duals, best.duals)
    found = raised_at(instance, columns, low, best.price, at)
    assert (found.duals == low)[~near].all()
    assert found.duals.sum() == pytest.approx(best.duals.sum(), rel=1e-4)
    stars = make_stars(instance, columns, low)
    part = -stars.values(low) >= _WORTH * best.price  # those worth less are left to pricing
    assert part.sum() > 20
    assert -stars.values(found.duals)[part].min() <= best.price * (1.0 + 1e-9)
    assert found.weights.sum() > 1.0
    assert (found.weights >= 0.0).all()


def test_a_place_raises_near_it_no_more_than_in_the_whole_master(sixty, monkeypatch):
    few_blocks_near(monkeypatch, 20)
    instance, columns, _, best = sixty
    likely = likely_places(instance, columns, best.weights, instance.points)
    rises = []
    for (near, far), side in itertools.product(likely[:4], (True, False)):
        center, border = instance.points[[near]], instance.points[[far]]
        reach = ((border - center) ** 2).sum(axis=1)
        there = instance._replace(place=center, place_reach=reach, taken=int(side))
        wider = np.pad(columns, ((0, 0), (0, int(side))))
        wider, costs, fits = placed(there, wider, mark=True)
        duals = np.pad(best.duals, (0, int(side)))
        found = raised_at(there, wider[fits], duals, best.price, center[0])
        rises.append(found.duals.sum() - best.duals.sum())
        assert (
            rises[-1] <= solved(there, wider[fits], costs[fits]).objective - best.objective + 1e-5
        )
    assert max(rises) > 1e-3


def test_what_a_place_is_worth_is_held_by_stars_that_were_worth_little(sixty, monkeypatch):
    """A prize that is taken off again would make them worth more than the price: found anew."""
    few_blocks_near(monkeypatch, 20)
    instance, columns, _, best = sixty
    center, border = instance.points[[7]], instance.points[[12]]
    reach = ((border - center) ** 2).sum(axis=1)
    there = instance._replace(place=center, place_reach=reach, taken=1)
    wider, _, fits = placed(there, np.pad(columns, ((0, 0), (0, 1))), mark=True)
    wider = wider[fits]
    duals = np.append(0.5 * best.duals, 0.0)
    stars = make_stars(there, wider, duals)
    inside = wider[:, -1]
    assert inside.any()
    assert (-stars.values(duals)[inside] < _WORTH * best.price).all()
    found = raised_at(there, wider, duals, best.price, center[0])
    assert -stars.values(found.duals)[inside].min() <= best.price * (1.0 + 1e-9)


def test_a_place_far_from_the_spot_keeps_its_dual(sixty, monkeypatch):
    few_blocks_near(monkeypatch, 10)
    instance, columns, _, best = sixty
    at = instance.points[0]
    far = int(((instance.points - at) ** 2).sum(axis=1).argmax())
    there = instance._replace(place=instance.points[[far]], place_reach=np.array([0.01]), taken=1)
    wider, _, fits = placed(there, np.pad(columns, ((0, 0), (0, 1))), mark=True)
    duals = np.append(best.duals, 0.25 * best.price)
    found = raised_at(there, wider[fits], duals, best.price, at)
    assert found.duals[-1] == duals[-1]


def test_a_spot_has_a_master_of_its_own_where_it_is_a_small_part():
    assert is_local(5934, 100)
    assert not is_local(2152, 20)
    assert not is_local(10, 3)


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_a_tree_whose_nodes_begin_at_spots_ends_with_the_best_clustering(seed, monkeypatch):
    few_blocks_near(monkeypatch, 12)
    few_blocks_are_many(monkeypatch)
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(24, 2))
    exact = [*Colgen(tolerance=1e-4).steps(Problem(X, 5), Context(seed=0))]
    best = of(exact, IncumbentFound)[-1].objective
    places = rng.permutation(24)[:4].reshape(2, 2).tolist()
    monkeypatch.setattr(node, "advance", Forced(places, keeps_state=True))
    events = [*Colgen(tolerance=1e-4).steps(Problem(X, 5), Context(seed=0))]
    assert isinstance(events[-1], Finished)
    assert any(event.node > 0 for event in of(events, ColumnsPriced))
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-4)
    for event in of(events, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)
    first = Started(solver="colgen", settings={}, seed=0, n=24, d=2, k=5, n_blocks=24)
    assert verify(Problem(X, 5), [first, *events], work=60.0).accepted
