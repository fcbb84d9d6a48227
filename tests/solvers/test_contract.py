"""One contract for every registered solver, over small problems of every kind."""

import sys
from itertools import count

import numpy as np
import pytest

from ccviz import Problem, start, testing
from ccviz.events import InfeasibilityProved
from ccviz.runs.stepper import Stepper
from ccviz.solvers import SOLVERS, make_solver
from ccviz.solvers.base import Context
from ccviz.testing import INFEASIBLE, PROBLEMS, supported, supports

NAMES = [solver.name for solver in SOLVERS]
QUICK = {  # parameters that let a solver end soon on so small problems
    "dils": {"generations": 20},
    "hg-means": {"generations": 3},
    "s-mdeclust": {"generations": 3},
}
LONG = {  # and that let it work on
    "bh-kmeans": {"n_init": 20},
    "blp-kmeans": {"n_init": 20},
    "ppc": {"n_init": 10},
    "spectral": {"n_init": 20},
}
MOST_UNSEEN = 0.7
"""Share of a long run's work between two looks: who looks only at the end has all of it there."""
SHORT = 5000
"""Calls of functions that need no look: a single step and what it prepares."""


def quick(name):
    return make_solver(name, **QUICK.get(name, {}))


@pytest.mark.parametrize("name", NAMES)
def test_a_run_keeps_the_contract(name, subtests):
    for title, problem in supported(quick(name), PROBLEMS).items():
        with subtests.test(title):
            records, run = testing.drive(quick(name), problem)
            testing.keeps_the_contract(quick(name), problem, records, run)
            testing.keeps_what_must_hold(quick(name), problem, records)
            testing.bounds_hold(problem, run)


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_where_there_is_none(name, subtests):
    for title, problem in supported(quick(name), INFEASIBLE).items():
        with subtests.test(title):
            testing.finds_no_answer_where_there_is_none(quick(name), problem)


@pytest.mark.parametrize(
    "name", ["bh-kmeans", "blp-kmeans", "ipc-kmeans", "lp-box", "post-process", "s-mdeclust"]
)
def test_heuristics_that_look_first_prove_that_links_contradict(name):
    for problem in (INFEASIBLE["odd cycle"], INFEASIBLE["clique"]):
        solver = make_solver(name, **(QUICK | LONG).get(name, {}))
        *_, proof, end = solver.steps(problem, Context(seed=1))  # to the end, not to `Finished`
        assert isinstance(proof, InfeasibilityProved)
        assert end.termination == "proved"


@pytest.mark.parametrize(
    "name", [name for name in NAMES if supports(quick(name), PROBLEMS["both"])]
)
def test_same_seed_same_events_and_they_can_be_stored(name):
    testing.repeats_itself(quick(name), PROBLEMS["both"])


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_is_stopped_ends_at_once(name):
    testing.stops_at_once(quick(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_long_run_looks_whether_to_stop_all_along(name):
    """Work is counted in calls of functions, which no clock and no other process can change."""
    rng = np.random.default_rng(7)
    truth = rng.integers(3, size=40)
    X = rng.normal(size=(40, 2)) + truth[:, None]
    pairs = rng.choice(40, size=(12, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 3, must_link=pairs[same], cannot_link=pairs[~same])
    solver = make_solver(name, **(QUICK | LONG).get(name, {}))
    Stepper(problem, solver, seed=1).result()  # imports and compiles
    calls, at_looks = count(), [0]

    def asked(run, age):
        at_looks.append(next(calls))

    stepper = Stepper(problem, solver, seed=1, criteria=[asked])
    earlier = sys.getprofile()
    sys.setprofile(lambda frame, what, argument: next(calls))
    try:
        stepper.result()
    finally:
        sys.setprofile(earlier)
    whole = next(calls)
    longest = int(np.diff([*at_looks, whole]).max())
    assert longest <= max(MOST_UNSEEN * whole, SHORT), f"{longest} of {whole} calls without a look"


@pytest.mark.parametrize("name", NAMES)
def test_no_time_is_no_run(name):
    nothing = start(PROBLEMS["no links"], make_solver(name), time_limit=0)
    assert nothing.result().termination == "time_limit"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_supported_is_refused(name):
    testing.refuses_what_it_does_not_support(quick(name))


@pytest.mark.parametrize("kind", SOLVERS, ids=NAMES)
def test_a_solver_describes_itself(kind):
    testing.describes_itself(kind)


def test_names_are_unique():
    assert len(set(NAMES)) == len(NAMES)
