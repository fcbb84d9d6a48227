import numpy as np
import pytest

from ccviz import Problem
from ccviz.events import BoundImproved, Finished, IncumbentFound, Record
from ccviz.runs.run import Run
from ccviz.views.frames.card import after_edit, card

X = [[0.0], [0.2], [1.0], [1.2]]


@pytest.fixture
def proved():
    run = Run(Problem(X, 2, cannot_link=[(0, 2)]))
    found = IncumbentFound(labels=np.array([0, 0, 1, 1]))
    for seq, event in enumerate(
        [found, BoundImproved(lower_bound=0.04), Finished(termination="proved")]
    ):
        run.apply(Record(seq, 0.25 * seq, event))
    return run


def test_nothing_is_said_of_the_problem_itself(proved):
    assert after_edit(proved, Problem(X, 2, cannot_link=[(0, 2)])) is None


def test_a_link_that_is_kept_leaves_the_proof(proved):
    edited = Problem(X, 2, must_link=[(0, 1)], cannot_link=[(0, 2)])
    assert after_edit(proved, edited).holding == "proof"
    frame = card(proved, False, edited)
    assert (frame.headline, frame.status) == ("Still optimal", "optimal")
    assert dict(frame.rows)["Gap"] == "0.00 %"


def test_a_link_that_is_broken_leaves_the_bound(proved):
    edited = Problem(X, 2, cannot_link=[(0, 2), (0, 1)])
    frame = card(proved, False, edited)
    assert after_edit(proved, edited).holding == "bound"
    assert (frame.headline, frame.status) == ("Edited", "edited")
    assert "1 cannot-link" in frame.caution
    assert dict(frame.rows)["Lower bound"] == "0.04"
    assert dict(frame.rows)["Gap"] == "–"
    assert dict(frame.rows)["Constraints"] == "1 cannot-link broken"


def test_a_link_that_is_gone_leaves_the_clustering(proved):
    edited = Problem(X, 2)
    frame = card(proved, False, edited)
    assert after_edit(proved, edited).holding == "clustering"
    assert (frame.headline, frame.status) == ("Still feasible", "edited")
    assert dict(frame.rows)["Lower bound"] == "–"


def test_sizes_count_as_constraints(proved):
    assert after_edit(proved, Problem(X, 2, cannot_link=[(0, 2)], sizes=[2, 2])).holding == "proof"
    assert after_edit(proved, Problem(X, 2, cannot_link=[(0, 2)], sizes=[3, 1])).holding == "bound"


def test_a_soft_link_that_is_kept_leaves_the_proof_and_one_that_is_broken_the_bound(proved):
    kept = Problem(X, 2, cannot_link=[(0, 2)], must_link=[(0, 1, 2.0)])
    assert after_edit(proved, kept).holding == "proof"
    broken = Problem(X, 2, cannot_link=[(0, 2), (0, 1, 2.0)])
    assert after_edit(proved, broken).holding == "bound"


def test_other_points_and_another_k_leave_nothing(proved):
    for other in (
        Problem([[0.0], [0.2], [1.0], [2.0]], 2, cannot_link=[(0, 2)]),
        Problem(X, 3, cannot_link=[(0, 2)]),
    ):
        assert after_edit(proved, other).holding in ("nothing", "clustering")
        assert card(proved, False, other).status == "edited"
