from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from ccviz import Problem, solve
from ccviz.events import Assigned, CentersMoved, IncumbentFound, InfeasibilityProved
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.solvers.assignment import structure_of
from ccviz.solvers.assignment.milp import milp_assignment
from ccviz.solvers.base import Context
from ccviz.solvers.bh_kmeans import BhKMeans
from ccviz.solvers.pccc import Pccc
from tests.made_up import contradictory_problem, noisy_problem


def steps_of(problem, seed=0, **settings):
    return list(BhKMeans(**settings).steps(problem, Context(seed=seed)))


def by_the_whole_model(problem, centers, p):
    """Return the optimum of the paper's program P by HiGHS, without any reduction."""
    distances = cdist(problem.X, centers)
    price = p * distances.max()
    priced = Problem(
        problem.X,
        problem.k,
        must_link=np.column_stack([problem.must_link.pairs, price * problem.must_link.weights]),
        cannot_link=np.column_stack(
            [problem.cannot_link.pairs, price * problem.cannot_link.weights]
        ),
    )
    return milp_assignment(distances, structure_of(contract(priced)), nonempty=True).objective


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("p", [0.05, 0.3, 1.0])
def test_every_assignment_is_an_optimum_of_the_papers_program(seed, p):
    problem = noisy_problem(seed)
    events = steps_of(problem, seed, p=p)
    centers = [event.centers for event in events if isinstance(event, CentersMoved)]
    assigned = [event for event in events if isinstance(event, Assigned)]
    for before, event in zip(centers, assigned, strict=False):
        whole = by_the_whole_model(problem, before, p)
        assert event.objective == pytest.approx(whole, rel=1e-7)
        distances = cdist(problem.X, before)
        own = distances[np.arange(problem.n), event.labels].sum()
        own += p * distances.max() * Partition(problem, event.labels).penalty
        assert event.objective == pytest.approx(own, rel=1e-9)


def test_the_objective_falls_until_the_end():
    problem, longest = noisy_problem(1, n=60, links=20), 0
    for seed in range(4):
        events = steps_of(problem, seed, p=0.2)
        found = [event.objective for event in events if isinstance(event, IncumbentFound)]
        longest = max(longest, len(found))
        assert all(later < earlier for earlier, later in pairwise(found))
    assert longest > 1


def test_hard_links_are_kept_unless_asked_otherwise():
    X = [[0.0], [0.1], [5.0], [5.1], [0.2], [4.9]]
    problem = Problem(X, 2, must_link=[(0, 2)], cannot_link=[(0, 1), (2, 3)])
    assert solve(problem, "bh-kmeans", p=0.01).partition.violations.hard == 0
    softened = solve(problem, "bh-kmeans", p=0.01, links="soft")
    assert softened.partition.violations.hard > 0
    assert softened.status == "unknown"


def test_without_a_price_links_count_for_nothing():
    problem = noisy_problem(2)
    free = Problem(problem.X, problem.k)
    with_links, without = (solve(each, "bh-kmeans", p=0.0, seed=1) for each in (problem, free))
    assert (with_links.labels == without.labels).all()


@pytest.mark.parametrize(("weight", "together"), [(0.01, False), (3.0, True)])
def test_the_weight_of_a_link_decides(weight, together):
    X = [[0.0], [1.0], [10.0], [11.0]]
    problem = Problem(X, 2, must_link=[(1, 2, weight)])
    labels = solve(problem, "bh-kmeans", n_init=5).labels
    assert (labels[1] == labels[2]) == together


def test_sizes_are_kept():
    problem = noisy_problem(3, n=30)
    sized = Problem(
        problem.X,
        3,
        must_link=problem.must_link,
        cannot_link=problem.cannot_link,
        sizes=[5, 10, 15],
    )
    assert solve(sized, "bh-kmeans").partition.cluster_sizes.tolist() == [5, 10, 15]


def test_a_hard_subset_goes_with_soft_links():
    problem = noisy_problem(5, hard=6)
    partition = solve(problem, "bh-kmeans", p=0.1).partition
    assert partition.violations.hard == 0


def test_infeasible_links_are_proved_so():
    triangle = Problem(np.eye(4), 2, cannot_link=[(0, 1), (1, 2), (0, 2)])
    result = solve(triangle, "bh-kmeans")
    assert result.status == "infeasible"
    assert "odd cycle" in result.message


def test_more_starts_are_never_worse():
    problem = noisy_problem(7)
    last = [
        [e for e in steps_of(problem, 4, n_init=n) if isinstance(e, IncumbentFound)][-1].objective
        for n in (1, 8)
    ]
    assert last[1] <= last[0]


def test_same_seed_same_events():
    problem = noisy_problem(8)
    for first, second in zip(steps_of(problem, 2), steps_of(problem, 2), strict=True):
        assert type(first) is type(second)
        if isinstance(first, Assigned):
            assert (first.labels == second.labels).all()


def test_noise_free_links_lead_to_the_truth():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.permuted(np.tile(np.arange(150), (450, 1)), axis=1)[:, :2], axis=1)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    soft = np.column_stack([pairs, np.ones(len(pairs))])
    problem = Problem(X, 3, must_link=soft[same], cannot_link=soft[~same], truth=truth)
    result = solve(problem, "bh-kmeans", n_init=3)
    assert result.partition.scores["ari"] > 0.97
    assert result.partition.penalty == 0


@pytest.mark.parametrize("solver", [BhKMeans(), Pccc()], ids=["bh-kmeans", "pccc"])
def test_a_long_first_step_shows_its_best_and_ends_with_the_run(solver):
    answered = []
    context = Context(stop=lambda: bool(answered))
    for event in solver.steps_with(0.0, contradictory_problem(), context):
        if isinstance(event, IncumbentFound):
            answered.append(event)
        assert not isinstance(event, Assigned)  # the step has not ended
    costs = [each.objective for each in answered]
    assert costs
    assert costs == sorted(costs, reverse=True)


def test_a_step_that_is_stopped_before_its_first_answer_is_no_proof():
    events = list(BhKMeans().steps(contradictory_problem(), Context(stop=lambda: True)))
    assert not any(isinstance(event, InfeasibilityProved) for event in events)
