"""Local masters: a cycle at the root, and the neighbourhood of a child."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from ccviz.events import (
    BoundImproved,
    ColumnsPriced,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    Started,
)
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.rules import MaxSize
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen, node
from ccviz.solvers.colgen.params import StartParams
from ccviz.solvers.colgen.phases import opening
from ccviz.solvers.colgen.phases.facilities import (
    CyclePhase,
    DiscGeneration,
    FacilityGeneration,
    FacilityPhase,
    LocalPhase,
    StalledPhase,
)
from ccviz.solvers.colgen.phases.generation import End
from ccviz.solvers.colgen.phases.opening import first_phase, pricer_of
from ccviz.solvers.colgen.phases.start import (
    StartPhase,
    best_of_memetic,
    clustering,
    is_thorough,
    neighbours,
)
from ccviz.solvers.colgen.state import NodeContext, NodeInput
from ccviz.solvers.search.decisions import DiscDecision
from ccviz.solvers.search.tree import Task
from tests.enumeration import least_wcss
from tests.seeds import seeds
from tests.solvers.colgen.conftest import over_facilities, random_problem, with_local_masters
from tests.solvers.colgen.test_node import Forced
from tests.solvers.colgen.test_plane import ends_as_brute_force, events_of, of, small_problems

K = 9
TOLERANCE = 1e-4
PARAMS = with_local_masters(15, slow_rounds=2)


@pytest.fixture
def local():
    """Return eighty points whose neighbourhoods are small, and whose bound is slow soon."""
    return Problem(np.random.default_rng(3).uniform(size=(80, 2)), K)


def worked(problem, task, params=PARAMS):
    """Yield the node's reports, and the task of the last one."""
    settings = Colgen(tolerance=TOLERANCE)
    for _ in range(200):
        report = node.advance(problem, settings, params, task)
        yield report, task
        if report.verdict != "go on":
            return
        known = task.upper_bound
        if report.labels is not None:
            known = min(known, Partition(problem, report.labels).wcss)
        task = replace(
            task,
            opening=False,
            state=report.state,
            lower_bound=report.lower_bound,
            upper_bound=known,
        )
    raise AssertionError("the node does not end")


def after_cycle(problem):
    """Return the phase after the root's cycle, its bound, and its task."""
    reports = [*worked(problem, Task(0))]
    last = max(i for i, (each, _) in enumerate(reports) if isinstance(each.state, CyclePhase))
    report, task = reports[last + 1]
    stalled = getattr(report.state, "stalled", report.state)  # with disjunctions, or without
    return stalled, report.lower_bound, task


def test_the_root_has_a_cycle_before_it_is_branched_and_its_bound_does_not_fall(local):
    reports = [report for report, _ in worked(local, Task(0))]
    cycles = [each.state for each in reports if isinstance(each.state, CyclePhase)]
    assert len({tuple(phase.middles[0]) for phase in cycles}) > 3
    bounds = [report.lower_bound for report in reports]
    assert (np.diff(bounds) >= 0.0).all()
    stalled, _, _ = after_cycle(local)  # its solution is the whole master's
    assert stalled.at is None
    assert len(stalled.solution.weights) == len(stalled.state.costs)


def test_a_child_begins_around_its_disc_and_its_solution_there_is_branched_on(local):
    stalled, bound, task = after_cycle(local)
    params = replace(PARAMS, task_work=0.0)  # an iteration a task
    decision = DiscDecision(5, 9, occupied=True)
    far = 1.5 * task.upper_bound  # nothing closes the child
    child = Task(1, (decision,), bound, far, stalled.state)
    seen = [each for each, _ in worked(local, child, params)]
    first = next(each for each in seen if each.verdict == "go on").state
    assert isinstance(first, LocalPhase)
    assert first.middles[0] == pytest.approx(opening.turned(local, first.state.blocks)[5])
    assert all(each.lower_bound >= bound for each in seen)
    assert all(event.lower_bound > 0.0 for each in seen for event in each.events)


