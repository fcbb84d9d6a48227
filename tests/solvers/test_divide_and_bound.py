"""No bound is above a feasible value, whatever the points and links."""

import math

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from ccviz import Problem, solve, start
from ccviz.cli.common import describe
from ccviz.errors import ContradictionError, ProblemError
from ccviz.events import BoundImproved, IncumbentFound, Noted, PartBounded, PartsCut
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.divide import DivideSettings
from ccviz.solvers.divide.bounding import Effort, bound_part, work_of
from ccviz.solvers.divide.division import Division
from ccviz.solvers.divide.partition import Anticlustering, take_parts
from ccviz.solvers.divide.schedule import branch_part
from tests.enumeration import least_wcss


def blobs(n, k, *, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    centers = 10.0 * np.column_stack([np.cos(np.arange(k)), np.sin(np.arange(k))])
    return centers[truth] + spread * rng.normal(size=(n, 2)), truth


def events_of(problem, **options):
    return [record.event for record in start(problem, "divide", **options)]


@st.composite
def odd_problems(draw):
    """Few points: some twice, some far away; links at random; up to a cluster a block."""
    n = draw(st.integers(4, 7))
    places = st.sampled_from([0.0, 1.0, 1.5, 4.0, 1000.0])
    X = [[draw(places), draw(places)] for _ in range(n)]
    pairs = st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3)
    must, cannot = ([(i, j) for i, j in draw(pairs) if i != j] for _ in range(2))
    try:
        return Problem(X, draw(st.integers(1, 4)), must_link=must, cannot_link=cannot)
    except (ProblemError, ContradictionError):
        reject()


@settings(max_examples=30)
@given(odd_problems(), st.integers(2, 3), st.sampled_from([0.0, 0.5, 2.0]))
def test_no_bound_is_above_the_optimum(problem, part_size, shared):
    best = least_wcss(problem)
    options = {"part_size": part_size, "largest_part": 4, "shared": shared, "tolerance": 1e-6}
    stepper = start(problem, "divide", **options)
    bounds = [r.event.lower_bound for r in stepper if isinstance(r.event, BoundImproved)]
    result = stepper.result()
    noise = 1e-9 * float((problem.X**2).sum())
    assert max(bounds, default=-math.inf) <= best * (1 + 1e-9) + noise
    if math.isinf(best):
        assert result.status in {"infeasible", "unknown"}
    else:
        assert result.status in {"feasible", "optimal"}
        assert result.objective >= best * (1 - 1e-9) - noise


@pytest.mark.parametrize(
    ("constraint", "left_out"),
    [({"sizes": [40] * 3}, "the cluster sizes"), ({"must_link": [(0, 1, 3.0)]}, "the soft links")],
)
def test_a_run_says_what_its_bound_leaves_out_and_is_verified(constraint, left_out):
    problem = Problem(blobs(120, 3)[0], 3, cannot_link=[(0, 3), (1, 4)], **constraint)
    events = events_of(problem, part_size=30)
    notes = [event.text for event in events if isinstance(event, Noted)]
    assert any(f"leaves {left_out} out" in text for text in notes)
    assert verify(problem, events, gap=1e-2).accepted


def test_the_presolve_of_sdp_keeps_sizes():
    X, _ = blobs(60, 3, spread=3.0)
    problem = Problem(X, 3, sizes=[10, 20, 30])
    result = start(problem, "sdp", divide_from=20, incumbent="memetic").result()
    assert result.partition.violations.none_hard
    assert result.partition.cluster_sizes.tolist() == [10, 20, 30]


@settings(max_examples=30)
@given(odd_problems(), st.integers(1, 3))
def test_no_tree_of_a_part_is_above_the_optimum(problem, calls):
    blocks, best = contract(problem), least_wcss(problem)
    if math.isinf(best):
        reject()
    labels = blocks.project(check_feasibility(problem).labels)
    (part,) = take_parts(blocks, Anticlustering(np.zeros(blocks.s, dtype=np.int64), 1), labels)
    effort = Effort(tolerance=1e-6, rounds=1)
    bound = bound_part(effort, part)
    for _ in range(calls if bound.certificate else 0):
        bound = branch_part(effort, part, bound)
    noise = 1e-9 * float((problem.X**2).sum())
    assert blocks.scatter + bound.lower_bound <= best * (1 + 1e-9) + noise


