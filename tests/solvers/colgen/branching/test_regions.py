"""The boxes of disjunctions: the heaviest that do not meet, enlarged."""

from functools import partial

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master.facility_master import FacilityDuals, Neighbourhoods
from ccviz.solvers.colgen.params import DisjunctionParams
from ccviz.solvers.colgen.regions import Box, _grown, _heaviest, find_disjunctions
from tests.solvers.colgen.conftest import neighbourhoods_of

find = partial(
    find_disjunctions,
    neighbourhoods=Neighbourhoods(16, neighbourhoods_of(40)),
    params=DisjunctionParams(),
)


@pytest.mark.parametrize("seed", range(5))
def test_the_heaviest_of_those_that_do_not_meet_are_chosen(seed):
    rng = np.random.default_rng(seed)
    weight, meets = rng.uniform(size=9), rng.uniform(size=(9, 9)) < 0.3
    meets = meets | meets.T | np.eye(9, dtype=bool)
    every = np.arange(1 << 9)[:, None] >> np.arange(9) & 1
    clashes = np.einsum("ai,ij,aj->a", every, np.triu(meets, 1), every)
    best = (every @ weight)[clashes == 0].max()
    chosen = _heaviest(weight, meets, 10_000)
    assert weight[chosen].sum() == pytest.approx(best)
    assert not np.triu(meets, 1)[np.ix_(chosen, chosen)].any()


def test_disjunctions_do_not_meet_and_raise_only_blocks_that_gain_nothing_outside():
    X = np.random.default_rng(1).uniform(size=(240, 2)) * [12, 1]
    blocks = contract(Problem(X, 16))
    duals = np.random.default_rng(1).uniform(0.02, 0.1, size=240)
    labels = np.argsort(np.argsort(X[:, 0])) // 10
    instance = make_instance(blocks)
    found = find(instance, blocks.centroid, FacilityDuals(duals, 0.1), X, labels)
    assert len(found) >= 2
    for each in found:
        for other in found:
            apart = (each.low > other.high) | (each.high < other.low)
            assert each is other or apart.any()
        ascend_near = each.rows[each.caps > duals[each.rows]]
        assert len(ascend_near) > 0
        reach = np.sqrt(each.caps[each.caps > duals[each.rows]])[:, None]
        assert (X[ascend_near] - reach >= each.low - 1e-9).all()
        assert (X[ascend_near] + reach <= each.high + 1e-9).all()
        assert (np.ptp(instance.points[each.rows], axis=0) == np.ptp(instance.points, axis=0)).all()
        outside = np.setdiff1d(np.arange(240), each.rows)
        gaps = np.maximum(np.maximum(each.low - X[outside], X[outside] - each.high), 0.0)
        assert ((gaps**2).sum(axis=1) >= duals[outside]).all()
    assert find(instance, blocks.centroid, FacilityDuals(duals, 0.1), X[:0], labels) == ()


def test_boxes_grow_where_there_is_room_and_meet_no_other():
    one, beside = Box(np.zeros(2), np.ones(2)), Box(np.array([1.1, 0.0]), np.array([2.1, 1.0]))
    (alone,) = _grown([one], 0.05, 5)
    assert alone.low == pytest.approx([-0.25, -0.25])
    assert alone.high == pytest.approx([1.25, 1.25])
    grown = _grown([one, beside], 0.05, 5)
    for old, new in zip((one, beside), grown, strict=True):
        assert (new.low <= old.low).all()
        assert (new.high >= old.high).all()
    assert grown[0].high[0] < grown[1].low[0]
    assert grown[0].low == pytest.approx(alone.low)
    assert (one.high == 1.0).all()
