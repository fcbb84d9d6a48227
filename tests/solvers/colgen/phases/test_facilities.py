"""Column generation over facilities: it ends where it should, and adjusts its duals."""

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
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.phases.facilities import FacilityGeneration, FacilityPhase
from ccviz.solvers.colgen.phases.opening import first_phase, pricer_of
from ccviz.solvers.colgen.phases.start import StartPhase, clustering
from ccviz.solvers.colgen.state import NodeContext, NodeInput
from ccviz.solvers.search.tree import Task
from tests.enumeration import least_wcss
from tests.seeds import seeds
from tests.solvers.colgen.conftest import over_facilities, random_problem
from tests.solvers.colgen.test_plane import ends_as_brute_force, events_of, of, small_problems

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
