"""What a lesson asks and finds; that each is walked to its end is seen in a real browser."""

import re
from math import inf

import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.errors import CcvizError
from ccviz.events import RelaxationSolved
from ccviz.views.draft import draft_of
from ccviz.views.export.page import save_html
from ccviz.views.lab.loading import draw_links
from ccviz.views.lessons.by_hand import Box, sketch, undecided
from ccviz.views.lessons.catalogue import LESSONS, lesson_named, walk
from ccviz.views.lessons.course import Course
from ccviz.views.link_table import Link


def find(session, course):
    """Do what the step asks, and see what it shows."""
    course.show()
    assert course.finding, course.step.text


def pass_step(session, course):
    find(session, course)
    course.go_on()


def run_by_hand(session, solver, **settings):
    """Run a solver on the current problem, to its end."""
    session.set_solver(solver, **settings)
    session.start()


@pytest.fixture
def begin(session):
    """Return a function that begins the lesson whose title has a word."""

    def begin(word):
        course = Course(session)
        course.begin(next(lesson for lesson in LESSONS if word in lesson.title))
        return course

    return begin


def test_a_dead_end_is_met_and_survived(session, begin):
    course = begin("Why COP-k-means dies")
    findings = set()
    for status, words in (
        (None, "The true classes keep all"),
        ("unknown", "A dead end"),
        ("feasible", "no link is broken"),
    ):
        find(session, course)
        assert words in course.finding
        findings.add(course.finding)
        assert status is None or session.run.status == status
        course.go_on()
    assert course.lesson is None
    assert len(findings) == 3


def test_a_step_is_not_done_by_the_run_of_the_step_before(session, begin):
    course = begin("must-link")
    for _ in range(2):
        pass_step(session, course)
    assert course.at == 2
    assert course.finding == ""


LIMITS = {"time_limit": 0.001, "gap_limit": 0.9, "node_limit": 1}


@pytest.mark.slow
def test_a_race_is_run_only_by_proofs(session, begin):
    course = begin("race")
    draw_links(session, 60)
    for solver, limit in (("sdp", "gap_limit"), ("colgen", "time_limit")):
        session.param.update(**{limit: LIMITS[limit]})
        run_by_hand(session, solver)
        assert session.run.status != "optimal"
        assert course.finding == ""
        assert "proves no optimum" in session.notice.text
        find(session, course)
        assert session.run.status == "optimal"
        assert "Proved in" in course.finding
        course.go_on()
    assert session.time_limit is None
    assert session.gap_limit is None


def test_a_wide_tolerance_is_no_proof(session, begin):
    course = begin("race")
    draw_links(session, 60)
    run_by_hand(session, "sdp", tolerance=0.9)
    assert session.run.status == "feasible"
    assert course.finding == ""
    assert "tolerance" in session.notice.text


@pytest.mark.slow
def test_both_runs_of_a_race_have_the_same_problem(session, begin):
    course = begin("race")
    pass_step(session, course)
    draw_links(session, 150)
    run_by_hand(session, "colgen")
    assert session.run.status == "optimal"
    assert course.finding == ""
    assert "another problem" in session.notice.text
    find(session, course)
    assert len(session.draft.links) == 60
    assert "the same optimum" in course.finding


def test_a_run_that_succeeds_is_no_dead_end(session, begin):
    course = begin("COP")
    pass_step(session, course)
    run_by_hand(session, "cop-kmeans", n_init=50)
    assert session.run.status == "feasible"
    assert course.finding == ""
    assert "found a clustering" in session.notice.text
    session.edits.cancel()
    assert session.notice is None  # it can be put away
    find(session, course)
    assert "A dead end" in course.finding
    assert session.run.status == "unknown"


def test_a_run_that_was_cut_off_is_no_dead_end(session, begin):
    course = begin("COP")
    pass_step(session, course)
    session.time_limit = 1e-9
    run_by_hand(session, "cop-kmeans", n_init=1)
    assert session.run.termination == "time_limit"
    assert course.finding == ""


