"""Local masters: a cycle at the root, and the neighbourhood of a child."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz.events import BoundImproved, ColumnsPriced, Finished, IncumbentFound, Started
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen, node
from ccviz.solvers.colgen.phases import opening
from ccviz.solvers.colgen.phases.facilities import (
    CyclePhase,
    DiscGeneration,
    FacilityPhase,
    LocalPhase,
    StalledPhase,
)
from ccviz.solvers.colgen.phases.generation import End
from ccviz.solvers.colgen.state import NodeContext
from ccviz.solvers.search.decisions import DiscDecision
from ccviz.solvers.search.tree import Task
from tests.seeds import seeds
from tests.solvers.colgen.conftest import with_local_masters
from tests.solvers.colgen.test_node import Forced
from tests.solvers.colgen.test_plane import of

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
