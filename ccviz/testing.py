"""What every solver promises, as checks over small problems of every kind.

`check_solver` runs all of them. A package that adds a solver calls it from its tests:

    from ccviz.testing import check_solver

    def test_the_contract():
        check_solver(MySolver)

Each check raises `AssertionError` with the problem and the promise that is broken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import cache
from itertools import count
from typing import Any

import numpy as np

from ccviz.errors import ParameterError, UnsupportedError
from ccviz.events import (
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    Record,
    Started,
    Termination,
)
from ccviz.problem.links import closure
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.rules import MaxSize
from ccviz.runs.check import Validator
from ccviz.runs.codec import decode_event, encode_event
from ccviz.runs.run import Run, result_of
from ccviz.runs.stepper import Stepper, start
from ccviz.solvers.base import Solver

_AT_ONCE = 10
"""Number of looks at `Context.stop` after the one that said stop: nested loops end one by one."""

_X = np.random.default_rng(7).normal(size=(8, 2))

# Problem takes plain lists, too: mypy sees only what it makes of them.
_problem: Callable[..., Problem] = Problem

PROBLEMS: Mapping[str, Problem] = {
    "no links": _problem(_X, 3),
    "must-links": _problem(_X, 3, must_link=[(0, 1), (1, 2), (4, 7)]),
    "cannot-links": _problem(_X, 3, cannot_link=[(0, 1), (1, 2), (0, 2), (4, 7)]),
    "both": _problem(_X, 3, must_link=[(0, 5)], cannot_link=[(0, 1), (5, 6), (2, 3)]),
    "two clusters": _problem(_X, 2, must_link=[(6, 7)], cannot_link=[(0, 1), (1, 2), (3, 4)]),
    "one cluster": _problem(_X, 1, must_link=[(0, 1)]),
    "a cluster a point": _problem(_X[:5], 5),
    "a cluster a block": _problem(_X, 4, must_link=[(0, 1), (2, 3), (4, 5), (6, 7)]),
    "one feature": _problem(_X[:, :1], 3, cannot_link=[(0, 1)]),
    "equal points": _problem(np.repeat(_X[:3], 2, axis=0), 3, cannot_link=[(0, 1)]),
    "all points equal": _problem(np.ones((6, 2)), 2, cannot_link=[(0, 1)]),
    "tiny unit": _problem(_X * 1e-6, 3, cannot_link=[(0, 1), (2, 3)]),
    "huge unit": _problem(_X * 1e9 + 1e9, 3, cannot_link=[(0, 1), (2, 3)]),
    "truth": _problem(_X, 2, truth=[0, 1] * 4, cannot_link=[(0, 1)]),
    "equal sizes": _problem(_X, 2, cannot_link=[(0, 1)], sizes=[4, 4]),
    "size ranges": _problem(_X, 3, must_link=[(0, 1)], sizes=([2, 2, 2], [4, 3, 3])),
    "soft links": _problem(_X, 3, must_link=[(0, 1, 0.5)], cannot_link=[(2, 3, 5.0)]),
    "soft and hard": _problem(_X, 3, [(0, 1, 0.5), (4, 5)], [(2, 3, 5.0), (0, 4), (0, 1, 1.0)]),
    "rules": _problem(_X, 3, cannot_link=[(0, 1)], rules=(MaxSize(4),)),
}
"""Problems of 5 to 8 points that have a clustering."""

INFEASIBLE: Mapping[str, Problem] = {
    "odd cycle": _problem(_X, 2, cannot_link=[(0, 1), (1, 2), (0, 2), (3, 4)]),
    "clique": _problem(_X, 3, cannot_link=[(i, j) for i in range(4) for j in range(i)]),
    "wheel": _problem(
        _X, 3, cannot_link=[*((i, (i + 1) % 5) for i in range(5)), *((5, i) for i in range(5))]
    ),
    "one cluster": _problem(_X, 1, cannot_link=[(0, 7)]),
    "sizes": _problem(_X, 2, must_link=[(0, 1), (1, 2), (2, 3), (3, 4)], sizes=[4, 4]),
}
"""Problems of 8 points that have none."""


def check_solver(kind: type[Solver], **settings: Any) -> None:
    """Check the whole contract of a solver.

    `settings`: Parameters with which it ends soon on problems of eight points. Raises
    `AssertionError` if it breaks a promise; the sentence names the problem.
    """
    solver = kind(**settings)
    describes_itself(kind)
    refuses_what_it_does_not_support(solver)
    for title, problem in supported(solver, PROBLEMS).items():
        records, run = drive(solver, problem)
        with_title(title, keeps_the_contract, solver, problem, records, run)
        with_title(title, keeps_what_must_hold, solver, problem, records)
        with_title(title, bounds_hold, problem, run)
    for title, problem in supported(solver, INFEASIBLE).items():
        with_title(title, finds_no_answer_where_there_is_none, solver, problem)
    if supports(solver, PROBLEMS["both"]):
        repeats_itself(solver, PROBLEMS["both"])
    stops_at_once(solver)


def with_title(title: str, check: Callable[..., None], *args: Any) -> None:
    """Run a check and put the problem's name before the sentence of its failure."""
    try:
        check(*args)
    except AssertionError as broken:
        raise AssertionError(f"{title}: {broken}") from broken


