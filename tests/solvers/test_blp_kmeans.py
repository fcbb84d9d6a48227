from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ccviz import Problem, contract, solve
from ccviz.events import Assigned, CentersMoved, IncumbentFound
from ccviz.solvers.assignment import solve_assignment, step, structure_of
from ccviz.solvers.assignment.centers import block_costs
from ccviz.solvers.assignment.exact import SearchLimits
from ccviz.solvers.base import Context
from ccviz.solvers.blp_kmeans import BlpKMeans


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    pairs = rng.choice(150, (60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, 3, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)


def events_of(problem, **settings):
    return list(BlpKMeans(**settings).steps(problem, Context(seed=3)))


def test_the_objective_never_rises(iris):
    objectives = [event.objective for event in events_of(iris) if isinstance(event, Assigned)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(objectives))


def test_a_start_ends_with_an_exact_step(monkeypatch):
    rng = np.random.default_rng(5)
    pairs = np.unique(np.sort(rng.integers(0, 60, (400, 2)), axis=1), axis=0)
    problem = Problem(rng.normal(size=(60, 2)), 14, cannot_link=pairs[pairs[:, 0] < pairs[:, 1]])
    monkeypatch.setattr(step, "QUICK_LIMITS", SearchLimits(nodes=0, columns=0))
    asked, assign = [], step.Descent.assign
    monkeypatch.setattr(
        step.Descent, "assign", lambda *given: asked.append(answer := assign(*given)) or answer
    )
    partition = solve(problem, "blp-kmeans", seed=0).partition
    assert asked[0].quick
    assert not asked[-1].quick
    assert asked[-1].proved
    blocks = contract(problem)
    costs = block_costs(blocks.centroid, blocks.mass, partition.centers)
    best = solve_assignment(costs, structure_of(blocks), nonempty=True)
    assert partition.wcss == pytest.approx(best.objective)


def test_an_answer_is_there_after_the_first_step(iris):
    kinds = [type(event) for event in events_of(iris)]
    assert kinds.index(IncumbentFound) < kinds.index(CentersMoved) + 4


def test_published_optimum_of_iris_is_found(bench):
    folder = bench / "pc-sos-sdp"
    X = np.loadtxt(folder / "data" / "iris.txt", skiprows=1)
    lines = (folder / "constraints" / "iris" / "ml_50_cl_50_0.txt").read_text().split("\n")
    pairs = {"ML": [], "CL": []}
    for kind, i, j in (line.split() for line in lines if line.strip()):
        pairs[kind].append((int(i), int(j)))
    problem = Problem(X, 3, pairs["ML"], pairs["CL"])
    assert solve(problem, BlpKMeans(n_init=10)).objective == pytest.approx(84.5632, abs=1e-4)
