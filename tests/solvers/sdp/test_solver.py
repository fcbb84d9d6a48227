from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.errors import UnsupportedError
from ccviz.events import (
    CutsAdded,
    IncumbentFound,
    NodeBounded,
    NodeBranched,
    NodePruned,
    RelaxationSolved,
    ResidualsUpdated,
)
from ccviz.problem.blocks import contract
from ccviz.proof.verify import verify
from ccviz.solvers.relaxation.engine import cold_start, iterate
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.sdp import node, settings
from ccviz.solvers.sdp.node import advance, iterations_at_once
from ccviz.solvers.sdp.rounding import ipc_kmeans
from ccviz.solvers.sdp.settings import NodeSettings
from ccviz.solvers.search.decisions import PairDecision
from ccviz.solvers.search.tree import Task
from tests.constrained import faults_of
from tests.made_up import events_of

# Few rounds and cuts make a tree that is worth waking workers for.
LEAFY = {"tolerance": 1e-6, "max_rounds": 2, "cuts_per_block": 0.5}


@pytest.fixture(scope="module")
def tangled():
    """A problem whose links work against the data, so that the tree has some nodes."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    pairs = rng.choice(30, size=(26, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return Problem(X, 4, must_link=pairs[:6], cannot_link=pairs[6:])


def test_the_tree_branches_and_cuts(tangled):
    events = events_of(tangled, "sdp", tolerance=1e-6)
    assert any(isinstance(event, NodeBranched) for event in events)
    assert sum(event.triangle for event in events if isinstance(event, CutsAdded)) > 0


def test_a_gap_that_is_asked_for_is_reached_and_can_be_verified(tangled):
    stepper = start(tangled, "sdp", gap=0.2, max_rounds=1, cuts_per_block=0.1)
    events = [record.event for record in stepper]
    result = stepper.result()
    assert (result.status, result.termination) == ("feasible", "gap")
    assert 1e-4 < result.gap <= 0.2
    assert verify(tangled, events, gap=0.2).accepted


def test_the_memetic_solver_gives_the_first_incumbent(tangled):
    found = [
        e for e in events_of(tangled, "sdp", incumbent="memetic") if isinstance(e, IncumbentFound)
    ]
    assert found[0].source == "start"
    assert found[0].objective == pytest.approx(solve(tangled, "s-mdeclust").objective)


@pytest.mark.slow
def test_two_processes_give_the_same_answer(tangled):
    alone = solve(tangled, "sdp", **LEAFY)
    assert alone.nodes > 8
    events = events_of(tangled, "sdp", **LEAFY, workers="2")
    verdict = verify(tangled, events)
    assert verdict.accepted, verdict.sentence
    assert verdict.upper_bound == pytest.approx(alone.objective, rel=1e-6)


@pytest.mark.slow
def test_dask_gives_the_same_answer(tangled):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:
        address = cluster.scheduler_address
        result = solve(tangled, "sdp", **LEAFY, workers=address)
    assert result.status == "optimal"
    assert result.nodes > 8
    assert result.objective == pytest.approx(solve(tangled, "sdp").objective, rel=1e-4)


def test_the_relaxation_is_shown_on_request(tangled):
    shown = [
        e
        for e in events_of(tangled, "sdp", show_relaxation=True)
        if isinstance(e, RelaxationSolved)
    ]
    assert shown
    Z, block_of = shown[0].Z, shown[0].block_of
    mass = np.bincount(block_of)
    assert Z.shape == (len(mass), len(mass))
    assert mass @ np.diag(Z) == pytest.approx(4.0, rel=0.2)


def test_a_stopped_run_goes_on_from_its_records(tangled):
    from ccviz.runs.stepper import Stepper
    from ccviz.solvers.sdp import Sdp

    solver = Sdp(tolerance=1e-6)
    whole = list(Stepper(tangled, solver))
    nodes = [index for index, r in enumerate(whole) if isinstance(r.event, NodeBranched)]
    cut = nodes[len(nodes) // 2] + 2
    rest = list(Stepper(tangled, solver, history=whole[:cut]))
    assert rest[0].seq == cut
    verdict = verify(tangled, [record.event for record in (*whole[:cut], *rest)])
    assert verdict.accepted, verdict.sentence


@pytest.mark.parametrize(
    ("name", "ml", "cl", "f"),
    [("iris", 50, 50, 84.5632), ("wine", 50, 50, 3565530.0), ("seeds", 50, 50, 634.578)],
)
def test_published_optima(bench, name, ml, cl, f):
    folder = bench / "pc-sos-sdp"
    X = np.loadtxt(folder / "data" / f"{name}.txt", skiprows=1)
    lines = (folder / "constraints" / name / f"ml_{ml}_cl_{cl}_0.txt").read_text().splitlines()
    links = [line.split() for line in lines if line.strip()]
    must = [(int(i), int(j)) for kind, i, j in links if kind == "ML"]
    cannot = [(int(i), int(j)) for kind, i, j in links if kind == "CL"]
    problem = Problem(X, 3, must_link=must, cannot_link=cannot)
    events = events_of(problem, "sdp")
    verdict = verify(problem, events)
    assert verdict.accepted, verdict.sentence
    assert -1e-4 <= verdict.upper_bound / f - 1.0 <= 1e-5


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_points_far_from_zero_and_points_that_coincide_are_proved_and_verified(scale, offset):
    rng = np.random.default_rng(2)
    scattered, twice = rng.normal(size=(8, 2)), np.arange(8.0)[:, None] // 2
    for X, k in ((scattered, 3), (twice, 4), (twice, 1)):
        problem = Problem((X + offset) * scale, k, must_link=[(0, 1)], cannot_link=[])
        events = events_of(problem, "sdp")
        assert solve(problem, "sdp").status == "optimal"
        assert verify(problem, events).accepted


def test_one_block_is_one_cluster():
    X = np.array([[0.0], [1.0], [5.0]])
    problem = Problem(X, 1, must_link=[(0, 1), (1, 2)])
    result = solve(problem, "sdp")
    assert (result.status, result.objective) == ("optimal", pytest.approx(14.0))
    assert verify(problem, events_of(problem, "sdp")).accepted


def test_a_conic_solver_that_is_not_installed_is_named(monkeypatch):
    problem = Problem(np.eye(4), 2)
    with pytest.raises(UnsupportedError, match=r"'mosek' is not installed; cvxpy finds .*clarabel"):
        solve(problem, "sdp", backend="mosek")
    assert settings.installed() == ("splitting", "cvxpy", "clarabel", "scs")
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    assert settings.installed() == ("splitting",)
    with pytest.raises(UnsupportedError, match=r"needs cvxpy: pip install 'ccviz-lab\[conic\]'"):
        solve(problem, "sdp", backend="scs")


# --- Node -----------------------------------------------------------------------------------------


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


# --- Sizes ----------------------------------------------------------------------------------------

# sdp under cluster sizes: against brute force, its bounds, its certificates, its sentences.


def test_iris_in_three_clusters_of_fifty_is_proved_at_the_published_optimum():
    from ccviz.data import load

    problem = Problem(load("iris").X, 3, sizes=[50, 50, 50])
    result = solve(problem, "sdp")
    assert result.status == "optimal"
    assert result.objective == pytest.approx(81.2778, abs=5e-5)


def test_different_sizes_are_proved_with_a_matrix_for_each():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], [8, 12, 20])
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[truth] + rng.normal(size=(40, 2))
    problem = Problem(X, 3, sizes=[20, 12, 8])
    run = start(problem, "sdp")
    events = [record.event for record in run]
    leaves = [event for event in events if isinstance(event, NodePruned)]
    assert any("lifted" in event.certificate for event in leaves)
    assert run.result().status == "optimal"
    assert run.result().partition.cluster_sizes.tolist() == [20, 12, 8]
    assert verify(problem, events).accepted


def test_below_the_root_few_descents_look_for_a_clustering(monkeypatch):
    spent = []

    def counted(blocks, relaxation, Y, seed, trials, stop, more_starts):
        spent.append(trials)
        return ipc_kmeans(blocks, relaxation, Y, seed, trials, stop, more_starts)

    monkeypatch.setattr(node, "ipc_kmeans", counted)
    X = np.random.default_rng(4).normal(size=(9, 2))
    soft = [(0, 1, 0.5), (2, 3, 0.5)]
    for problem, at_once in (
        (Problem(X, 3, sizes=[3, 3, 3]), 2),
        (Problem(X, 3, must_link=soft), 2),
        (Problem(X, 3), 20),
    ):
        spent.clear()
        solve(problem, "sdp", cuts="none", max_rounds=1)
        at_end = [trials for trials in spent if trials]
        assert at_end[0] == 20  # the root
        assert {*at_end[1:]} == {at_once}


def test_a_node_with_a_matrix_for_each_size_goes_on_for_longer():
    X = np.random.default_rng(0).normal(size=(12, 2))
    bounds = tuple(np.linspace(0.0, 1.0, 9))  # a window of three rounds gains 0.375
    for sizes, limit in (([4, 4, 4], 1.0 + 8 * 0.375), ([2, 4, 6], 1.0 + 24 * 0.375)):
        blocks = contract(Problem(X, 3, sizes=sizes))
        relaxation = relax(blocks)
        state = node.NodeState(blocks, relaxation, certified(relaxation), bounds)
        assert not node.must_branch(state, limit - 0.01, NodeSettings())
        assert node.must_branch(state, limit + 0.01, NodeSettings())


def certified(relaxation):
    """Return an iterate that has proved the last of the bounds above."""
    at = iterate(relaxation, cold_start(relaxation), 1)
    return replace(at, best=replace(at.best, lower_bound=1.0))


def test_the_last_clustering_is_numbered_by_its_sizes():
    """Two equal points are the cluster of two, which is not the first of the clusters."""
    X = [[0, 0, 2], [0, 0, 2], [0, 0, 0], [0, 1, 0], [1, 0, 0], [0, -3, 0], [1, 1, 0]]
    problem = Problem(X, 6, sizes=([1, 1, 2, 1, 1, 1], [2, 2, 2, 2, 3, 2]))
    result = solve(problem, "sdp", progress=False)
    assert (result.status, result.objective) == ("optimal", 0.0)
    assert result.partition.violations.none_hard


# --- sdp under soft links that lie on one pair, within blocks, or weigh more than all costs -------


def test_links_on_one_pair_and_within_blocks_cost_what_they_must():
    X = np.array([[0.0], [0.2], [1.0], [1.3], [4.0], [4.1]])
    problem = Problem(
        X,
        3,
        must_link=[(0, 1), (0, 4, 0.3), (2, 4, 0.2)],
        cannot_link=[(0, 1, 0.7), (0, 4, 0.1), (2, 3, 0.5), (4, 5), (0, 4, 0.2)],
    )
    assert list(faults_of(start(problem, "sdp", tolerance=1e-7).result(), "proof")) == []


def test_a_weight_beyond_all_costs_is_kept_as_a_hard_link_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    pairs = [(0, 1), (2, 3), (4, 5)]
    hard = solve(Problem(X, 3, must_link=pairs), "sdp")
    heavy = solve(Problem(X, 3, must_link=[(i, j, 1e9) for i, j in pairs]), "sdp")
    assert heavy.status == "optimal"
    assert heavy.objective == pytest.approx(hard.objective, rel=1e-6)


def test_three_points_that_heavy_links_keep_apart_break_one_of_two_clusters():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    heavy = [(0, 1, 1e6), (1, 2, 1e6), (0, 2, 1e6)]
    result = solve(Problem(X, 2, cannot_link=heavy), "sdp")
    assert result.status == "optimal"
    assert result.partition.penalty == 1e6
