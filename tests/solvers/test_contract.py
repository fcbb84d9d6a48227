"""One contract for every registered solver, over small problems of every kind."""

import math
import sys
from dataclasses import asdict, fields
from functools import cache
from itertools import count

import numpy as np
import pytest

from ccviz import Partition, Problem, start
from ccviz.errors import ParameterError, UnsupportedError
from ccviz.events import Finished, IncumbentFound, InfeasibilityProved, Started
from ccviz.problem.links import closure
from ccviz.problem.rules import MaxSize
from ccviz.runs.codec import decode_event, encode_event
from ccviz.runs.run import result_of
from ccviz.runs.stepper import Stepper
from ccviz.runs.validator import Validator
from ccviz.solvers import SOLVERS, make_solver, solver_class

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
AT_ONCE = 10
"""Looks after the one that says stop: a loop within a loop leaves one by one."""

X = np.random.default_rng(7).normal(size=(8, 2))
PROBLEMS = {
    "no links": Problem(X, 3),
    "must-links": Problem(X, 3, must_link=[(0, 1), (1, 2), (4, 7)]),
    "cannot-links": Problem(X, 3, cannot_link=[(0, 1), (1, 2), (0, 2), (4, 7)]),
    "both": Problem(X, 3, must_link=[(0, 5)], cannot_link=[(0, 1), (5, 6), (2, 3)]),
    "two clusters": Problem(X, 2, must_link=[(6, 7)], cannot_link=[(0, 1), (1, 2), (3, 4)]),
    "one cluster": Problem(X, 1, must_link=[(0, 1)]),
    "a cluster a point": Problem(X[:5], 5),
    "a cluster a block": Problem(X, 4, must_link=[(0, 1), (2, 3), (4, 5), (6, 7)]),
    "one feature": Problem(X[:, :1], 3, cannot_link=[(0, 1)]),
    "equal points": Problem(np.repeat(X[:3], 2, axis=0), 3, cannot_link=[(0, 1)]),
    "all points equal": Problem(np.ones((6, 2)), 2, cannot_link=[(0, 1)]),
    "tiny unit": Problem(X * 1e-6, 3, cannot_link=[(0, 1), (2, 3)]),
    "huge unit": Problem(X * 1e9 + 1e9, 3, cannot_link=[(0, 1), (2, 3)]),
    "truth": Problem(X, 2, truth=[0, 1] * 4, cannot_link=[(0, 1)]),
    "equal sizes": Problem(X, 2, cannot_link=[(0, 1)], sizes=[4, 4]),
    "size ranges": Problem(X, 3, must_link=[(0, 1)], sizes=([2, 2, 2], [4, 3, 3])),
    "soft links": Problem(X, 3, must_link=[(0, 1, 0.5)], cannot_link=[(2, 3, 5.0)]),
    "soft and hard": Problem(X, 3, [(0, 1, 0.5), (4, 5)], [(2, 3, 5.0), (0, 4), (0, 1, 1.0)]),
    "rules": Problem(X, 3, cannot_link=[(0, 1)], rules=(MaxSize(4),)),
}
INFEASIBLE = {
    "odd cycle": Problem(X, 2, cannot_link=[(0, 1), (1, 2), (0, 2), (3, 4)]),
    "clique": Problem(X, 3, cannot_link=[(i, j) for i in range(4) for j in range(i)]),
    "wheel": Problem(
        X, 3, cannot_link=[*((i, (i + 1) % 5) for i in range(5)), *((5, i) for i in range(5))]
    ),
    "one cluster": Problem(X, 1, cannot_link=[(0, 7)]),
    "sizes": Problem(X, 2, must_link=[(0, 1), (1, 2), (2, 3), (3, 4)], sizes=[4, 4]),
}


def quick(name):
    return make_solver(name, **QUICK.get(name, {}))


def supports(name, problem):
    try:
        quick(name).check(problem)
    except UnsupportedError:
        return False
    return True


def supported(name, problems):
    return {title: problem for title, problem in problems.items() if supports(name, problem)}


@cache
def optimum(problem):
    """Return the least objective of any clustering that keeps what must hold."""
    block_of = closure(problem.n, problem.must_link.hard.pairs)
    s = int(block_of.max()) + 1
    best = math.inf
    for labels in np.indices((problem.k,) * s).reshape(s, -1)[block_of].T:
        partition = Partition(problem, labels)
        if partition.violations.none_hard:
            best = min(best, partition.wcss + partition.penalty)
    return best


def drive(name, problem):
    stepper = start(problem, quick(name), seed=1)
    return list(stepper), stepper.run


driven = cache(drive)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_keeps_the_contract(name, subtests):
    for title, problem in supported(name, PROBLEMS).items():
        with subtests.test(title):
            keeps_the_contract(name, problem)