def test_duals_change_nearby_alone_and_the_bound_holds_them(local):
    stalled, _, task = after_cycle(local)
    state, tolerance = stalled.state, 1e-3 * task.upper_bound
    pricer = opening.pricer_of(local, state.blocks, Task(0))
    settings = Colgen(tolerance=TOLERANCE)
    context = NodeContext(local, settings, PARAMS, Task(0), state.blocks, pricer, tolerance, np.inf)
    at = pricer.points[7]
    generation = DiscGeneration.around(context, LocalPhase(state, stalled.center, (at,)))
    generation.begin_at_bound()
    before = generation.master.middle.duals
    ended = generation.run(20)
    near = context.neighbourhoods.blocks(context.instance, at)
    after = ended.rounds[0].duals
    assert (after[~near] <= before[~near]).all()  # lowered, where a dual adjustment reaches them
    assert ended.state.bound.value >= state.bound.value
    assert ended.end is End.STALLED
    assert len(ended.solution.weights) == len(ended.columns_now.costs)


def test_a_stalled_node_without_a_disc_to_branch_on_continues(local):
    stalled, _, _ = after_cycle(local)
    again = stalled.resumed()
    assert isinstance(again, FacilityPhase)
    assert again.solution is stalled.solution
    assert again.cycles == 0
    near = StalledPhase(stalled.state, stalled.center, stalled.solution, (1.0,), np.zeros(2))
    assert near.resumed().solution is None  # the whole master is solved


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_a_tree_whose_nodes_have_local_masters_ends_with_the_best_clustering(seed, monkeypatch):
    params = with_local_masters(12)
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(24, 2))
    exact = [*Colgen(tolerance=1e-4).steps_with(params, Problem(X, 5), Context(seed=0))]
    best = of(exact, IncumbentFound)[-1].objective
    discs = rng.permutation(24)[:4].reshape(2, 2).tolist()
    monkeypatch.setattr(node, "advance", Forced(discs, keeps_state=True))
    events = [*Colgen(tolerance=1e-4).steps_with(params, Problem(X, 5), Context(seed=0))]
    assert isinstance(events[-1], Finished)
    assert any(event.node > 0 for event in of(events, ColumnsPriced))
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-4)
    for event in of(events, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)
    first = Started(solver="colgen", settings={}, seed=0, n=24, d=2, k=5, n_blocks=24)
    assert verify(Problem(X, 5), [first, *events], work=60.0).accepted


# --- Column generation over facilities: it ends where it should, and adjusts its duals ------------


OVER = over_facilities()
STARTED = Started(solver="colgen", settings={}, seed=0, n=220, d=2, k=22, n_blocks=210)


def test_over_facilities_the_gap_is_closed_and_the_proof_accepted(neighbours):
    events = [STARTED, *events_of(neighbours, params=OVER, tolerance=1e-4)]
    assert isinstance(events[-1], Finished)
    best = of(events, IncumbentFound)[-1].objective
    root = [event for event in of(events, ColumnsPriced) if event.node == 0]
    for event in of(events, BoundImproved) + root:
        assert event.lower_bound <= best * (1.0 + 1e-9)
    assert of(events, BoundImproved)[-1].lower_bound >= best * (1.0 - 1e-4)
    assert verify(neighbours, events, work=60.0).accepted


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_rules_are_kept_over_facilities(seed, rules):
    problem = random_problem(seed, rules)
    best = least_wcss(problem)
    events = events_of(problem, params=OVER)
    assert isinstance(events[-1], Finished)
    if np.isinf(best):
        assert of(events, InfeasibilityProved)
        return
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
    for event in of(events, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [14, 30])