def test_links_against_the_classes_are_not_said_to_be_kept(session, begin):
    course = begin("COP")
    session.edits.add_links([Link("must", 0, 149)])  # of two classes
    draw_links(session, 60)
    session.edits.add_links([Link("cannot", i, i + 60) for i in range(39)])
    assert len(session.draft.links) == 100
    assert course.finding == ""


def test_an_optimum_is_one_that_was_proved(session, begin):
    course = begin("must-link")
    for _ in range(2):
        session.time_limit = LIMITS["time_limit"]
        run_by_hand(session, "sdp", show_relaxation=True)
        assert session.run.status != "optimal"
        assert course.finding == ""
        find(session, course)
        assert session.run.status == "optimal"
        assert "optimum" in course.finding
        course.go_on()
        if course.lesson is not None:
            pass_step(session, course)


def test_optima_of_other_points_are_not_compared(session, begin):
    course = begin("must-link")
    pass_step(session, course)
    session.edits.set_k(2)
    session.edits.add_links([Link("must", 60, 100)])
    assert course.finding == ""
    find(session, course)
    assert session.draft.k == 3
    course.go_on()
    session.edits.undo()
    assert not session.draft.links
    assert course.finding == ""  # the run shown is of the problem without links
    find(session, course)
    assert "The optimum was" in course.finding


def test_sizes_are_compared_by_their_values(session, begin):
    course = begin("given size")
    for _ in range(2):
        pass_step(session, course)
    session.edits.set_sizes("40, 50, 60")
    run_by_hand(session, "blp-kmeans")
    assert course.finding == ""
    session.edits.set_sizes("50, 50, 50")
    assert course.finding == ""
    find(session, course)
    assert "50, 50, 50" in course.finding


def test_a_run_on_other_data_does_not_count(session, begin):
    course = begin("given size")
    session.edits.load(load("wine"))
    run_by_hand(session, "blp-kmeans")
    assert course.finding == ""
    assert "iris" in session.notice.text


@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(each, marks=[pytest.mark.slow] if "race" in each.title else [], id=each.title)
        for each in LESSONS
    ],
)
def test_every_lesson_is_shown_to_its_end_whatever_is_set(session, lesson):
    session.param.update(**LIMITS, seed=5)
    course = Course(session)
    course.begin(lesson)
    for _ in lesson.steps:
        session.edits.load(load("wine"), 2)
        session.param.update(**LIMITS)
        pass_step(session, course)
    assert course.lesson is None
    assert {name: getattr(session, name) for name in LIMITS} == LIMITS


def test_twenty_questions_beat_twenty_links_by_chance(session, begin):
    course = begin("Twenty questions")
    for questions in (0, 10, 20):
        find(session, course)
        assert session.asking.asked.questions == questions
        assert len(session.draft.links) == questions
        course.go_on()
    find(session, course)
    by_chance, by_questions = re.findall(r"0\.\d{3}", course.finding)
    assert by_questions > by_chance


def test_answers_against_the_classes_are_not_taken_for_right(session, begin):
    course = begin("Twenty questions")
    pass_step(session, course)
    i, j = session.asking.settle().points
    truth = session.draft.data.truth
    session.edits.link("cannot" if truth[i] == truth[j] else "must")
    while session.asking.settle().questions < 10:
        i, j = session.asking.points
        session.edits.link("must" if truth[i] == truth[j] else "cannot")
    assert course.finding == ""


@pytest.mark.slow
def test_the_highest_prices_are_those_of_the_wrong_links(session, begin):
    course = begin("Which expert")
    pass_step(session, course)
    find(session, course)
    assert "Of the 3 highest 3 contradict the known classes" in course.finding
    assert session.links_drawn == "price"
    rows = session.pricing.known.rows
    course.go_on()
    session.edits.remove_links([Link(rows[-1].kind, rows[-1].i, rows[-1].j)])
    run_by_hand(session, "sdp")
    assert course.finding == ""
    assert "among the highest" in session.notice.text
    find(session, course)
    assert len(session.draft.links) == 27
    before, after = (float(each) for each in re.findall(r"\d+\.\d{3,}", course.finding)[:2])
    assert after < before - 30.0