def test_many_points_get_a_small_gap_and_the_bounds_are_the_parts():
    X, _ = blobs(300, 3)
    events = events_of(Problem(X, 3), part_size=50, shared=0.0)
    (cut,) = (event for event in events if isinstance(event, PartsCut))
    assert np.bincount(cut.part_of, minlength=6).tolist() == [50] * 6
    bounds = {event.part: event for event in events if isinstance(event, PartBounded)}
    assert all(each.lower_bound <= each.upper_bound * (1 + 1e-9) for each in bounds.values())
    total = sum(each.lower_bound for each in bounds.values())
    last = [event for event in events if isinstance(event, BoundImproved)][-1]
    assert last.lower_bound == pytest.approx(total, rel=1e-6)
    assert events[-1].termination == "gap"


@pytest.mark.slow
def test_every_part_has_a_bound_before_any_has_a_second_one():
    X = np.random.default_rng(0).normal(size=(120, 2))
    events = events_of(Problem(X, 3), part_size=30, largest_part=30)
    bounded = [event for event in events if isinstance(event, PartBounded)]
    assert [event.part for event in bounded[:4]] == [0, 1, 2, 3]
    assert [event.rounds for event in bounded[:4]] == [0] * 4
    assert min(event.rounds for event in bounded[4:]) > 0


