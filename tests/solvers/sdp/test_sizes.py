"""sdp under cluster sizes: against brute force, its bounds, its certificates, its sentences."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.errors import ContradictionError, ProblemError
from ccviz.events import NodePruned
from ccviz.problem.blocks import contract
from ccviz.proof.verify import verify
from ccviz.solvers.relaxation.engine import cold_start, iterate
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.sdp import node
from ccviz.solvers.sdp.rounding import ipc_kmeans
from ccviz.solvers.sdp.settings import NodeSettings
from tests.enumeration import least_wcss
from tests.seeds import seeds


def draw(seed):
    """Draw a small problem with sizes and links; None where they contradict each other."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 4))
    n = int(rng.integers(2 * k, 9))
    X = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-3, 4)
    kind = rng.integers(4)
    lower = rng.multinomial(n - k, np.ones(k) / k) + 1
    upper = lower.copy()
    if kind == 1:  # one range for all
        lower, upper = np.full(k, max(1, n // k - 1)), np.full(k, -(-n // k))
    elif kind == 2:  # equal sizes
        lower = upper = np.array([n // k + (j < n % k) for j in range(k)])
    elif kind == 3:  # each cluster its own range
        lower, upper = np.maximum(lower - 1, 1), lower + 1
    pairs = rng.choice(n, size=(int(rng.integers(0, 4)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    half = len(pairs) // 2
    try:
        return Problem(X, k, must_link=pairs[:half], cannot_link=pairs[half:], sizes=(lower, upper))
    except (ContradictionError, ProblemError):
        return None


@pytest.mark.parametrize("seed", seeds(2, 20))
def test_it_agrees_with_brute_force_and_its_proofs_are_accepted(seed):
    agree(filter(None, map(draw, range(10 * seed, 10 * seed + 10))), "splitting")


def test_the_scs_backend_agrees_too():
    agree(filter(None, map(draw, range(5))), "scs")


def agree(problems, backend):
    """Compare runs with brute force, and check their proofs."""
    for problem in problems:
        optimum = least_wcss(problem)
        run = start(problem, "sdp", tolerance=1e-7, backend=backend)
        events = [record.event for record in run]
        result = run.result()
        if not np.isfinite(optimum):
            assert result.status == "infeasible"
        else:
            assert result.status == "optimal"
            assert result.objective == pytest.approx(optimum, rel=2e-7, abs=1e-15)
            assert result.lower_bound <= optimum
        leaves = [event.lower_bound for event in events if isinstance(event, NodePruned)]
        assert not np.isfinite(optimum) or min(leaves) <= optimum
        assert verify(problem, events).accepted


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


def test_blocks_that_fit_nowhere_are_infeasible_in_words():
    problem = Problem(np.arange(6.0)[:, None], 2, must_link=[(0, 1), (1, 2), (2, 3)], sizes=[3, 3])
    result = solve(problem, "sdp")
    assert result.status == "infeasible"
    assert "size" in result.message or "points" in result.message
