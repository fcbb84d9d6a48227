from dataclasses import replace

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


@pytest.mark.parametrize(
    ("edit", "holding", "headline", "bound", "gap"),
    [
        ({"must_link": [(0, 1)]}, "proof", "Still optimal", "0.04", "0.00 %"),
        ({"must_link": [(0, 1, 2.0)]}, "proof", "Still optimal", "0.04", "0.00 %"),
        ({"sizes": [2, 2]}, "proof", "Still optimal", "0.04", "0.00 %"),
        ({"sizes": [3, 1]}, "bound", "Edited", "0.04", "–"),
        ({"cannot_link": [(0, 2), (0, 1)]}, "bound", "Edited", "0.04", "–"),
        ({"cannot_link": [(0, 2), (0, 1, 2.0)]}, "bound", "Edited", "0.04", "98.04 %"),
        ({"cannot_link": ()}, "clustering", "Still feasible", "–", "–"),
        ({"k": 3}, "nothing", "Edited", "–", "–"),
        ({"X": [[0.0], [0.2], [1.0], [2.0]]}, "nothing", "Edited", "–", "–"),
    ],
)
def test_what_an_edit_leaves_of_a_proof(proved, edit, holding, headline, bound, gap):
    edited = replace(proved.problem, **edit)
    frame = card(proved, False, edited)
    assert (after_edit(proved, edited).holding, frame.headline) == (holding, headline)
    assert frame.status == ("optimal" if holding == "proof" else "edited")
    assert (dict(frame.rows)["Lower bound"], dict(frame.rows)["Gap"]) == (bound, gap)


def test_what_is_broken_is_said_and_nothing_of_the_problem_itself(proved):
    assert after_edit(proved, Problem(X, 2, cannot_link=[(0, 2)])) is None
    frame = card(proved, False, Problem(X, 2, cannot_link=[(0, 2), (0, 1)]))
    assert "1 cannot-link" in frame.caution
    assert dict(frame.rows)["Constraints"] == "1 cannot-link broken"


def test_a_run_that_found_nothing_is_no_answer_to_another_problem():
    run = Run(Problem([[0.0], [1.0], [2.0]], 2))
    run.apply(Record(0, 0.0, Finished(termination="stalled")))
    frame = card(run, False, replace(run.problem, must_link=[(0, 1)]))
    assert dict(frame.rows)["Cost (WCSS)"] == "–"
    assert "which found no clustering" in frame.caution
    assert "answer" not in frame.caution