def test_a_lesson_that_is_left_gives_every_setting_back(session, begin):
    session.set_solver("sdp", cuts_per_block=3.0)
    session.param.update(seed=5, weight=2.0, node_limit=40)
    before = session.solver
    course = begin("Branch and bound by hand")
    session.set_solver("sdp", cuts_per_block=0.0)
    session.param.update(seed=0, weight=inf, node_limit=1)
    course.begin(None)
    assert session.solver == before
    assert (session.seed, session.weight, session.node_limit) == (5, 2.0, 40)


def test_a_child_is_closed_by_the_best_clustering():
    box = Box("1–2 together", 10.0, 12.0)
    assert not box.is_closed(11.0)
    assert box.is_closed(10.0)
    assert box.is_closed(10.0005)


def test_the_sketch_draws_what_is_known_so_far():
    root = Box("all clusterings", 9.0, 10.0)
    assert sketch([root]).count("<rect") == 1
    drawn = sketch([root, Box("1–2 together", 10.5, 11.0), Box("1–2 apart", 9.5, inf)])
    assert drawn.count("<rect") == 3
    assert drawn.count('class="closed"') == 1
    assert 'aria-label="all clusterings: at least 9; 1–2 together: at least 10.5' in drawn


X = np.array([[0.0, 0.0], [0.1, 0.0], [2.0, 0.0], [4.0, 0.0], [4.1, 0.0]])
POINTS = Dataset("row", X, ("x0", "x1"))


def relaxation(pairs):
    """Return a relaxation whose likeness of the pairs is as given, 1 on the diagonal."""
    Z = np.eye(5)
    for (i, j), share in pairs.items():
        Z[i, j] = Z[j, i] = share
    return RelaxationSolved(node=4, Z=Z, block_of=np.arange(5))


def test_it_is_the_one_nearest_to_one_half():
    event = relaxation({(0, 1): 0.99, (1, 2): 0.3, (2, 3): 0.55})
    assert undecided(draft_of(POINTS, 2), event) == (2, 3)


def test_pairs_that_links_decide_are_left_out():
    event = relaxation({(1, 2): 0.3, (2, 3): 0.55})
    linked = draft_of(POINTS, 2).with_link(Link("cannot", 2, 3))
    assert undecided(linked, event) == (1, 2)
    # With k = 2, what is kept apart from 3 belongs to 2.
    assert undecided(linked.with_link(Link("cannot", 1, 3)), event) is None


def test_a_lesson_is_named_by_its_beginning():
    assert lesson_named("why-cop").title == "Why COP-k-means dies"
    with pytest.raises(CcvizError, match="no lesson 'x'; there are why-cop-k-means-dies, what-a"):
        lesson_named("x")
    assert len({lesson.name for lesson in LESSONS}) == len(LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_lesson_has_what_a_handout_says(lesson):
    assert all((lesson.paper, lesson.look))
    assert len(lesson.exercises) >= 2


def test_a_lesson_is_walked_to_its_end(tmp_path):
    plays, told = walk(lesson_named("why-cop"))
    assert [play.title for play in plays] == [
        "Step 2: cop-kmeans on iris", "Step 3: blp-kmeans on iris",
    ]  # fmt: skip
    assert all(finding for _, finding, _ in told.steps)
    save_html(tmp_path / "handout.html", plays, told)


def test_regions_that_hang_together_raise_the_bound_by_separators_that_light_up(session, begin):
    course = begin("Regions")
    find(session, course)
    free = session.run.objective
    assert (session.x_axis, session.y_axis) == ("east", "north")
    assert "3 clusters lie in " in course.finding
    course.go_on()
    find(session, course)
    assert len(session.draft.near) == 60
    course.go_on()
    find(session, course)
    assert session.run.objective > 1.5 * free
    assert session.run.problem.neighbors.are_connected(session.run.incumbent.labels)
    assert "The bound rose from" in course.finding
    rounds = session.archive.records(session.player.run_id, kinds=["CutsAdded"])
    near = session.draft.near
    for record in rounds:
        first, *between, last = record.event.separator
        rest = np.zeros(36, dtype=np.int64)
        rest[between] = np.arange(1, len(between) + 1)
        apart = near.components(rest)
        assert apart[first] != apart[last]
        session.player.seek(record.seq)
        assert session.lit == record.event.separator
    session.player.end()
    assert session.lit == ()
