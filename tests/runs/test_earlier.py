"""Starting from an earlier run: what holds after an edit, and what the checkers say of it."""

import msgspec
import numpy as np
import pytest

from ccviz import Partition, Problem, solve, start
from ccviz.data import load
from ccviz.errors import CcvizError, ProblemError
from ccviz.events import NodeBounded, NodeReopened, ProofKept, TreeKept
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_event, encode_event
from ccviz.runs.earlier import tightens


@pytest.fixture(scope="module")
def iris():
    return load("iris")


@pytest.fixture(scope="module")
def proved(iris):
    return solve(Problem(iris.X, 3, cannot_link=[(0, 100)]), "sdp")


def events_of(stepper):
    return [record.event for record in stepper]


def test_a_link_that_the_best_clustering_keeps_costs_no_search(iris, proved):
    assert proved.status == "optimal"
    same = np.flatnonzero(proved.labels == proved.labels[0])
    problem = Problem(iris.X, 3, must_link=[same[:2]], cannot_link=[(0, 100)])
    stepper = start(problem, "sdp", start=proved)
    events = events_of(stepper)
    result = stepper.result()
    assert not any(isinstance(event, NodeBounded | NodeReopened) for event in events)
    assert result.status == "optimal"
    assert result.objective == proved.objective
    assert result.lower_bound == proved.lower_bound
    assert "keeps every constraint" in result.message
    assert verify(problem, events).accepted


def test_a_link_that_it_breaks_keeps_the_bound_and_the_search_goes_on(iris, proved):
    pair = (50, int(np.flatnonzero(proved.labels != proved.labels[50])[0]))
    problem = Problem(iris.X, 3, must_link=[pair], cannot_link=[(0, 100)])
    stepper = start(problem, "sdp", start=proved)
    bounds = [stepper.run.lower_bound for _ in stepper]
    known = [bound for bound in bounds if np.isfinite(bound)]
    assert known == sorted(known)
    assert known[0] == proved.lower_bound
    cold = solve(problem, "sdp")
    assert stepper.result().objective == pytest.approx(cold.objective, rel=1e-4)


def test_a_link_that_is_removed_keeps_the_clustering_and_not_the_bound(iris, proved):
    problem = Problem(iris.X, 3)
    stepper = start(problem, "blp-kmeans", start=proved)
    events = events_of(stepper)
    assert not any(isinstance(event, ProofKept) for event in events)
    assert stepper.run.objective <= proved.objective
    assert stepper.run.lower_bound == -np.inf


def test_proofs_are_kept_over_several_edits_and_through_the_codec(iris, proved):
    result, links = proved, []
    for step in range(3):
        same = np.flatnonzero(result.labels == step)
        links.append((int(same[0]), int(same[1])))
        problem = Problem(iris.X, 3, must_link=links, cannot_link=[(0, 100)])
        result = solve(problem, "sdp", start=result)
        events = [decode_event(encode_event(record.event)) for record in result.records()]
        assert sum(isinstance(event, TreeKept) for event in events) == 1
        assert result.status == "optimal"
        assert verify(problem, events).accepted


def test_labels_alone_are_a_first_clustering(iris, proved):
    problem = Problem(iris.X, 3, cannot_link=[(0, 100)])
    stepper = start(problem, "cop-kmeans", start=proved.labels)
    assert next(e for e in events_of(stepper) if hasattr(e, "source")).source == "start"
    assert stepper.run.objective <= proved.objective
    broken = np.where(np.arange(150) < 100, 0, 1 + np.arange(150) % 2)
    broken[100] = 0
    repaired = start(problem, "cop-kmeans", start=broken)
    first = next(e for e in events_of(repaired) if hasattr(e, "source"))
    assert first.source == "start"
    assert Partition(problem, first.labels).violations.none_hard
    with pytest.raises(CcvizError, match="150 labels"):
        start(problem, "sdp", start=[0, 1])
    with pytest.raises(ProblemError, match="other points"):
        start(Problem(iris.X[:50], 3), "sdp", start=proved)


@pytest.mark.parametrize("labels", [[10**30] * 150, ["a"] * 150, [[0], [0, 1]], [None] * 150])
def test_labels_that_are_no_whole_numbers_are_refused_in_words(iris, labels):
    with pytest.raises(ProblemError, match="no whole numbers"):
        start(Problem(iris.X, 3), "sdp", start=labels)


def test_a_kept_proof_that_uses_what_the_problem_lacks_is_refused(iris, proved):
    problem = Problem(iris.X, 3, cannot_link=[(0, 100), (1, 101)])
    events = events_of(start(problem, "colgen", start=proved))
    assert verify(problem, events).accepted
    free = Problem(iris.X, 3)
    verdict = verify(free, events)
    assert not verdict.accepted
    assert "that the problem lacks" in verdict.sentence
    at = next(i for i, event in enumerate(events) if isinstance(event, ProofKept))
    lie = {"must_link": np.array([[0, 100]]), "cannot_link": events[at].cannot_link[:0]}
    events[at] = msgspec.structs.replace(events[at], **lie)
    assert not verify(problem, events).accepted


def test_what_tightens():
    X = np.arange(6.0)[:, None]
    free, linked = Problem(X, 2), Problem(X, 2, must_link=[(0, 1)])
    sized = Problem(X, 2, sizes=([2, 2], [4, 4]))
    equal = Problem(X, 2, sizes=[3, 3])
    soft = Problem(X, 2, must_link=[(0, 1, 2.0)])
    assert tightens(free, linked)
    assert not tightens(linked, free)
    assert tightens(free, sized)
    assert tightens(sized, equal)
    assert not tightens(equal, sized)
    assert tightens(free, soft)
    assert tightens(soft, linked)
    assert not tightens(linked, soft)
