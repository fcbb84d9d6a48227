from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import CutsAdded, NodeBounded, NodeBranched, ResidualsUpdated
from ccviz.problem.blocks import contract
from ccviz.proof.verify import verify
from ccviz.solvers.relaxation.engine import cold_start, iterate
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.sdp.node import advance, iterations_at_once
from ccviz.solvers.sdp.settings import NodeSettings
from ccviz.solvers.search.decisions import PairDecision
from ccviz.solvers.search.tree import Task

WINDOW = 3  # rounds over which a node's progress is measured


@pytest.fixture(scope="module")
def hard():
    """Points without clusters, some linked: the root takes many rounds."""
    rng = np.random.default_rng(8)
    pairs = rng.choice(60, size=(40, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return Problem(rng.normal(size=(60, 3)), 4, must_link=pairs[:8], cannot_link=pairs[8:])


def test_a_root_that_gains_goes_on_as_long_as_it_took_so_far(hard):
    # Without patience of its own it is what the node has spent that says how long to wait.
    settings = {"patience": 0.0, "tolerance": 1e-6, "round_iterations": 10}
    events = [record.event for record in start(hard, "sdp", **settings)]
    rounds = max(event.iterations for event in events if isinstance(event, NodeBounded)) // 10
    assert rounds > 2 * WINDOW  # by when it would be branched if it gained nothing
    assert not any(isinstance(event, NodeBranched) for event in events)


def test_a_child_that_lacks_more_than_is_open_is_branched_once_it_is_stuck(hard):
    settings = NodeSettings(tolerance=1e-6, patience=0.0)
    root = Task(0)
    reports = [advance(hard, settings, root)]
    for _ in range(4):
        root = replace(root, state=reports[-1].state, opening=False, upper_bound=1e3)
        reports.append(advance(hard, settings, root))
    proved = reports[-1].lower_bound
    # As if the parent had proved nearly all: what the child's own multipliers lack is more.
    claimed = 2.0 * proved
    child = Task(
        1, (PairDecision(0, 1, together=False),), claimed, claimed * (1.0 + 1e-3), reports[-1].state
    )
    verdicts = []
    while "branch" not in verdicts:
        report = advance(hard, settings, child)
        verdicts.append(report.verdict)
        child = replace(child, state=report.state, opening=False)
    assert verdicts == ["go on"] * 12 + ["branch"]


CUTS = {"all": {"triangle", "wider"}, "paper": {"triangle"}, "none": set()}


@pytest.mark.parametrize("cuts", CUTS)
def test_a_run_adds_only_the_cuts_that_are_asked_for(hard, cuts):
    stepper = start(hard, "sdp", cuts=cuts, node_limit=3)
    added = [record.event for record in stepper if isinstance(record.event, CutsAdded)]
    assert added
    assert {
        kind for kind in ("triangle", "wider") if any(getattr(one, kind) for one in added)
    } == CUTS[cuts]
    assert cuts != "none" or not any(one.pair or one.clique for one in added)


@pytest.fixture(scope="module")
def large():
    """Points of which a round takes several tasks."""
    rng = np.random.default_rng(1)
    return Problem(rng.normal(size=(1050, 2)) + rng.integers(3, size=(1050, 1)) * [4.0, 0.0], 3)


def test_a_large_root_has_a_bound_before_its_first_iteration(large):
    stepper = start(large, "sdp", gap=0.5)
    events = [record.event for record in stepper]
    assert stepper.run.termination == "gap"
    assert not any(isinstance(event, ResidualsUpdated) for event in events)
    assert verify(large, events, gap=0.5).accepted


def test_a_round_of_a_large_root_says_how_far_it_is(large):
    stepper = start(large, "sdp", tolerance=1e-9)
    events = []
    for record in stepper:
        events.append(record.event)
        if isinstance(record.event, ResidualsUpdated):
            stepper.stop()
    (part,) = (event for event in events if isinstance(event, ResidualsUpdated))
    assert part.iteration == iterations_at_once(large.n) < NodeSettings().round_iterations
    assert 0.0 < part.primal_residual < 1.0
    assert stepper.run.lower_bound > 0.5 * stepper.run.objective


def test_parts_of_a_round_are_the_round(hard):
    relaxation = relax(contract(hard))
    whole = iterate(relaxation, cold_start(relaxation), 9)
    part = iterate(relaxation, cold_start(relaxation), 5, certifies=False)
    assert part.best is None
    both = iterate(relaxation, part, 4)
    assert both.iterations == 9
    assert both.lower_bound == pytest.approx(whole.lower_bound, rel=1e-6)


def test_points_that_coincide_end_at_once():
    links = [(0, 2, 0.0149), (1, 0, 0.0695), (0, 3, 0.0187)]
    run = start(Problem([[3.0]] * 4, 4, must_link=links), "sdp", time_limit=60.0)
    assert len(list(run)) < 20
    assert run.result().status == "optimal"


def test_sizes_beside_neighbours_end_though_no_clustering_is_found_at_first():
    X = [[-0.671875], [-1.171875], [0.0625], [-2.1875], [-1.9375], [-1.046875]]
    near = [(0, 1), (0, 3), (1, 3), (1, 4), (2, 3), (3, 4), (4, 5)]
    problem = Problem(X, 2, must_link=[(2, 4)], sizes="2-4", neighbors=near)
    run = start(problem, "sdp", time_limit=60.0)
    assert sum(isinstance(record.event, CutsAdded) for record in run) < 200
    assert run.result().status == "optimal"
    assert run.result().objective == pytest.approx(53043 / 16384)


def test_connected_clusters_are_branched_where_separators_rest():
    side, rng = 5, np.random.default_rng(4)
    number = np.arange(side * side).reshape(side, side)
    near = [*zip(number[:, 1:].ravel(), number[:, :-1].ravel(), strict=True)]
    near += [*zip(number[1:].ravel(), number[:-1].ravel(), strict=True)]
    place = np.argwhere(number >= 0) / side
    X = np.column_stack([place, rng.normal(size=place.shape)])
    run = start(Problem(X, 5, neighbors=near), "sdp", time_limit=60.0)
    # By the rule of problems without neighbours there are four times as many.
    assert sum(isinstance(record.event, NodeBranched) for record in run) < 25
    assert run.result().status == "optimal"
