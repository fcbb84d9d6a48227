"""Zones: what they hold, which comes next, and a run that ends by what they add up to."""

import msgspec
import numpy as np
import pytest

from ccviz.events import BoundImproved, IncumbentFound, NodeBranched, NodePruned, Started
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import cases, zoned
from ccviz.solvers.colgen.generation import Generation
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.solver import Colgen
from ccviz.solvers.colgen.trials import Trial
from ccviz.solvers.colgen.zones import (
    MOST_CASES,
    Box,
    Case,
    Zone,
    Zones,
    _grown,
    _heaviest,
    find_zones,
)
from tests.solvers.colgen.conftest import few_blocks_are_many, few_blocks_near
from tests.solvers.colgen.test_plane import of

GAP = 1e-6


def slow_after(rounds):
    return lambda self, *_: len(self.pool.past) > rounds


@pytest.fixture(scope="module")
def strip():
    """Return 240 points in a strip, whose root is left off early and worked on in zones."""
    with pytest.MonkeyPatch.context() as patch:
        few_blocks_near(patch, 40)
        few_blocks_are_many(patch)
        patch.setattr(Generation, "_is_slow", slow_after(2))
        yield Problem(np.random.default_rng(1).uniform(size=(240, 2)) * [12, 1], 16)


def told_by(problem):
    events = [*Colgen(tolerance=GAP).steps(problem, Context(seed=0))]
    first = Started(solver="colgen", settings={}, seed=0, n=240, d=2, k=16, n_blocks=240)
    return [first, *events]


@pytest.fixture(scope="module")
def run(strip):
    return told_by(strip)


def leaf_of(run):
    (leaf,) = of(run, NodePruned)
    return leaf


def test_a_run_that_ends_in_zones_has_one_node_and_its_proof_is_accepted(strip, run):
    assert not of(run, NodeBranched)
    zones = leaf_of(run).certificate["case_zone"]
    assert len(zones) >= 2
    best = of(run, IncumbentFound)[-1].objective
    bounds = [event.lower_bound for event in of(run, BoundImproved)]
    assert bounds == sorted(bounds)
    assert best * (1.0 - GAP) <= bounds[-1] <= best * (1.0 + 1e-9)
    verdict = verify(strip, run, gap=GAP, work=120.0)
    assert verdict.accepted, verdict.sentence
    assert verdict.lower_bound == pytest.approx(bounds[-1], rel=1e-6)


def test_without_zones_the_same_problem_is_branched_and_costs_the_same(strip, run, monkeypatch):
    monkeypatch.setattr(zoned, "find_zones", lambda *_: ())
    branched = told_by(strip)
    assert of(branched, NodeBranched)
    costs = [of(events, IncumbentFound)[-1].objective for events in (run, branched)]
    assert costs[0] == pytest.approx(costs[1], rel=2 * GAP)


def altered(name, change):
    def alter(certificate):
        return {**certificate, name: change(certificate[name].copy())}

    return alter


def put(at, value):
    def change(array):
        array[at] = value
        return array

    return change


def without_last_case(certificate):
    last = len(certificate["case_zone"]) - 1
    places, blocks = certificate["case_places"], certificate["case_blocks"]
    return {
        **certificate,
        "case_zone": certificate["case_zone"][:-1],
        "case_places": places[places[:, 0] < last],
        "case_prizes": certificate["case_prizes"][places[:, 0] < last],
        "case_blocks": blocks[blocks[:, 0] < last],
        "case_changes": certificate["case_changes"][blocks[:, 0] < last],
    }


ALTERATIONS = {
    "a case is left out": (without_last_case, "do not cover"),
    "a side is turned": (altered("case_places", put((0, 3), 0)), "prize|cover"),
    "a point is not there": (altered("case_places", put((0, 1), 240)), "point that there is not"),
    "a block is not there": (altered("case_blocks", put((0, 1), -1)), "block that there is not"),
    "a case is not there": (altered("case_blocks", put((0, 0), 99)), "case that there is not"),
    "a side is no side": (altered("case_places", put((0, 3), 2)), "side that there is not"),
    "a place has no size": (
        altered("case_places", lambda a: put((0, 2), a[0, 1])(a)), "no size",
    ),
    "a prize is negative": (altered("case_prizes", put(0, -1.0)), "negative"),
    "a prize is missing": (altered("case_prizes", lambda a: a[1:]), "go together"),
    "a change is missing": (altered("case_changes", lambda a: a[1:]), "go together"),
    "an array is missing": (
        lambda c: {name: array for name, array in c.items() if name != "case_prizes"},
        "lacks its case_prizes",
    ),
    "changes are greater": (altered("case_changes", lambda a: a + 1e-3), "claims the bound"),
}  # fmt: skip