def keeps_the_contract(name, problem):
    records, run = driven(name, problem)
    validator = Validator(problem)
    for record in records:
        validator.check(record)
    events = [record.event for record in records]
    assert [record.seq for record in records] == list(range(len(records)))
    assert isinstance(events[0], Started)
    assert events[0].settings == asdict(quick(name))
    assert [isinstance(event, Finished) for event in events] == [False] * (len(events) - 1) + [True]
    assert run.termination != "interrupted", "the events ended without the solver's own Finished"
    assert run.termination != "failed"
    result = result_of(run)
    best = optimum(problem)
    slack = 1e-9 * max(best, 1e-300)
    assert result.lower_bound <= best + slack
    assert result.status != "infeasible"
    if result.status in {"optimal", "feasible"}:
        assert result.partition.violations.none_hard
        assert result.objective >= best - slack
    if result.status == "optimal":
        assert result.gap <= quick(name).tolerance + 1e-9 or best <= 1e-25 * problem.n
        assert result.objective <= best / (1 - getattr(quick(name), "tolerance", 0.0)) + slack
    if solver_class(name).supports.exact:
        assert result.status == "optimal"
    if not solver_class(name).supports.bounds:
        assert result.lower_bound == -math.inf


@pytest.mark.parametrize("name", [name for name in NAMES if solver_class(name).supports.hard])
def test_who_says_that_hard_links_are_kept_keeps_them(name, subtests):
    for title, problem in supported(name, PROBLEMS).items():
        with subtests.test(title):
            for record in driven(name, problem)[0]:
                if isinstance(record.event, IncumbentFound):
                    broken = Partition(problem, record.event.labels).violations
                    assert broken.none_hard, f"{name} has Supports(hard=True): {broken}"


@pytest.mark.parametrize("name", NAMES)
def test_every_lower_bound_on_the_way_is_one(name, subtests):
    for title, problem in supported(name, PROBLEMS).items():
        with subtests.test(title):
            _, run = driven(name, problem)
            best = optimum(problem)
            assert all(moment.lower_bound <= best * (1 + 1e-9) for moment in run.history)
            if run.tree:
                assert run.tree[0].lower_bound <= best * (1 + 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_where_there_is_none(name, subtests):
    for title, problem in supported(name, INFEASIBLE).items():
        with subtests.test(title):
            has_no_answer(name, problem)


def has_no_answer(name, problem):
    records, run = drive(name, problem)
    assert run.status in {"infeasible", "unknown"}
    proofs = [record.event for record in records if isinstance(record.event, InfeasibilityProved)]
    assert bool(proofs) == (run.status == "infeasible")
    assert all(proof.reason for proof in proofs)
    if proofs:
        assert run.termination == "proved"
    else:
        assert run.finished.message, "Finished needs a message where there is no answer"
    if solver_class(name).supports.exact:
        assert run.status == "infeasible"


@pytest.mark.parametrize("name", [name for name in NAMES if supports(name, PROBLEMS["both"])])
def test_same_seed_same_events_and_they_can_be_stored(name):
    first, second = (
        [encode_event(record.event) for record in drive(name, PROBLEMS["both"])[0]]
        for _ in range(2)
    )
    assert first == second, "other events from the same seed: is all chance from context.rng?"
    assert [encode_event(decode_event(data)) for data in first] == first


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_is_stopped_ends_at_once(name):
    whole, looks = stopped(name, math.inf)
    assert whole.termination != "interrupted"
    if solver_class(name).supports.exact:  # a node takes long
        assert looks > whole.seq + 2
    for told in (1, looks // 2, looks - 1):
        run, looked = stopped(name, told)
        assert run.termination == "interrupted"
        assert looked <= told + AT_ONCE, "it went on when context.stop() was true"


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


def stopped(name, told):
    """Return a run that is told to stop at a look, and how often it and its solver looked."""
    looks = count()

    def asked(run, age):
        return "interrupted" if next(looks) >= told else None

    problem = Problem(np.random.default_rng(7).normal(size=(30, 2)), 3)
    stepper = Stepper(problem, quick(name), seed=1, criteria=[asked])
    stepper.result()
    return stepper.run, next(looks)


@pytest.mark.parametrize("name", NAMES)
def test_no_time_is_no_run(name):
    nothing = start(PROBLEMS["no links"], make_solver(name), time_limit=0)
    assert nothing.result().termination == "time_limit"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_supported_is_refused(name):
    can = solver_class(name).supports
    asked = {"soft links": can.soft, "equal sizes": can.sizes, "rules": can.rules}
    assert {title: supports(name, PROBLEMS[title]) for title in asked} == asked


@pytest.mark.parametrize("name", NAMES)
def test_a_solver_describes_itself(name):
    kind = solver_class(name)
    assert kind.title
    assert kind.paper
    for each in fields(kind):
        assert each.metadata["doc"].endswith("."), each.name
        assert each.type in {"int", "float", "bool", "str"}, each.name
        low, high = each.metadata["low"], each.metadata["high"]
        for bound, beyond in ((low, -1), (high, 1)):
            if bound is not None:
                with pytest.raises(ParameterError, match=each.name):
                    make_solver(name, **{each.name: type(each.default)(bound + beyond)})
        if each.metadata["choices"]:
            assert each.default in each.metadata["choices"]
            with pytest.raises(ParameterError, match=each.name):
                make_solver(name, **{each.name: "no such choice"})


def test_names_are_unique():
    assert len(set(NAMES)) == len(NAMES)
