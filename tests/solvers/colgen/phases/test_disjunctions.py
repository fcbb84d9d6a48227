"""A run that ends by disjunctions, and its proof."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz.events import BoundImproved, IncumbentFound, NodeBranched, NodePruned, Started
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.params import DisjunctionParams
from tests.solvers.colgen.conftest import with_local_masters
from tests.solvers.colgen.test_plane import of

GAP = 1e-6
PARAMS = with_local_masters(40, slow_rounds=2)


@pytest.fixture(scope="module")
def strip():
    """Return 240 points in a strip, whose bound is slow soon and raised by disjunctions."""
    return Problem(np.random.default_rng(1).uniform(size=(240, 2)) * [12, 1], 16)


def told_by(problem, params=PARAMS):
    events = [*Colgen(tolerance=GAP).steps_with(params, problem, Context(seed=0))]
    first = Started(solver="colgen", settings={}, seed=0, n=240, d=2, k=16, n_blocks=240)
    return [first, *events]


@pytest.fixture(scope="module")
def run(strip):
    return told_by(strip)


def leaf_of(run):
    (leaf,) = of(run, NodePruned)
    return leaf


def test_a_run_that_ends_by_disjunctions_has_one_node_and_its_proof_is_accepted(strip, run):
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


@pytest.mark.slow
def test_without_disjunctions_the_same_problem_is_branched_and_costs_the_same(strip, run):
    without = replace(PARAMS, disjunctions=DisjunctionParams(candidates=0))
    branched = told_by(strip, without)
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


def without_last_term(certificate):
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
    "a term is left out": (without_last_term, "do not cover"),
    "a side is turned": (altered("case_places", put((0, 3), 0)), "prize|cover"),
    "a point is not there": (altered("case_places", put((0, 1), 240)), "point that there is not"),
    "a block is not there": (altered("case_blocks", put((0, 1), -1)), "block that there is not"),
    "a term is not there": (altered("case_blocks", put((0, 0), 99)), "case that there is not"),
    "a side is no side": (altered("case_places", put((0, 3), 2)), "side that there is not"),
    "a disc has no size": (
        altered("case_places", lambda a: put((0, 2), a[0, 1])(a)), "no size",
    ),
    "a disc dual is negative": (altered("case_prizes", put(0, -1.0)), "negative"),
    "a disc dual is missing": (altered("case_prizes", lambda a: a[1:]), "go together"),
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