@pytest.mark.parametrize("name", ALTERATIONS)
def test_an_altered_certificate_is_rejected(name, strip, run):
    alter, sentence = ALTERATIONS[name]
    leaf = leaf_of(run)
    false = msgspec.structs.replace(leaf, certificate=alter(leaf.certificate))
    told = [false if event is leaf else event for event in run]
    verdict = verify(strip, told, gap=GAP, work=120.0)
    assert not verdict.accepted
    assert any(part in verdict.sentence for part in sentence.split("|")), verdict.sentence


def test_a_bound_that_is_claimed_for_too_great_changes_is_rejected(strip, run):
    leaf = leaf_of(run)
    changes = leaf.certificate["case_changes"].copy()
    blocks = leaf.certificate["case_blocks"]
    more = 0.02 * leaf.lower_bound
    for case in range(len(leaf.certificate["case_zone"])):
        changes[np.flatnonzero(blocks[:, 0] == case)[0]] += more
    zones = len(set(leaf.certificate["case_zone"].tolist()))
    false = msgspec.structs.replace(
        leaf,
        certificate={**leaf.certificate, "case_changes": changes},
        lower_bound=leaf.lower_bound + zones * more,
    )
    told = [false if event is leaf else event for event in run]
    assert not verify(strip, told, gap=0.05, work=120.0).accepted


def case_of(rise, *sides):
    trials = tuple(Trial((0, 1), *each) for each in sides)
    empty = np.zeros(0)
    return Case((), empty, np.zeros((0, 0), dtype=bool), None, trials, rise, -rise)


def zone_of(*cases):
    return Zone(np.zeros(2), np.ones(2), np.zeros(0, dtype=np.int64), np.zeros(0), cases)


def test_a_zone_gains_its_least_rise_and_one_that_gains_nothing_is_left_out():
    assert zone_of().gain == 0.0
    assert zone_of(case_of(3.0), case_of(2.0)).gain == 2.0
    zones = Zones((zone_of(case_of(3.0)), zone_of(case_of(2.0))), -1.0)
    assert (zones.gain, zones.least) == (5.0, -3.0)
    zones = zones.put(0, zone_of(case_of(1.0), case_of(9.0)))
    assert (zones.gain, zones.least) == (3.0, -9.0)
    zones = zones.put(0, zone_of(case_of(0.0), case_of(9.0)))
    assert (zones.gain, zones.least, len(zones.won)) == (2.0, -2.0, 1)


def test_the_zone_that_wins_most_for_each_case_is_next_and_one_that_is_not_opened_before_all():
    one = zone_of(case_of(0.0, (4.0, 4.0), (9.0, 1.0)))
    assert one.rate == pytest.approx(4.0 / np.log(2.0) / np.expm1(1.0), rel=1e-6)
    many = zone_of(*[case_of(0.0, (4.0, 4.0))] * 3)
    assert many.rate < one.rate
    higher = zone_of(case_of(0.0, (4.0, 4.0)), *[case_of(6.0)] * 2)
    assert many.rate < higher.rate
    proven, idle = (zone_of(*[case_of(rise, (4.0, 4.0))] * 3) for rise in (20.0, 1.0))
    assert idle.rate < proven.rate
    stalled = zone_of(case_of(0.0, (4.0, 4.0))._replace(stalled=2))
    assert stalled.rate == pytest.approx(one.rate / 3.0, rel=1e-6)
    assert Zones((many, one), -1.0).next == 1
    assert Zones((one, many, zone_of()), -1.0).next == 2


def test_a_zone_whose_worst_case_has_no_place_to_split_on_wins_nothing():
    assert zone_of(case_of(0.0), case_of(1.0, (8.0, 8.0))).rate == 0.0


