"""The tree of an earlier run goes on: what stays, what is opened again, what is accepted."""

import numpy as np
import pytest
from msgspec.structs import replace as replace_event

from ccviz import Partition, Problem, solve, start
from ccviz.events import NodeOpened, NodePruned, NodeReopened, TreeKept
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_event, encode_event
from tests.enumeration import least_objective
from tests.proof.conftest import check_proof, second  # noqa: F401

N, K = 7, 3


@pytest.fixture(scope="module")
def grown():
    """Return a problem whose tree without cuts has several leaves, and its result."""
    X = np.random.default_rng(4).normal(size=(12, 2))
    problem = Problem(X, 3, cannot_link=[(0, 1), (2, 3)])
    return problem, solve(problem, "sdp", cuts="none")


def broken_pair(result):
    """Return two points in different clusters, near each other and not linked."""
    X, labels = result.run.problem.X, result.labels
    far = np.where(labels[:, None] == labels, np.inf, ((X[:, None] - X) ** 2).sum(axis=2))
    far[[0, 1, 2, 3], [1, 0, 3, 2]] = np.inf
    return tuple(sorted(int(i) for i in np.unravel_index(far.argmin(), far.shape)))


def go_on(problem, result, **settings):
    stepper = start(problem, "sdp", start=result, cuts="none", **settings)
    return stepper, [record.event for record in stepper]


def test_nodes_stay_and_the_bound_never_falls(grown):
    problem, result = grown
    assert len(result.run.tree) > 5
    edited = Problem(problem.X, 3, [broken_pair(result)], problem.cannot_link.pairs)
    stepper = start(edited, "sdp", start=result, cuts="none")
    bounds = [stepper.run.lower_bound for _ in stepper][2:]  # after the start and the clustering
    assert bounds[0] == result.lower_bound
    assert bounds == sorted(bounds)
    opened = {each.node: each.pair for each in result.run.tree.values()}
    shown = {each.node: each.pair for each in stepper.run.tree.values()}
    assert {node: shown[node] for node in opened if node in shown}.items() <= opened.items()
    kept = stepper.run.kept_tree
    assert kept.reopened <= kept.leaves
    assert kept.lower[-1] == result.lower_bound
    assert stepper.run.objective == pytest.approx(solve(edited, "sdp").objective, rel=1e-3)


def test_what_was_added_is_named_and_both_checkers_read_it(grown, second):  # noqa: F811
    problem, result = grown
    edited = Problem(problem.X, 3, [broken_pair(result)], problem.cannot_link.pairs)
    _, events = go_on(edited, result)
    events = [decode_event(encode_event(event)) for event in events]
    assert any("without_must" in e.certificate for e in events if isinstance(e, NodePruned))
    assert verify(edited, events).accepted
    assert second(edited, events)[0]
    assert second(edited, events, exact=True)[0]
    # For the problem as it was, they are no proof.
    assert not verify(problem, events).accepted
    assert not second(problem, events)[0]


def test_a_link_taken_away_keeps_what_did_not_use_it(grown):
    problem, result = grown
    i, j = (int(np.flatnonzero(result.labels == label)[0]) for label in (0, 1))
    linked = Problem(problem.X, 3, cannot_link=[*problem.cannot_link.pairs.tolist(), (i, j)])
    before = solve(linked, "sdp", cuts="none")
    stepper, events = go_on(problem, before)
    assert stepper.run.status == "optimal"
    assert verify(problem, events).accepted
    assert stepper.run.objective == pytest.approx(result.objective, rel=1e-4)


def test_sizes_that_are_added_are_named(grown, second):  # noqa: F811
    problem, result = grown
    sizes = ([1, 1, 1], [10, 10, 10])
    edited = Problem(problem.X, 3, cannot_link=problem.cannot_link.pairs, sizes=sizes)
    stepper, events = go_on(edited, result)
    assert stepper.run.kept_tree.reopened == 0
    assert all("with_sizes" in e.certificate for e in events if isinstance(e, NodePruned))
    assert verify(edited, events).accepted
    assert second(edited, events)[0]


