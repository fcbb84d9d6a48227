"""Dual ascent in a neighbourhood: the duals hold there."""

import itertools

import numpy as np
import pytest

from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.discs import in_discs
from ccviz.solvers.colgen.instance import DiscArrays
from ccviz.solvers.colgen.master.facilities import make_facilities
from ccviz.solvers.colgen.master.facility_master import (
    LEAST_LOCAL_SAVING,
    FacilityDuals,
    FacilityMaster,
    Neighbourhoods,
    Region,
    ascend_near,
)
from ccviz.solvers.colgen.strong_branching import likely_discs
from tests.solvers.colgen.conftest import neighbourhoods_of
from tests.solvers.colgen.master.test_facilities import instance_of

K = 7


def near_columns(points, sizes=(4, 7, 10)):
    """Return the blocks nearest to each one, a number at a time."""
    gaps = ((points[:, None] - points) ** 2).sum(axis=2)
    order = np.argsort(gaps, axis=1)
    columns = np.zeros((len(sizes), len(points), len(points)), dtype=bool)
    for column, size in zip(columns, sizes, strict=True):
        np.put_along_axis(column, order[:, :size], True, axis=1)
    return np.unique(columns.reshape(-1, len(points)), axis=0)


def solved(instance, columns, costs):
    """Return the master over all stars, with its solution."""
    master = FacilityMaster(instance, K, np.full(columns.shape[1], 1.0))
    master.add(columns, costs)
    return master.solve(1e-9)


@pytest.fixture
def sixty():
    """Return sixty points as an instance, with columns, costs, and the master's solution.

    Which is fractional.
    """
    X = np.random.default_rng(5).uniform(size=(60, 2))
    _, instance = instance_of(Problem(X, K))
    columns, costs, _ = in_discs(instance, near_columns(instance.points), mark=False)
    return instance, columns, costs, solved(instance, columns, costs)


SMALL = Neighbourhoods(K, neighbourhoods_of(20))


def raised_at(instance, columns, duals, cardinality_dual, region):
    caps, before = np.full(len(duals), 1.0), FacilityDuals(duals, cardinality_dual)
    return ascend_near(instance, columns, before, caps, region, 1e-7)


def test_where_all_blocks_are_near_it_is_the_whole_master(sixty):
    instance, columns, _, best = sixty
    region = Region(instance.points[0], Neighbourhoods(K), 10.0)
    found = raised_at(instance, columns, 0.98 * best.duals, best.cardinality_dual, region)
    assert found.duals.sum() == pytest.approx(best.duals.sum(), rel=1e-5)
    assert Neighbourhoods(K).blocks(instance, instance.points[0], 10.0).all()


def test_duals_rise_nearby_alone_and_no_facility_has_a_negative_reduced_cost(sixty):
    instance, columns, _, best = sixty
    at = instance.points[7]
    near = SMALL.blocks(instance, at)
    assert near.sum() == 21
    low = np.where(near, 0.98 * best.duals, best.duals)
    found = raised_at(instance, columns, low, best.cardinality_dual, Region(at, SMALL))
    assert (found.duals == low)[~near].all()
    assert found.duals.sum() == pytest.approx(best.duals.sum(), rel=1e-4)
    stars = make_facilities(instance, columns, low)
    part = (
        -stars.reduced_costs(low) >= LEAST_LOCAL_SAVING * best.cardinality_dual
    )  # the others are left to pricing
    assert part.sum() > 20
    assert -stars.reduced_costs(found.duals)[part].min() <= best.cardinality_dual * (1.0 + 1e-9)
    assert found.weights.sum() > 1.0
    assert (found.weights >= 0.0).all()


def test_a_disc_raises_duals_near_it_no_more_than_in_the_whole_master(sixty):
    instance, columns, _, best = sixty
    likely = likely_discs(instance, columns, best.weights, instance.points)
    rises = []
    for (near, far), side in itertools.product(likely[:4], (True, False)):
        center, border = instance.points[[near]], instance.points[[far]]
        reach = ((border - center) ** 2).sum(axis=1)
        there = instance._replace(discs=DiscArrays(center, reach, int(side)))
        wider = np.pad(columns, ((0, 0), (0, int(side))))
        wider, costs, fits = in_discs(there, wider, mark=True)
        duals = np.pad(best.duals, (0, int(side)))
        found = raised_at(
            there, wider[fits], duals, best.cardinality_dual, Region(center[0], SMALL)
        )
        rises.append(found.duals.sum() - best.duals.sum())
        assert (
            rises[-1] <= solved(there, wider[fits], costs[fits]).objective - best.objective + 1e-5
        )
    assert max(rises) > 1e-3


def test_the_dual_of_a_disc_is_held_by_facilities_that_saved_little(sixty):
    """Left out, they would have a negative reduced cost, and pricing would find them again."""
    instance, columns, _, best = sixty
    center, border = instance.points[[7]], instance.points[[12]]
    reach = ((border - center) ** 2).sum(axis=1)
    there = instance._replace(discs=DiscArrays(center, reach, 1))
    wider, _, fits = in_discs(there, np.pad(columns, ((0, 0), (0, 1))), mark=True)
    wider = wider[fits]
    duals = np.append(0.5 * best.duals, 0.0)
    stars = make_facilities(there, wider, duals)
    inside = wider[:, -1]
    assert inside.any()
    assert (-stars.reduced_costs(duals)[inside] < LEAST_LOCAL_SAVING * best.cardinality_dual).all()
    found = raised_at(there, wider, duals, best.cardinality_dual, Region(center[0], SMALL))
    assert -stars.reduced_costs(found.duals)[inside].min() <= best.cardinality_dual * (1.0 + 1e-9)


def test_a_far_disc_keeps_its_dual(sixty):
    instance, columns, _, best = sixty
    at = instance.points[0]
    far = int(((instance.points - at) ** 2).sum(axis=1).argmax())
    there = instance._replace(discs=DiscArrays(instance.points[[far]], np.array([0.01]), 1))
    wider, _, fits = in_discs(there, np.pad(columns, ((0, 0), (0, 1))), mark=True)
    duals = np.append(best.duals, 0.25 * best.cardinality_dual)
    found = raised_at(there, wider[fits], duals, best.cardinality_dual, Region(at, SMALL))
    assert found.duals[-1] == duals[-1]


def test_local_masters_are_used_where_a_neighbourhood_is_a_small_part():
    assert Neighbourhoods(100).are_local(5934)
    assert not Neighbourhoods(20).are_local(2152)
    assert not Neighbourhoods(3).are_local(10)


def test_almost_every_block_is_near_some_middle_of_a_cycle(sixty):
    instance = sixty[0]
    near = [SMALL.blocks(instance, at) for at in SMALL.cover(instance)]
    assert np.any(near, axis=0).mean() > 0.95
