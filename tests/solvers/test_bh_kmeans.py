from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist

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


@pytest.mark.parametrize("solver", [BhKMeans(), Pccc()], ids=["bh-kmeans", "pccc"])
def test_a_long_first_step_shows_its_best_and_ends_with_the_run(solver):
    answered = []
    context = Context(stop=lambda: bool(answered))
    for event in solver.steps(contradictory_problem(), context, first_s=0.0):
        if isinstance(event, IncumbentFound):
            answered.append(event)
        assert not isinstance(event, Assigned)  # the step has not ended
    costs = [each.objective for each in answered]
    assert costs
    assert costs == sorted(costs, reverse=True)


def test_a_step_that_is_stopped_before_its_first_answer_is_no_proof():
    events = list(BhKMeans().steps(contradictory_problem(), Context(stop=lambda: True)))
    assert not any(isinstance(event, InfeasibilityProved) for event in events)