def supports(solver: Solver, problem: Problem) -> bool:
    """Return whether the solver takes a problem."""
    try:
        solver.check(problem)
    except UnsupportedError:
        return False
    return True


def supported(solver: Solver, problems: Mapping[str, Problem]) -> dict[str, Problem]:
    """Return the problems that the solver takes."""
    return {title: problem for title, problem in problems.items() if supports(solver, problem)}


def drive(solver: Solver, problem: Problem) -> tuple[list[Record], Run]:
    """Return the records of a run and its state after the last one."""
    stepper = start(problem, solver, seed=1)
    return list(stepper), stepper.run


@cache
def optimum(problem: Problem) -> float:
    """Return the least objective of any clustering that keeps what must hold, by enumeration."""
    block_of = closure(problem.n, problem.must_link.hard.pairs)
    s = int(block_of.max()) + 1
    best = math.inf
    for labels in np.indices((problem.k,) * s).reshape(s, -1)[block_of].T:
        partition = Partition(problem, labels)
        if partition.violations.none_hard:
            best = min(best, partition.objective)
    return best


def keeps_the_contract(solver: Solver, problem: Problem, records: list[Record], run: Run) -> None:
    """Check the order of a run's events and its result against enumeration."""
    validator = Validator(problem)
    for record in records:
        validator.check(record)
    events = [record.event for record in records]
    assert [record.seq for record in records] == list(range(len(records)))
    assert isinstance(events[0], Started)
    assert events[0].settings == asdict(solver)
    assert [isinstance(event, Finished) for event in events] == [False] * (len(events) - 1) + [True]
    assert run.termination != "interrupted", "the events ended without the solver's own Finished"
    assert run.termination != "failed", "the run failed"
    result, best = result_of(run), optimum(problem)
    slack = 1e-9 * max(best, 1e-300)
    tolerance = getattr(solver, "tolerance", 0.0)
    assert result.lower_bound <= best + slack, "the lower bound is above the optimum"
    assert result.status != "infeasible", "it is called infeasible and has a clustering"
    if result.status in {"optimal", "feasible"}:
        assert result.partition is not None
        assert result.partition.violations.none_hard
        assert result.objective >= best - slack
    if result.status == "optimal":
        assert result.gap <= tolerance + 1e-9 or best <= 1e-25 * problem.n
        assert result.objective <= best / (1 - tolerance) + slack, "it is called optimal and is not"
    if solver.supports.exact:
        assert result.status == "optimal", "an exact solver ends with a proof"
    if not solver.supports.bounds:
        assert result.lower_bound == -math.inf, "it has a lower bound and no Supports(bounds=True)"


def keeps_what_must_hold(solver: Solver, problem: Problem, records: list[Record]) -> None:
    """Check that a solver with ``Supports(hard=True)`` keeps hard links in all incumbents."""
    if not solver.supports.hard:
        return
    for record in records:
        if isinstance(record.event, IncumbentFound):
            broken = Partition(problem, record.event.labels).violations
            assert broken.none_hard, f"{solver.name} has Supports(hard=True): {broken}"