def test_a_run_that_goes_on_can_be_resumed(grown):
    problem, result = grown
    edited = Problem(problem.X, 3, [broken_pair(result)], problem.cannot_link.pairs)
    records = list(start(edited, "sdp", start=result, cuts="none"))
    opened = next(at for at, each in enumerate(records) if isinstance(each.event, NodeReopened))
    last = max(at for at, each in enumerate(records[:-3]) if isinstance(each.event, NodeOpened))
    for cut in (opened + 1, last):
        rest = list(start(edited, "sdp", cuts="none", history=records[:cut]))
        events = [record.event for record in records[:cut] + rest]
        assert verify(edited, events).accepted


def test_an_infeasible_tree_stays_infeasible():
    X = np.random.default_rng(1).normal(size=(6, 2))
    apart = [(i, j) for i in range(4) for j in range(i)]
    before = solve(Problem(X, 3, cannot_link=apart), "sdp")
    assert before.status == "infeasible"
    assert solve(Problem(X, 3, [(4, 5)], apart), "sdp", start=before).status == "infeasible"
    assert solve(Problem(X, 3, cannot_link=apart[1:]), "sdp", start=before).status == "optimal"


def altered(rng, problem, event):
    """Return a leaf that claims to be made without other constraints."""
    names = {"without_must": problem.must_link.pairs, "without_cannot": problem.cannot_link.pairs}
    arrays = dict(event.certificate)
    for name, pairs in names.items():
        way = rng.integers(4)
        if way == 0:
            arrays.pop(name, None)
        elif way == 1:
            arrays[name] = pairs[rng.random(len(pairs)) < 0.5]
        elif way == 2:
            arrays[name] = rng.integers(0, problem.n, size=(2, 2))
    if rng.random() < 0.3:
        arrays["with_sizes"] = rng.integers(1, 5, size=(2, problem.k))
    return replace_event(event, certificate=arrays)


@pytest.mark.parametrize("seed", range(6))
def test_other_lists_never_make_a_false_proof(seed, second):  # noqa: F811
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 2))
    first = Problem(X, K, cannot_link=[(0, 1)])
    result = solve(first, "sdp", cuts="none", tolerance=1e-7)
    sizes = ([1, 1, 1], [3, 3, 3]) if seed % 2 else None
    edited = Problem(X, K, [broken_pair(result)], [(0, 1), (2, 3)], sizes=sizes)
    optimum = least_objective(edited)
    _, events = go_on(edited, result, tolerance=1e-7)
    assert verify(edited, events).accepted
    best = Partition(edited, events_best(edited, events)).objective
    assert best == pytest.approx(optimum, rel=1e-6)
    for _ in range(6):
        lied = [altered(rng, edited, e) if isinstance(e, NodePruned) else e for e in events]
        verdict = verify(edited, lied)
        assert not verdict.accepted or verdict.lower_bound <= optimum
        second(edited, lied)  # never a crash
    # The proof of the tighter problem is none of the wider one.
    wider = Problem(X, K, cannot_link=[(0, 1), (2, 3)], sizes=sizes)
    if least_objective(wider) < optimum * (1 - 1e-3):
        for _ in range(6):
            lied = [altered(rng, edited, e) if isinstance(e, NodePruned) else e for e in events]
            assert not verify(wider, lied).accepted
            assert not second(wider, lied)[0]


def events_best(problem, events):
    found = [event.labels for event in events if hasattr(event, "labels")]
    return min(found, key=lambda labels: Partition(problem, labels).objective)


def test_a_summary_of_the_edits_is_kept(grown):
    problem, result = grown
    once = Problem(problem.X, 3, [broken_pair(result)], problem.cannot_link.pairs)
    first = solve(once, "sdp", cuts="none", start=result)
    twice = Problem(problem.X, 3, once.must_link.pairs, [(0, 1), (2, 3), (4, 5)])
    _, events = go_on(twice, first)
    (kept,) = [event for event in events if isinstance(event, TreeKept)]
    assert len(kept.edits) == 1
    assert kept.times[-1] == 0.0
    assert (np.diff(kept.times) >= 0.0).all()