def test_clusters_well_apart_need_no_round_however_many():
    rng = np.random.default_rng(0)
    truth = np.arange(400) % 10
    X = 20.0 * np.column_stack([truth % 4, truth // 4]) + rng.normal(size=(400, 2))
    events = events_of(Problem(X, 10), part_size=100, shared=0.0)
    assert {event.rounds for event in events if isinstance(event, PartBounded)} == {0}
    assert events[-1].termination == "gap"


@pytest.mark.parametrize(("largest", "parts"), [(60, 8), (120, 4), (240, 2), (480, 2)])
def test_parts_are_larger_where_smaller_ones_lose_much(largest, parts):
    X = np.random.default_rng(0).normal(size=(240, 2))
    stepper = start(Problem(X, 3), "divide", part_size=30, largest_part=largest)
    cut = next(r.event for r in stepper if isinstance(r.event, PartsCut))
    assert cut.parts == parts


def test_parts_stay_small_where_a_round_of_larger_ones_is_expensive():
    X = np.random.default_rng(0).normal(size=(240, 2))
    at_once = 3 * 4 * work_of(1, 60)  # k, parts: doubled once
    settings = DivideSettings(part_size=30, largest_part=240)
    division = Division(Problem(X, 3), Context(seed=0), settings, at_once=at_once)
    cut = next(event for event in division.steps() if isinstance(event, PartsCut))
    assert cut.parts == 4


def test_progress_counts_the_parts():
    X, _ = blobs(120, 2)
    stepper = start(Problem(X, 2), "divide", part_size=40, shared=0.0)
    for record in stepper:
        if isinstance(record.event, PartBounded):
            break
    assert "1 of 3 parts" in describe(stepper.run)
    stepper.result()
    assert (stepper.run.parts, len(stepper.run.parts_done)) == (3, 3)


def test_a_tolerance_that_counts_as_proof_makes_it_optimal():
    X, _ = blobs(400, 2, spread=0.5)
    result = solve(Problem(X, 2), "divide", part_size=100, tolerance=1e-4)
    assert (result.status, result.termination) == ("optimal", "proved")
    assert result.gap <= 1e-4


def test_links_hold_and_what_was_dropped_is_said():
    X, truth = blobs(300, 3)
    rng = np.random.default_rng(0)
    i, j = rng.integers(300, size=(2, 300))
    must = np.column_stack([i, j])[(truth[i] == truth[j]) & (i != j)][:40]
    cannot = np.column_stack([i, j])[truth[i] != truth[j]]
    events = events_of(Problem(X, 3, must_link=must, cannot_link=cannot), part_size=60)
    cut = next(event for event in events if isinstance(event, PartsCut))
    note = next(event for event in events if isinstance(event, Noted))
    assert (cut.part_of[must[:, 0]] == cut.part_of[must[:, 1]]).all()
    assert 0 < cut.dropped < len(cannot)
    assert note.text.startswith(f"{cut.dropped} of ")


def test_far_points_and_a_small_cluster_are_shared():
    X, _ = blobs(160, 2)
    X = np.concatenate([X, 1000.0 + 100.0 * np.random.default_rng(1).normal(size=(4, 2))])
    problem = Problem(X, 3)
    alike = solve(problem, "divide", part_size=40, tolerance=0.01)
    apart = solve(problem, "divide", part_size=40, tolerance=0.01, largest_part=40, shared=0.0)
    assert alike.gap < 0.01 < 0.1 < apart.gap


@pytest.mark.slow
def test_parts_that_stay_open_are_merged_up_to_a_size():
    X = np.random.default_rng(0).normal(size=(240, 2))
    options = {"part_size": 80, "largest_part": 160, "tolerance": 1e-4}
    events = events_of(Problem(X, 3), **options)
    (cut,) = (event for event in events if isinstance(event, PartsCut))
    bounds = [event for event in events if isinstance(event, PartBounded)]
    assert cut.parts == 3  # larger ones would be fewer than two
    assert {len(event.merged) for event in bounds} == {0, 1}
    totals = [event.lower_bound for event in events if isinstance(event, BoundImproved)]
    assert totals == sorted(totals)
    assert events[-1].termination == "stalled"
    assert "Parts of up to 160 blocks" in events[-1].message


def test_a_run_that_was_stopped_goes_on():
    X, _ = blobs(400, 2)
    problem = Problem(X, 2)
    whole = list(start(problem, "divide", part_size=100))
    at = next(place for place, r in enumerate(whole) if isinstance(r.event, PartBounded))
    stepper = start(problem, "divide", part_size=100, history=tuple(whole[: at + 2]))
    rest = [record.event for record in stepper]
    assert not any(isinstance(event, IncumbentFound | PartsCut) for event in rest)
    assert stepper.run.lower_bound == pytest.approx(whole[-2].event.lower_bound)
    assert stepper.run.status == "feasible"


@pytest.mark.slow
def test_a_run_that_was_stopped_with_trees_goes_on_with_them():
    rng = np.random.default_rng(1)
    pairs = rng.choice(60, size=(100, 2))
    problem = Problem(rng.normal(size=(60, 2)), 3, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])
    options = {"part_size": 15, "largest_part": 29, "tolerance": 0.01}
    whole = list(start(problem, "divide", **options))
    trees = [
        at for at, r in enumerate(whole) if isinstance(r.event, PartBounded) and r.event.leaves
    ]
    history = tuple(whole[: trees[0] + 2])
    stepper = start(problem, "divide", history=history, **options)
    rest = [record.event for record in stepper]
    before = max(r.event.lower_bound for r in history if isinstance(r.event, BoundImproved))
    assert stepper.run.lower_bound >= before
    assert verify(problem, [r.event for r in history] + rest, gap=1.0).accepted
    counts = [len(event.leaves) for event in rest if isinstance(event, PartBounded)]
    assert max(counts) > len(whole[trees[0]].event.leaves)


@pytest.mark.slow
def test_two_processes_give_the_same_bounds():
    X, _ = blobs(300, 2)
    alone, together = (
        solve(Problem(X, 2), "divide", part_size=100, workers=workers) for workers in (1, 2)
    )
    assert together.lower_bound == alone.lower_bound