def bounds_hold(problem: Problem, run: Run) -> None:
    """Check that no lower bound of the run was above the optimum at any time."""
    best = optimum(problem)
    assert all(moment.lower_bound <= best * (1 + 1e-9) for moment in run.history)
    if run.tree:
        assert run.tree[0].lower_bound <= best * (1 + 1e-9)


def finds_no_answer_where_there_is_none(solver: Solver, problem: Problem) -> None:
    """Check that a problem without a clustering ends unanswered, and with a proof if it has one."""
    records, run = drive(solver, problem)
    assert run.status in {"infeasible", "unknown"}
    proofs = [record.event for record in records if isinstance(record.event, InfeasibilityProved)]
    assert bool(proofs) == (run.status == "infeasible")
    assert all(proof.reason for proof in proofs)
    if proofs:
        assert run.termination == "proved"
    else:
        assert run.finished is not None
        assert run.finished.message, "Finished needs a message where there is no answer"
    if solver.supports.exact:
        assert run.status == "infeasible", "an exact solver proves that there is none"


def repeats_itself(solver: Solver, problem: Problem) -> None:
    """Check that the same seed gives the same events, and that they can be stored."""
    first, second = (
        [encode_event(record.event) for record in drive(solver, problem)[0]] for _ in range(2)
    )
    assert first == second, "other events from the same seed: is all chance from context.rng?"
    assert [encode_event(decode_event(data)) for data in first] == first


def stops_at_once(solver: Solver) -> None:
    """Check that a run ends soon after `Context.stop` is true."""
    whole, looks = _stopped(solver, math.inf)
    assert whole.termination != "interrupted"
    if solver.supports.exact:  # a node takes long
        assert looks > whole.seq + 2, "it does not look at context.stop() between events"
    for at in (1, looks // 2, looks - 1):
        run, looked = _stopped(solver, at)
        assert run.termination == "interrupted"
        assert looked <= at + _AT_ONCE, "it went on when context.stop() was true"


def _stopped(solver: Solver, at: float) -> tuple[Run, int]:
    """Return a run that is at to stop at a look, and how often it and its solver looked."""
    looks = count()

    def asked(_run: Run, _age: float) -> Termination | None:
        return "interrupted" if next(looks) >= at else None

    problem = Problem(np.random.default_rng(7).normal(size=(30, 2)), 3)
    stepper = Stepper(problem, solver, seed=1, criteria=[asked])
    stepper.result()
    return stepper.run, next(looks)


def refuses_what_it_does_not_support(solver: Solver) -> None:
    """Check that soft links, sizes and rules are taken if `Supports` says so, and only then."""
    can = solver.supports
    asked = {"soft links": can.soft, "equal sizes": can.sizes, "rules": can.rules}
    assert {title: supports(solver, PROBLEMS[title]) for title in asked} == asked


def describes_itself(kind: type[Solver]) -> None:
    """Check title, paper, and the sentences, types and ranges of the parameters."""
    assert kind.name
    assert kind.title
    assert kind.paper
    for each in fields(kind):
        assert each.metadata["doc"].endswith("."), each.name
        assert each.type in {"int", "float", "bool", "str"}, each.name
        low, high = each.metadata["low"], each.metadata["high"]
        for bound, beyond in ((low, -1), (high, 1)):
            if bound is not None:
                _refuses(kind, each.name, (int if each.type == "int" else float)(bound + beyond))
        if each.metadata["choices"]:
            assert each.default in each.metadata["choices"]
            _refuses(kind, each.name, "no such choice")


def _refuses(kind: type[Solver], name: str, value: Any) -> None:
    try:
        kind(**{name: value})
    except ParameterError as refused:
        sentence = str(refused)
    else:
        raise AssertionError(f"{name}={value!r} is out of range and not refused")
    assert name in sentence, f"the sentence does not name the parameter {name!r}: {sentence}"
