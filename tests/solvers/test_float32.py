"""Points of float32: kept as they are, with the answers of the float64 numbers they stand for."""

import numpy as np
import pytest

from ccviz import Problem, Sizes, start
from ccviz.events import CentersMoved, Finished
from ccviz.proof.verdict import problem_hash
from ccviz.proof.verify import verify
from ccviz.solvers import SOLVERS, make_solver, solver_class

NAMES = [solver.name for solver in SOLVERS]
QUICK = {
    "dils": {"generations": 20},
    "hg-means": {"generations": 3},
    "s-mdeclust": {"generations": 3},
}
X = np.random.default_rng(5).normal(size=(14, 2)).astype(np.float32) + np.float32(100.0)
MUST, CANNOT = [(0, 5), (2, 9)], [(0, 1), (5, 6), (2, 3)]


def weighted(pairs):
    return [(*pair, 0.5) for pair in pairs]


def driven(points, name, sort):
    given = {
        "hard": {"must_link": MUST, "cannot_link": CANNOT},
        "soft": {"must_link": weighted(MUST), "cannot_link": weighted(CANNOT)},
        "sizes": {"sizes": Sizes(np.array([4, 4, 4]), np.array([5, 5, 5]))},
    }[sort]
    problem = Problem(points, 3, **given)
    stepper = start(problem, make_solver(name, **QUICK.get(name, {})), seed=1)
    return problem, [record.event for record in stepper], stepper.run


def sorts(name):
    can = solver_class(name).supports
    return ["hard", *(["soft"] if can.soft else []), *(["sizes"] if can.sizes else [])]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sort"), [(n, sort) for n in NAMES for sort in sorts(n)])
def test_answers_are_those_of_the_same_numbers_as_float64(name, sort):
    problem, events, run = driven(X, name, sort)
    wide, _, other = driven(X.astype(np.float64), name, sort)
    assert problem.X.dtype == np.float32
    assert (run.incumbent.labels == other.incumbent.labels).all()
    assert run.objective == pytest.approx(other.objective, rel=1e-12)
    assert run.lower_bound == other.lower_bound
    assert all(e.centers.dtype == np.float64 for e in events if isinstance(e, CentersMoved))
    assert problem_hash(problem) == problem_hash(wide)


@pytest.mark.parametrize("name", ["sdp", "colgen", "divide"])
def test_a_proof_is_one_for_both(name):
    problem, events, _ = driven(X, name, "hard")
    wide = Problem(X.astype(np.float64), 3, MUST, CANNOT)
    for each in (problem, wide):
        verdict = verify(each, events, 1e-3)
        assert verdict.accepted, verdict.sentence
    assert verify(problem, events, 1e-3) == verify(wide, events, 1e-3)


def test_far_from_zero_no_digit_is_lost():
    """Differences in float32 would be off by far more than what is asked here."""
    far = (np.random.default_rng(0).normal(size=(60, 3)) + 1e5).astype(np.float32)
    for name in ("k-means", "blp-kmeans", "cop-kmeans", "pccc", "bh-kmeans"):
        costs = [
            start(Problem(points, 4, cannot_link=CANNOT), name, seed=0).result().objective
            for points in (far, far.astype(np.float64))
        ]
        assert costs[0] == pytest.approx(costs[1], rel=1e-12)


def test_who_keeps_them_is_given_them_and_others_are_not(monkeypatch):
    given = []

    def steps(_, problem, __):
        given.append(problem.X)
        yield Finished(termination="converged")

    for name in ("k-means", "hg-means"):
        monkeypatch.setattr(solver_class(name), "steps", steps)
        list(start(Problem(X, 3), name))
    assert [each.dtype for each in given] == [np.float32, np.float64]
    assert not given[1].flags.writeable


def test_points_that_nobody_can_change_are_not_copied():
    frozen = X.copy()
    frozen.setflags(write=False)
    assert Problem(frozen, 2).X is frozen
    assert Problem(X, 2).X is not X
    wide = Problem(X.astype(np.float64), 2)
    assert wide.widened() is wide
    assert Problem(frozen, 2, rules=()).widened().X.dtype == np.float64
