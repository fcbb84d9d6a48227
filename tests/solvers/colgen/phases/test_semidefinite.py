import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import NodePruned
from ccviz.problem.blocks import contract
from ccviz.proof.verify import verify
from ccviz.solvers.colgen.phases.settle import semidefinite

CERTIFICATE = {"nonnegativity", "points", "kind", "weights"}


def blobs(n, k, d, seed=0):
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % k
    X = 6.0 * rng.normal(size=(k, d))[classes] + rng.normal(size=(n, d))
    return Problem(X, k, must_link=[(0, k)], cannot_link=[(0, 1)])


def leaves(events):
    return [event for event in events if isinstance(event, NodePruned)]


def test_a_pricing_that_is_long_to_repeat_need_not_be():
    problem = blobs(60, 3, 12)
    events = [record.event for record in start(problem, "colgen")]
    assert all({*CERTIFICATE, "duals", "least"} <= set(leaf.certificate) for leaf in leaves(events))
    verdict = verify(problem, events, work=0.0)
    assert verdict.accepted, verdict.sentence
    assert verdict.trusted == 0


def test_a_smaller_gap_than_it_proves_is_searched_for():
    problem = blobs(24, 3, 2)
    events = [record.event for record in start(problem, "colgen")]
    assert verify(problem, events, gap=1e-6).accepted
    assert not verify(problem, events, gap=1e-9, work=0.0).accepted


def test_clusters_of_few_points_get_none():
    problem = blobs(220, 55, 2)
    events = [record.event for record in start(problem, "colgen", node_limit=2)]
    assert not any(CERTIFICATE & set(leaf.certificate) for leaf in leaves(events))


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_multipliers_come_only_where_they_suffice(factor):
    problem = blobs(30, 3, 2)
    best = start(problem, "sdp").result().objective
    found = semidefinite(contract(problem), factor * best, 30)
    assert set(found) == (CERTIFICATE if factor < 1.0 else set())


def test_who_stops_it_gets_none():
    blocks = contract(blobs(30, 3, 2))
    assert semidefinite(blocks, 0.0, 30, lambda: True) == {}
    assert semidefinite(blocks, 0.0, 0) == {}
