"""Column generation at spots: a sweep at the root, and what a child's spot comes to."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen import node, opening, spot
from ccviz.solvers.colgen.generation import Generation
from ccviz.solvers.colgen.solver import Colgen
from ccviz.solvers.colgen.spot import cover, part_of
from ccviz.solvers.colgen.spot_generation import SpotGeneration
from ccviz.solvers.search.tree import Decision, Task
from tests.solvers.colgen.conftest import few_blocks_are_many, few_blocks_near
from tests.solvers.colgen.test_stars import instance_of

K = 9
TOLERANCE = 1e-4


@pytest.fixture
def local(monkeypatch):
    """Make forty points many, and their relaxation one that is branched at once."""
    few_blocks_near(monkeypatch, 15)
    few_blocks_are_many(monkeypatch)
    monkeypatch.setattr(Generation, "_is_slow", lambda self, *_: len(self.pool.past) > 2)
    return Problem(np.random.default_rng(3).uniform(size=(80, 2)), K)


def worked(problem, task):
    """Yield the node's reports, and the task of the last one."""
    settings = Colgen(tolerance=TOLERANCE)
    for _ in range(200):
        report = node.advance(problem, settings, task)
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


def swept(problem):
    """Return the report that ends the sweep, over stars still, and its task."""
    done = [each for each in worked(problem, Task(0)) if getattr(each[0].state, "swept", False)]
    return next(each for each in done if each[0].state.spot is None)


def test_the_root_is_swept_before_it_is_branched_and_its_bound_does_not_fall(local):
    reports = [report for report, _ in worked(local, Task(0))]
    spots = [report.state.spot for report in reports if getattr(report.state, "swept", False)]
    assert len({tuple(at) for at in spots if at is not None}) > 3
    assert spots[-1] is None  # the last word is the whole master's
    bounds = [report.lower_bound for report in reports]
    assert (np.diff(bounds) >= 0.0).all()
    assert len(reports[-1].state.solution.weights) == len(reports[-1].state.costs)


def test_a_child_begins_at_the_spot_of_its_place_and_hands_on_its_solution_there(
    local, monkeypatch
):
    report, task = swept(local)
    monkeypatch.setattr(node, "_TASK_WORK", 0.0)  # an iteration a task
    decision = Decision((5, 9), True, True)
    far = 1.5 * task.upper_bound  # nothing closes the child
    child = Task(1, (decision,), report.lower_bound, far, report.state)
    seen = [each for each, _ in worked(local, child)]
    first = next(each for each in seen if each.verdict == "go on")
    center = opening.turned(local, first.state.blocks)[5]
    assert first.state.spot == pytest.approx(center)
    assert all(each.lower_bound >= report.lower_bound for each in seen)
    assert all(event.lower_bound > 0.0 for each in seen for event in each.events)


def test_duals_change_near_a_spot_only_and_the_bound_holds_them(local):
    report, task = swept(local)
    blocks, tolerance = report.state.blocks, 1e-3 * task.upper_bound
    pricer = opening.pricer_of(local, blocks, Task(0))
    at = pricer.points[7]
    pool = replace(report.state, spot=at, swept=False, past=(), solution=None, converged=False)
    generation = SpotGeneration(pool, pricer, tolerance, 0)
    generation._begin_at_bound()
    before = generation.master.middle.duals
    generation.run(20, np.inf)
    near = spot.blocks_near(pricer.alternatives[0], at, K)
    after = generation.rounds[0].duals
    assert (after[~near] <= before[~near]).all()  # lowered, where what is too good is shared
    assert generation.pool.bound >= report.state.bound
    assert generation.pool.early
    assert len(generation.pool.solution.weights) == len(generation.pool.costs)


def test_part_of_an_instance_prices_its_blocks_alone(local):
    _, instance = instance_of(local)
    rows = np.array([3, 8, 21])
    part = part_of(instance, rows)
    assert (part.points == instance.points[rows]).all()
    assert len(part.mass) == len(part.away) == len(part.conflict_start) - 1 == 3


def test_every_block_is_near_some_spot_of_a_sweep(local):
    _, instance = instance_of(local)
    near = [spot.blocks_near(instance, at, K) for at in cover(instance, K)]
    assert np.any(near, axis=0).mean() > 0.95
