import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.errors import UnsupportedError
from ccviz.events import CutsAdded, IncumbentFound, NodeBranched, RelaxationSolved
from ccviz.proof.verify import verify
from ccviz.solvers.sdp import settings
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
