"""The checker and `tools/check_proof.py`, held against each other."""

from itertools import combinations

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import (
    IncumbentFound,
    NodeBranched,
    NodeOpened,
    NodePruned,
)
from ccviz.problem.partition import Partition
from ccviz.proof.verify import verify

ALTERED = 100  # runs of each solver


def events_of(problem, solver, **settings):
    return [record.event for record in start(problem, solver, **settings)]


@pytest.mark.parametrize("solver", ["sdp", "colgen"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_both_accept_honest_runs(second, solver, k):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(9, 2)) * 10.0 ** rng.integers(-60, 60) + 10.0 ** rng.integers(-9, 9)
        problem = Problem(X, k, must_link=[(0, 1)], cannot_link=[(2, 3)] if k > 1 else [])
        events = events_of(problem, solver)
        assert verify(problem, events).accepted
        assert second(problem, events)[0] == 0


def test_both_accept_trees(second, proof, column_proof):
    assert second(*proof)[0] == 0
    assert second(*column_proof)[0] == 2  # its search is too long for plain Python


def test_both_accept_that_there_is_no_clustering(second):
    pairs = list(combinations(range(4), 2))
    problem = Problem(np.random.default_rng(0).normal(size=(9, 2)), 3, cannot_link=pairs)
    events = events_of(problem, "sdp")
    assert verify(problem, events).sentence == "proved infeasible"
    assert second(problem, events) == (0, "proved infeasible")


def test_the_gap_is_for_the_checker_to_say(second, proof):
    problem, events = proof
    loose = events_of(problem, "sdp", tolerance=0.9)
    for run, gap in ((loose, 1e-4), (events, 1e-9)):
        assert verify(problem, run, gap).sentence.startswith("no proof: the gap is")
        assert second(problem, run, gap)[0] == 1
    assert verify(problem, loose, 0.9).accepted
    assert second(problem, loose, 0.9)[0] == 0


def some_number(rng, value):
    factors = (0.0, -1.0, 0.9, 1.1, 1.0 + 1e-6, 1e30, 1e-30, np.nan, np.inf)
    return float(value) * factors[rng.integers(len(factors))]


def some_array(rng, array):
    """Return an array with one entry, its type or its shape changed."""
    array = array.copy()
    way = rng.integers(6)
    if way == 0:
        return array[:-1]
    if way == 1:
        return array.astype(np.float64 if array.dtype.kind == "i" else np.int64)
    if way == 2:
        return array.reshape(-1, 1)
    if array.size:
        at = tuple(rng.integers(side) for side in array.shape)
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                array[at] = some_number(rng, array[at])
        else:
            array[at] = rng.integers(-2, 40)
    return array


def some_pair(rng):
    return tuple(int(x) for x in rng.integers(-1, 31, 2))


def alter(rng, event):
    """Return an event with one field changed."""
    change = {}
    match event:
        case IncumbentFound():
            change = {"labels": some_array(rng, event.labels)}
            if rng.random() < 0.3:
                change = {"objective": some_number(rng, 10.0)}
        case NodeOpened():
            ways = ({"pair": some_pair(rng)}, {"parent": int(rng.integers(-1, 9))})
            change = (*ways, {"together": not event.together})[rng.integers(3)]
        case NodeBranched():
            change = {"pair": some_pair(rng)}
        case NodePruned():
            names = sorted(event.certificate)
            way = rng.integers(4) if names else rng.integers(2)
            if way == 0:
                change = {"lower_bound": some_number(rng, event.lower_bound)}
            elif way == 1:
                change = {"reason": ("bound", "infeasible", "integral")[rng.integers(3)]}
            else:
                name = names[rng.integers(len(names))]
                array = some_array(rng, event.certificate[name])
                change = {"certificate": {**event.certificate, name: array}}
    return msgspec.structs.replace(event, **change)


def altered(rng, events):
    """Return the events with one changed, left out or there twice."""
    kinds = (IncumbentFound, NodeOpened, NodeBranched, NodePruned)
    places = [i for i, event in enumerate(events) if isinstance(event, kinds)]
    at = places[rng.integers(len(places))]
    instead = [[], [events[at]] * 2, *[[alter(rng, events[at])]] * 8][rng.integers(10)]
    return [*events[:at], *instead, *events[at + 1 :]]


def cost(problem, found):
    return Partition(problem, found.labels).wcss


@pytest.mark.parametrize("name", ["proof", "column_proof"])
def test_no_alteration_proves_what_is_not_so(second, request, name):
    problem, events = request.getfixturevalue(name)
    truth = verify(problem, events, gap=1e-5)
    rng = np.random.default_rng(0)
    accepted = 0
    for _ in range(ALTERED):
        run = altered(rng, events)
        verdict = verify(problem, run, work=0.1)
        assert verdict.accepted or verdict.sentence.startswith("no proof")
        if verdict.accepted:
            accepted += 1
            assert verdict.lower_bound <= truth.upper_bound
            assert verdict.upper_bound >= truth.lower_bound
            assert second(problem, run)[0] in {0, 2}
        elif second(problem, run)[0] == 0:
            # It does not look at what is claimed; what is proved is so all the same.
            best = min(cost(problem, event) for event in run if isinstance(event, IncumbentFound))
            assert best <= truth.upper_bound * (1.0 + 2e-4)
    assert 0 < accepted < ALTERED
