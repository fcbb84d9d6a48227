import numpy as np
import pytest
from sklearn.datasets import load_iris

from ccviz import Problem, solve
from ccviz.data.random_links import random_pairs
from ccviz.events import Assigned, IncumbentFound
from ccviz.problem.blocks import contract
from ccviz.solvers.assignment import structure_of
from ccviz.solvers.assignment.milp import milp_assignment
from ccviz.solvers.base import Context
from ccviz.solvers.post_process import PostProcess, fuzzy_memberships
from tests.made_up import contradictory_problem


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    links = random_pairs(truth, 80, seed=2)
    return Problem(
        X, 3, must_link=links.must_link, cannot_link=links.cannot_link, sizes=[50] * 3, truth=truth
    )


@pytest.mark.parametrize("clustering", ["k-means", "mixture"])
def test_keeps_links_and_sizes(iris, clustering):
    result = solve(iris, PostProcess(clustering=clustering))
    assert result.status == "feasible"
    assert result.partition.violations.none_hard


def test_no_assignment_keeps_more_of_the_memberships():
    X, truth = load_iris(return_X_y=True)
    links = random_pairs(truth, 60, seed=3)
    problem = Problem(X, 3, must_link=links.must_link, cannot_link=links.cannot_link)
    solver = PostProcess()
    blocks = contract(problem)
    missed = np.zeros((blocks.s, 3))
    np.add.at(missed, blocks.block_of, 1.0 - solver._memberships(problem, Context(seed=0)))
    whole = milp_assignment(missed, structure_of(blocks), nonempty=True)
    events = [e for e in solver.steps(problem, Context(seed=0)) if isinstance(e, Assigned)]
    assert events[-1].objective == pytest.approx(whole.objective, rel=1e-7)


def test_memberships_add_up_and_a_point_on_a_centre_is_sure():
    degrees = fuzzy_memberships(np.array([[0.0, 4.0], [1.0, 3.0]]))
    np.testing.assert_allclose(degrees, [[1.0, 0.0], [0.75, 0.25]])


def test_without_constraints_nothing_moves():
    X, _ = load_iris(return_X_y=True)
    result = solve(Problem(X, 3), "post-process")
    assert result.message.endswith("0 points moved to keep the constraints.")


def test_an_assignment_that_is_stopped_is_told():
    seen = []
    context = Context(stop=lambda: bool(seen))
    for event in PostProcess().steps(contradictory_problem(), context):
        seen += [event]
    assert isinstance(seen[1], IncumbentFound)
