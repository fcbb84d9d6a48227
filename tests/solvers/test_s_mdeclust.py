from itertools import pairwise

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.errors import ParameterError
from ccviz.events import GenerationEnded, IncumbentFound, Restarted
from ccviz.problem.partition import Partition
from ccviz.solvers.base import Context
from ccviz.solvers.s_mdeclust import SMdeClust, memetic_incumbent
from tests.enumeration import least_wcss

VARIANTS = {
    "S": {"mutation": "off", "assignment": "exact"},
    "SM": {"mutation": "always", "assignment": "exact"},
    "SG": {"mutation": "off", "assignment": "greedy"},
    "SMG": {"mutation": "always", "assignment": "greedy"},
}


def make_problem(seed, n=60, k=4, links=50):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = rng.integers(k, size=n)
    pairs = rng.choice(n, (links, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


def events_of(problem, seed=0, workers="1", **settings):
    solver = SMdeClust(**{"population": 6, "generations": 3, "restarts": 1, **settings})
    return list(solver.steps(problem, Context(seed=seed, workers=workers)))


@pytest.mark.parametrize("seed", range(4))
def test_finds_the_optimum_of_tiny_problems(seed):
    problem = make_problem(seed, n=8, k=3, links=6)
    result = solve(problem, "s-mdeclust", seed=seed)
    assert result.objective == pytest.approx(least_wcss(problem))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("local_search", ["blp-kmeans", "relocations", "ejections", "chains"])
def test_every_incumbent_of_every_variant_keeps_all_links(variant, local_search):
    problem = make_problem(1)
    events = events_of(problem, local_search=local_search, **VARIANTS[variant])
    found = [Partition(problem, e.labels) for e in events if isinstance(e, IncumbentFound)]
    assert all(part.violations.none_hard for part in found)
    objectives = [part.wcss for part in found]
    assert objectives == sorted(objectives, reverse=True)
    generations = [e for e in events if isinstance(e, GenerationEnded)]
    assert generations[-1].objectives.min() >= objectives[-1] - 1e-9


def test_generations_tell_who_was_replaced():
    events = events_of(make_problem(2), local_search="relocations")
    generations = [e for e in events if isinstance(e, GenerationEnded)]
    assert sum(isinstance(e, Restarted) for e in events) == 2
    for before, after in pairwise(generations):
        if after.generation == 0:
            continue
        changed = np.flatnonzero(before.objectives != after.objectives)
        assert (changed == np.flatnonzero(after.replaced >= 0)).all()
        assert (after.objectives <= before.objectives).all()
        assert after.local_searches == before.local_searches + 6


def same_events(first, second):
    assert [type(e) for e in first] == [type(e) for e in second]
    for a, b in zip(first, second, strict=True):
        if isinstance(a, IncumbentFound):
            assert (a.labels == b.labels).all()
        if isinstance(a, GenerationEnded):
            assert (a.objectives == b.objectives).all()


@pytest.mark.slow
def test_same_events_whatever_the_number_of_workers():
    problem = make_problem(3)
    same_events(events_of(problem), events_of(problem, workers="2"))


@pytest.mark.parametrize("unit", [1e-6, 1e9])
def test_the_unit_of_the_data_does_not_matter(unit):
    problem = make_problem(4)
    scaled = Problem(problem.X * unit, problem.k, problem.must_link, problem.cannot_link)
    one, other = (solve(p, SMdeClust(restarts=0), seed=1) for p in (problem, scaled))
    assert other.objective == pytest.approx(one.objective * unit**2)


@pytest.mark.parametrize("k", [3, 5])
def test_points_that_coincide(k):
    X = np.repeat([[0.1, 1e3 / 3], [0.7, 0.0], [1e3 / 7, 2.0]], 8, axis=0)
    result = solve(Problem(X, k, cannot_link=[(0, 1), (0, 8), (1, 9)]), "s-mdeclust", seed=0)
    assert result.partition.violations.none_hard
    if k > 3:
        assert result.objective == pytest.approx(0.0, abs=1e-9)


def test_a_resumed_run_goes_on_with_the_next_population():
    problem = make_problem(5)
    stepper = start(problem, SMdeClust(population=6, restarts=1), seed=2)
    history = []
    for record in stepper:
        history.append(record)
        if isinstance(record.event, GenerationEnded):
            break
    resumed = start(problem, SMdeClust(population=6, restarts=1), seed=2, history=history)
    records = list(resumed)
    assert [r.event.restart for r in records if isinstance(r.event, Restarted)] == [1]
    assert resumed.run.objective <= stepper.run.objective


def test_the_incumbent_for_exact_solvers_stops_when_told():
    problem = make_problem(6)
    labels = memetic_incumbent(problem, seed=1)
    assert Partition(problem, labels).violations.none_hard
    assert memetic_incumbent(problem, stop=lambda: True) is None
    assert (memetic_incumbent(problem, seed=1) == labels).all()


def test_bad_settings_are_named():
    with pytest.raises(ParameterError, match="scale_low"):
        SMdeClust(scale_low=0.9, scale_high=0.5)
