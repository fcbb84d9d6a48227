"""The checker and `tools/check_proof.py`, held against each other."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import IncumbentFound, PartBounded, PartsCut
from ccviz.problem.partition import Partition
from ccviz.proof.verify import verify

ALTERED = 100  # runs of each solver
ROOT = Path(__file__).parents[2]


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
        assert second(problem, events)[0]


def test_both_accept_trees(second, proof):
    assert second(*proof)[0]


def test_both_accept_parts(second, divided_proof):
    problem, events = divided_proof
    verdict = verify(problem, events, 2e-3)
    proved, sentence = second(problem, events, 2e-3)
    assert verdict.accepted
    assert proved
    assert float(sentence.split()[-1]) == pytest.approx(verdict.gap, rel=0.02)
    assert not second(problem, [e for e in events if not isinstance(e, PartsCut)], 2e-3)[0]


def test_both_accept_parts_that_were_merged_and_branched(second, tree_proof):
    problem, events = tree_proof
    bounds = [event for event in events if isinstance(event, PartBounded)]
    assert any(event.merged for event in bounds)
    assert any(event.leaves for event in bounds)
    verdict = verify(problem, events, 0.09)
    proved, sentence = second(problem, events, 0.09)
    assert verdict.accepted, verdict.sentence
    assert proved, sentence
    assert float(sentence.split()[-1]) == pytest.approx(verdict.gap, rel=0.05)


def test_the_second_is_short():
    assert len((ROOT / "tools" / "check_proof.py").read_text().splitlines()) < 350


def test_both_accept_that_there_is_no_clustering(second):
    pairs = list(combinations(range(4), 2))
    problem = Problem(np.random.default_rng(0).normal(size=(9, 2)), 3, cannot_link=pairs)
    events = events_of(problem, "sdp")
    assert verify(problem, events).sentence == "proved infeasible"
    assert second(problem, events) == (True, "proved infeasible")


def test_the_gap_is_for_the_checker_to_say(second, proof):
    problem, events = proof
    loose = events_of(problem, "sdp", tolerance=0.9)
    for run, gap in ((loose, 1e-4), (events, 1e-9)):
        assert verify(problem, run, gap).sentence.startswith("no proof: the gap is")
        assert not second(problem, run, gap)[0]
    assert verify(problem, loose, 0.9).accepted
    assert second(problem, loose, 0.9)[0]


@pytest.fixture
def altered(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from _alterations import altered

    return altered


@pytest.mark.parametrize("name", ["proof", "column_proof", "divided_proof", "tree_proof"])
def test_no_alteration_proves_what_is_not_so(second, altered, request, name):
    problem, events = request.getfixturevalue(name)
    gap = {"divided_proof": 2e-3, "tree_proof": 0.09}.get(name, 1e-4)
    truth = verify(problem, events, gap)
    rng = np.random.default_rng(0)
    accepted = 0
    for _ in range(ALTERED):
        run = altered(rng, events)
        verdict = verify(problem, run, gap, work=0.1)
        assert verdict.accepted or verdict.sentence.startswith("no proof")
        if verdict.accepted:
            accepted += 1
            assert verdict.lower_bound <= truth.upper_bound
            assert verdict.upper_bound >= truth.lower_bound
        if second(problem, run, gap)[0]:
            # It does not look at what is claimed; what is proved is so all the same.
            found = [event for event in run if isinstance(event, IncumbentFound)]
            best = min(Partition(problem, event.labels).wcss for event in found)
            assert best <= truth.upper_bound / (1.0 - 1.01 * gap)
    assert 0 < accepted < ALTERED
