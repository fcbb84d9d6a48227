"""Connected clusters: proofs by `sdp`, against all clusterings, and checked twice."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from msgspec.structs import replace as replace_event

from ccviz import Partition, Problem, start
from ccviz.errors import UnsupportedError
from ccviz.events import CutsAdded, InfeasibilityProved, NodePruned
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_problem, encode_problem
from tests.constrained import optimum
from tests.proof.conftest import check_proof, second  # noqa: F401

SEPARATOR = -1


def _relative_neighbours(place):
    """Return the pairs of points of which no third one is nearer to both."""
    square = ((place[:, None] - place) ** 2).sum(axis=2)
    return [
        (i, j)
        for i, j in combinations(range(len(place)), 2)
        if not (np.maximum(square[i], square[j]) < square[i, j]).any()
    ]


def _drawn(seed, n=8, k=3, **more):
    rng = np.random.default_rng(seed)
    pairs = _relative_neighbours(rng.normal(size=(n, 2)))
    return Problem(rng.normal(size=(n, 2)), k, neighbors=pairs, **more)


def _events(problem):
    return [record.event for record in start(problem, "sdp")]


_VALUES = (1.0, 2.0, 0.0, 3.0, 1.0, 1.0, 2.0, 2.0)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"must_link": [(0, 5)], "cannot_link": [(1, 2), (3, 4)]},
        {"sizes": ([2] * 3, [4] * 3)},
        {"rules": (MinSum(_VALUES, 3.0), MaxSum(_VALUES, 5.0))},
        {"weights": [1.0, 2, 1, 3, 1, 1, 2, 1], "sizes": ([2] * 3, [4] * 3)},
        {"cannot_link": [(0, 1, 0.5), (2, 3, 1.0)], "must_link": [(4, 7, 0.7)]},
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_best_connected_clustering_is_proved(second, more, seed):  # noqa: F811
    problem = _drawn(seed, **more)
    events, best = _events(problem), optimum(problem)
    found = [event.labels for event in events if hasattr(event, "labels")]
    assert all(Partition(problem, labels).violations.none_hard for labels in found)
    if np.isinf(best):
        assert any(isinstance(event, InfeasibilityProved) for event in events)
        return
    verdict = verify(problem, events)
    assert verdict.accepted, verdict.sentence
    assert verdict.lower_bound <= best * (1.0 + 1e-9) <= verdict.upper_bound * (1.0 + 2e-9)
    assert second(problem, events)[0]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"must_link": [(0, 5)], "cannot_link": [(1, 2), (3, 4)]},
        {"sizes": ([2] * 3, [4] * 3)},
        {"rules": (MinSum(_VALUES, 2.0), MaxSum(_VALUES, 7.0))},
        {"cannot_link": [(0, 1, 0.5), (2, 3, 1.0)], "must_link": [(4, 7, 0.7)]},
    ],
)
def test_points_of_weight_0_may_be_the_bridge(second, more):  # noqa: F811
    problem = _drawn(1, weights=[1.0, 0, 2, 1, 0, 1, 0, 1], **more)
    best = optimum(problem)
    events = _events(problem)
    verdict = verify(problem, events)
    assert verdict.accepted, verdict.sentence
    assert second(problem, events)[0]
    assert np.isfinite(best)
    assert verdict.lower_bound <= best * (1.0 + 1e-9) <= verdict.upper_bound * (1.0 + 2e-9)


def _star(k=2, **more):
    """Return two pairs of points, each joined only by one point of weight 0, in the middle."""
    near = [(0, 4), (1, 4), (2, 4), (3, 4)]
    X = [[0.0], [0.1], [5.0], [5.1], [2.0]]
    return Problem(X, k, weights=[1.0, 1, 1, 1, 0], neighbors=near, **more)


def test_a_bridge_serves_one_cluster_only(both):
    problem = _star()
    events = _events(problem)
    assert sum(isinstance(event, NodePruned) for event in events) > 1
    assert both.accept(problem, events)[0].upper_bound == pytest.approx(optimum(problem))


def test_a_bridge_that_no_cluster_can_hold_is_named():
    events = _events(_star(3, cannot_link=[(i, 4) for i in range(4)]))
    (found,) = (each for each in events if isinstance(each, InfeasibilityProved))
    assert found.reason.startswith("point 4 can be together with 0 points that count at most")


def test_a_separator_beside_a_bridge_is_refused(second):  # noqa: F811
    problem = replace(_drawn(1, 13), weights=np.array([1.0] * 12 + [0.0]))
    events = _events(replace(problem, neighbors=[
        pair for pair in problem.neighbors.pairs.tolist() if 12 not in pair
    ] + [[0, 12]]))  # fmt: skip
    assert any((each.certificate.get("kind") == SEPARATOR).any()
               for each in events if isinstance(each, NodePruned))  # fmt: skip
    through = [[i, 12] for i in range(12)]
    bridged = replace(problem, neighbors=[*problem.neighbors.pairs.tolist(), *through])
    assert "does not separate" in verify(bridged, events).sentence
    assert "does not separate" in second(bridged, events)[1]


def test_thirteen_points_close_within_few_nodes_by_separators():
    events = _events(_drawn(1, 13))
    assert sum(event.separators for event in events if isinstance(event, CutsAdded)) > 10
    assert sum(isinstance(event, NodePruned) for event in events) <= 3


def test_a_proof_has_separators_of_the_rows_of_both_ends(second):  # noqa: F811
    problem = _drawn(1, 13)
    events = _events(problem)
    leaf = next(each for each in events if isinstance(each, NodePruned))
    points = leaf.certificate["points"]
    divided = (leaf.certificate["kind"] == SEPARATOR) & (points[:, 2:] == points[:, 1:2]).any(
        axis=1
    )
    assert divided.any()
    # An entry of both rows would count twice.
    cut = int(np.flatnonzero(divided)[0])
    wrong = points.copy()
    wrong[cut, (points[cut] >= 0).sum() - 1] = points[cut, 2]
    at = events.index(leaf)
    events[at] = replace_event(leaf, certificate={**leaf.certificate, "points": wrong})
    assert not verify(problem, events).accepted
    assert not second(problem, events)[0]


def test_a_separator_that_leaves_a_way_is_refused(second):  # noqa: F811
    problem = _drawn(1, 13)
    events = _events(problem)
    at, leaf = next(
        (at, event)
        for at, event in enumerate(events)
        if isinstance(event, NodePruned) and (event.certificate.get("kind") == SEPARATOR).any()
    )
    cut = int(np.flatnonzero(leaf.certificate["kind"] == SEPARATOR)[0])
    points = leaf.certificate["points"].copy()
    points[cut, 2:] = -1  # the empty set
    events[at] = replace_event(leaf, certificate={**leaf.certificate, "points": points})
    assert "does not separate" in verify(problem, events).sentence
    assert "does not separate" in second(problem, events)[1]


def test_a_proof_without_neighbours_does_not_prove_with_others(both):
    problem = _drawn(1, 13)
    events, free = _events(problem), replace(problem, neighbors=None)
    both.refuse(free, events)
    apart = _events(free)  # its best clustering keeps no neighbours together
    both.refuse(problem, apart)
    assert "falls apart" in verify(problem, apart).sentence


@pytest.mark.parametrize(
    ("pairs", "k", "more", "words"),
    [
        ([(0, 1), (2, 3)], 2, {}, "no path of neighbours joins any two of the 3 points 0, 2, 4"),
        ([(0, 1), (2, 3), (3, 4)], 2, {"must_link": [(1, 4)]}, "points 1 and 4 must be together"),
        ([(0, 1), (2, 3), (3, 4)], 2, {"sizes": ([3, 1], [4, 4])}, ""),
        ([(0, 1), (2, 3), (3, 4)], 1, {}, "but k is 1"),
        ([(0, 1), (2, 3), (3, 4)], 2, {"rules": (MinSum((1, 1, 1, 1, 9), 3.0),)}, "point 0 can be"),
    ],
)
def test_islands_that_leave_no_clustering_are_named(pairs, k, more, words):
    problem = Problem(np.arange(5.0)[:, None], k, neighbors=pairs, **more)
    events = _events(problem)
    reasons = [each.reason for each in events if isinstance(each, InfeasibilityProved)]
    if words:
        assert words in reasons[0]
    else:
        assert not reasons
        assert verify(problem, events).accepted


def test_others_refuse_in_a_sentence():
    with pytest.raises(UnsupportedError, match="cannot handle neighbours"):
        list(start(_drawn(0), "colgen"))


def test_files_keep_neighbours():
    problem = _drawn(0)
    assert decode_problem(encode_problem(problem)).asks_the_same(problem)