def test_zones_without_a_place_that_is_any_good_or_with_too_many_cases_are_given_up():
    assert Zones((zone_of(case_of(1.0)),), -1.0).next is None
    assert Zones((zone_of(case_of(1.0, (0.0, -1.0))),), -1.0).next is None
    many = [case_of(1.0, (2.0, 1.0))] * MOST_CASES
    assert Zones((zone_of(*many[:-1]),), -1.0).next == 0
    assert Zones((zone_of(*many),), -1.0).next is None


@pytest.mark.parametrize("seed", range(5))
def test_the_heaviest_of_those_that_do_not_meet_are_chosen(seed):
    rng = np.random.default_rng(seed)
    weight, meets = rng.uniform(size=9), rng.uniform(size=(9, 9)) < 0.3
    meets = meets | meets.T | np.eye(9, dtype=bool)
    every = np.arange(1 << 9)[:, None] >> np.arange(9) & 1
    clashes = np.einsum("ai,ij,aj->a", every, np.triu(meets, 1), every)
    best = (every @ weight)[clashes == 0].max()
    chosen = _heaviest(weight, meets)
    assert weight[chosen].sum() == pytest.approx(best)
    assert not np.triu(meets, 1)[np.ix_(chosen, chosen)].any()


def test_zones_do_not_meet_and_raise_only_what_is_worth_nothing_outside(strip):
    blocks, X = contract(strip), strip.X
    duals = np.random.default_rng(1).uniform(0.02, 0.1, size=240)
    labels = np.argsort(np.argsort(X[:, 0])) // 10
    instance = make_instance(blocks)
    zones = find_zones(instance, blocks.centroid, duals, 0.1, X, labels)
    assert len(zones) >= 2
    for zone in zones:
        for other in zones:
            apart = (zone.low > other.high) | (zone.high < other.low)
            assert zone is other or apart.any()
        raised = zone.rows[zone.most > duals[zone.rows]]
        assert len(raised) > 0
        reach = np.sqrt(zone.most[zone.most > duals[zone.rows]])[:, None]
        assert (X[raised] - reach >= zone.low - 1e-9).all()
        assert (X[raised] + reach <= zone.high + 1e-9).all()
        assert (np.ptp(instance.points[zone.rows], axis=0) == np.ptp(instance.points, axis=0)).all()
        outside = np.setdiff1d(np.arange(240), zone.rows)
        gaps = np.maximum(np.maximum(zone.low - X[outside], X[outside] - zone.high), 0.0)
        assert ((gaps**2).sum(axis=1) >= duals[outside]).all()
    assert find_zones(instance, blocks.centroid, duals, 0.1, X[:0], labels) == ()


def test_boxes_grow_where_there_is_room_and_meet_no_other():
    one, beside = Box(np.zeros(2), np.ones(2)), Box(np.array([1.1, 0.0]), np.array([2.1, 1.0]))
    (alone,) = _grown([one])
    assert alone.low == pytest.approx([-0.25, -0.25])
    assert alone.high == pytest.approx([1.25, 1.25])
    grown = _grown([one, beside])
    for old, new in zip((one, beside), grown, strict=True):
        assert (new.low <= old.low).all()
        assert (new.high >= old.high).all()
    assert grown[0].high[0] < grown[1].low[0]
    assert grown[0].low == pytest.approx(alone.low)
    assert (one.high == 1.0).all()


def test_a_case_that_is_widened_and_tried_is_no_worse_and_may_be_split(strip, monkeypatch):
    seen = []

    def told(setting, zone):
        seen.append((setting, cases.split(setting, zone)))
        return seen[-1][1]

    monkeypatch.setattr(zoned, "split", told)
    told_by(strip)
    setting, (zone, _) = seen[0]
    assert not zone.is_ready
    after = cases.tested(setting, zone)
    (before,) = [case for case in zone.cases if case.decisions == zone.worst.decisions]
    (there,) = [case for case in after.cases if case.decisions == before.decisions]
    assert there.spot is None
    assert there.rise >= before.rise
    assert there.least <= before.least
    own = there.duals[: len(zone.rows)]
    assert (own <= zone.most * (1.0 + 1e-9)).all()
    assert after.gain >= zone.gain
    assert len(cases.split(setting, after).zone.cases) >= len(after.cases)
