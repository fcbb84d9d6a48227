"""The parts of a divided run go on after an edit: which bounds hold, and what is accepted."""

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.events import PartBounded, PartsCut, TreeKept
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_event, encode_event
from tests.proof.conftest import check_proof, second  # noqa: F401

GAP = 0.1
SETTINGS = {"part_size": 30, "largest_part": 40, "tolerance": GAP, "incumbent": "blp-kmeans"}


@pytest.fixture(scope="module")
def divided():
    """Return a problem in several parts, and its result."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(240, 2)) + 4.0 * rng.integers(0, 3, size=(240, 1))
    problem = Problem(X, 3, cannot_link=[(0, 1), (2, 3)])
    return problem, solve(problem, "divide", **SETTINGS)


def went_on(problem, result):
    stepper = start(problem, "divide", start=result, **SETTINGS)
    events = [decode_event(encode_event(record.event)) for record in stepper]
    return stepper.run, events


def two_parts(result, same_cluster):
    """Return points of two different parts, in one cluster or in two."""
    events = [record.event for record in result.records()]
    part_of = [event.part_of for event in events if isinstance(event, PartsCut)][-1]
    labels = result.labels
    return next(
        (i, j)
        for i in range(10, 240)
        for j in range(i)
        if min(part_of[i], part_of[j]) >= 0 and part_of[i] != part_of[j]
        if (labels[i] == labels[j]) == same_cluster
    )


def test_a_link_that_is_kept_needs_no_run(divided, second):  # noqa: F811
    problem, result = divided
    edited = Problem(problem.X, 3, [two_parts(result, True)], problem.cannot_link.pairs)
    run, events = went_on(edited, result)
    assert run.lower_bound >= result.lower_bound
    assert run.termination == "gap"
    assert verify(edited, events, gap=GAP).accepted
    assert second(edited, events, gap=GAP)[0]


def test_parts_that_a_link_does_not_touch_keep_their_bounds(divided, second):  # noqa: F811
    problem, result = divided
    edited = Problem(problem.X, 3, [two_parts(result, False)], problem.cannot_link.pairs)
    _, events = went_on(edited, result)
    (kept,) = [event for event in events if isinstance(event, TreeKept)]
    assert 0 < kept.reopened < kept.leaves
    assert kept.lower_bound == result.lower_bound
    before = {event.group: event for event in parts_of(result)}
    first = [event for event in events[: 3 + kept.following] if isinstance(event, PartBounded)]
    held = [event for event in first if event.certificate]
    assert len(held) == kept.leaves - kept.reopened
    assert all(event.lower_bound == before[event.group].lower_bound for event in held)
    assert verify(edited, events, gap=GAP).accepted
    assert second(edited, events, gap=GAP)[0]


def test_a_link_taken_away_opens_its_part_alone(divided):
    problem, result = divided
    linked = Problem(problem.X, 3, [two_parts(result, True)], problem.cannot_link.pairs)
    before = solve(linked, "divide", **SETTINGS)
    run, events = went_on(problem, before)
    assert run.kept is None
    assert verify(problem, events, gap=GAP).accepted
    if run.kept_tree is not None:
        assert np.isinf(run.kept_tree.lower_bound)


def parts_of(result):
    return [r.event for r in result.records() if isinstance(r.event, PartBounded)]
