"""What each solver does with each kind of constraint: one matrix, from what solvers declare.

A cell is worked out by the same question that makes a solver grey on the page
(`ccviz.solvers.advice.obstacles`), asked of a small problem with that constraint alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ccviz.problem.asked import read_asked
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.solvers import SOLVERS, Solver
from ccviz.solvers.advice import obstacle

Level = Literal["no", "may break", "yes", "bound", "proof"]
"""From refusal to a proof of the optimum; "bound" and "proof" include a clustering."""


class Kind(NamedTuple):
    """A kind of constraint.

    Attributes
    ----------
    name : str
        Words for it; of a rule its word and sign.
    given : dict
        Arguments of a `Problem` over six points and two clusters.
    rules : tuple of str
    can_break : bool
        Whether a clustering may break it, as a solver that only prefers links does.
    """

    name: str
    given: dict[str, Any] = {}  # noqa: RUF012 - never changed
    rules: tuple[str, ...] = ()
    can_break: bool = False


_X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])
_KNOWN = (0, 0, 0, 1, 1, 1)
_COLUMN = (1.0, 2.0, 3.0, 2.0, 1.0, 3.0)
_WEIGHTS = [1.0, 2.0, 1.0, 3.0, 1.0, 0.5]

KINDS = (
    Kind("must-link", {"must_link": [(0, 1)]}, can_break=True),
    Kind("cannot-link", {"cannot_link": [(0, 1)]}, can_break=True),
    Kind("soft links", {"must_link": [(0, 3, 1.0)], "cannot_link": [(0, 1, 1.0)]}),
    Kind("exact sizes", {"sizes": [2, 4]}),
    Kind("ranges", {"sizes": ([2, 2], [4, 4])}),
    Kind("equal sizes", {"sizes": [3, 3]}),
    Kind("diameter<=", rules=("diameter<=5",), can_break=True),
    Kind("separation>=", rules=("separation>=1.5",), can_break=True),
    Kind("size<=", rules=("size<=4",)),
    Kind("size>=", rules=("size>=2",)),
    Kind("overlap()<=", rules=("overlap(known)<=2",)),
    Kind("difference()>=", rules=("difference(known)>=1",)),
    Kind("outside()<=", rules=("outside(known)<=1",)),
    Kind("conflicts<=", {"cannot_link": [(0, 1, 1.0), (1, 2, 1.0)]}, rules=("conflicts<=1",)),
    Kind("sum()<=", rules=("sum(column)<=60%",)),
    Kind("sum()>=", rules=("sum(column)>=40%",)),
    Kind("A or B", rules=("size<=2 or overlap(known)<=2",)),
    Kind("weights", {"weights": _WEIGHTS}),
    Kind("weights and sizes", {"weights": _WEIGHTS, "sizes": [3, 3]}),
    Kind("outliers", {"outliers": 1}),
    Kind("fixed centres", {"fixed_centers": [[0.5]]}),
)


@dataclass(frozen=True)
class Cell:
    """What a solver does with a kind of constraint.

    Attributes
    ----------
    level : str
        "no": it refuses; "may break": it accepts hard links and may break them; "yes": it has a
        clustering that keeps or weighs it; "bound": a lower bound too; "proof": the optimum.
    why : str
        The reason of a refusal, as the page has it.
    """

    level: Level
    why: str = ""


def sample(kind: Kind, keeps_rules: bool) -> Problem:
    """Return a small problem with a constraint, as a solver is given it.

    Parameters
    ----------
    kind : Kind
    keeps_rules : bool
        Whether the solver keeps rules by itself.
    """
    rules = [read_asked(text, lambda _: _KNOWN, lambda _: _COLUMN) for text in kind.rules]
    return with_rules(Problem(_X, 2, **kind.given), rules, keeps_rules)


def cell(solver: type[Solver], kind: Kind) -> Cell:
    """Return what a solver does with a kind of constraint.

    Parameters
    ----------
    solver : type of Solver
    kind : Kind
    """
    supports = solver.supports
    problem = sample(kind, supports.rules)
    why = obstacle(solver, problem)
    if why:
        return Cell("no", why)
    if kind.can_break and not supports.hard:
        return Cell("may break")
    if supports.exact:
        return Cell("proof")
    return Cell("bound" if supports.bounds else "yes")


def matrix() -> dict[str, dict[str, Cell]]:
    """Return the cells of all solvers, by their names and the names of `KINDS`."""
    return {solver.name: {kind.name: cell(solver, kind) for kind in KINDS} for solver in SOLVERS}