def test_a_stop_over_facilities_is_heard_and_leaves_a_valid_bound(looks):
    X = np.random.default_rng(3).uniform(size=(150, 2))
    problem = Problem(X, 12)
    best = of(events_of(problem, params=OVER, tolerance=1e-4), IncumbentFound)[-1].objective
    count = itertools.count()
    stopped = events_of(problem, stop=lambda: next(count) >= looks, params=OVER, tolerance=1e-4)
    assert not of(stopped, Finished)
    for event in of(stopped, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(problem=small_problems())
def test_no_bound_over_facilities_is_above_what_brute_force_finds(problem):
    events = events_of(problem, params=OVER)
    ends_as_brute_force(problem, events)


@pytest.fixture
def generation():
    """Return 300 points in twelve clusters, begun over facilities."""
    rng = np.random.default_rng(8)
    problem = Problem(rng.uniform(size=(300, 2)), 12)
    found = tuple(clustering(contract(problem), rng) for _ in range(3))
    given = NodeInput(problem, Colgen(), OVER, Task(0))
    phase = first_phase(given, StartPhase(found))
    assert isinstance(phase, FacilityPhase)
    blocks = phase.state.blocks
    pricer = pricer_of(problem, blocks, Task(0))
    context = NodeContext(problem, Colgen(), OVER, Task(0), blocks, pricer, 1e-6, np.inf)
    return FacilityGeneration.of(context, phase)


def test_adjusted_duals_give_a_better_bound_than_the_masters_own(generation):
    solution = generation.run(1).solution
    at, k, dual = solution.duals, generation.state.blocks.k, solution.cardinality_dual
    plain = at.sum() + k * generation.context.pricer.exact(at, -dual, -dual).min_reduced_cost
    found = generation._prove(solution.duals, dual)
    bound = generation.state.bound
    assert plain < bound.value <= solution.objective * (1.0 + 1e-6)
    assert len(found.columns)
    assert (bound.duals <= at + 1e-12).all()


def test_of_similar_facilities_one_is_added(generation):
    solution = generation.run(1).solution
    priced = generation._prove(solution.duals, solution.cardinality_dual)
    new = generation._to_add(priced, solution)
    reduced = priced.costs - priced.columns @ solution.duals + solution.cardinality_dual
    below = reduced < -generation._column_tolerance
    assert 0 < len(new) < below.sum()
    assert reduced[new[0]] == reduced.min()
    assert below[new].all()


@pytest.mark.parametrize(
    ("past", "slow"),
    [((0.0, 1.0, 2.0, 2.4), True), ((0.0, 1.0, 2.0, 2.6), False), ((2.4, 2.4, 2.4), False)],
)
def test_iterations_are_slow_that_gain_less_than_a_quarter_of_the_missing_bound(
    generation, past, slow
):
    generation.progress = past
    generation.context = replace(generation.context, limit=10.0)
    assert generation.gains_less(0.25) == slow


# --- Start ----------------------------------------------------------------------------------------


def labelled(seed, n=14, k=4):
    rng = np.random.default_rng(seed)
    problem = Problem(rng.normal(size=(n, 2)), k, must_link=[(0, 1), (2, 3)])
    blocks = contract(problem)
    labels = np.append(np.arange(k), rng.integers(0, k, blocks.s - k))
    return problem, blocks, labels


@pytest.mark.parametrize("seed", range(5))
def test_the_costs_are_what_the_cheapest_move_adds(seed):
    _, blocks, labels = labelled(seed)
    (joined, left), added = neighbours(blocks, labels)
    for b in range(blocks.s):
        ways = []
        for j in set(labels.tolist()) - {int(labels[b])}:
            with_b = np.append(np.flatnonzero(labels == j), b)
            ways.append((scatter(blocks, with_b) - scatter(blocks, with_b[:-1]), set(with_b)))
        least, where = min(ways)
        assert added[b] == pytest.approx(least)
        assert set(np.flatnonzero(joined[b])) == where
    for column in left:
        homes = set(labels[column])
        assert len(homes) == 1
        assert (labels == homes.pop()).sum() == column.sum() + 1


def scatter(blocks, some):
    points, mass = blocks.centroid[some], blocks.mass[some]
    gaps = points - mass @ points / mass.sum()
    return mass @ (gaps**2).sum(axis=1)


def test_a_single_cluster_has_nowhere_to_go():
    _, blocks, _ = labelled(0)
    [left], added = neighbours(blocks, np.zeros(blocks.s, dtype=np.int64))
    assert (left.sum(axis=1) == blocks.s - 1).all()
    assert (added == 0.0).all()


def test_the_memetic_solver_is_asked_where_it_can_keep_all():
    X = np.random.default_rng(0).normal(size=(260, 2))
    for problem, expected in (
        (Problem(X, 20), True),
        (Problem(X, 3), False),
        (Problem(X[:100], 20), False),
        (Problem(X, 20, rules=(MaxSize(30),)), False),
    ):
        assert is_thorough(problem, contract(problem), StartParams()) is expected


def test_the_memetic_solver_s_clustering_keeps_the_links():
    X = np.random.default_rng(0).normal(size=(60, 2))
    problem = Problem(X, 6, must_link=[(0, 1)], cannot_link=[(0, 2), (3, 4)])
    blocks = contract(problem)
    labels = best_of_memetic(problem, blocks, 0, lambda: False, StartParams())
    assert Partition(problem, blocks.lift(labels)).violations.none_hard
