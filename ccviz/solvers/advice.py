"""Which solver to take: one for the problem at hand, and why the others cannot have it."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.errors import UnsupportedError
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers import SOLVERS, Solver

_PROVED_BLOCKS = 200
"""Blocks up to which an exact solver usually proves the optimum while somebody waits."""

_FEW_POINTS = 5000
_CROWDED = 4
"""Points a cluster below which clusters are so small that they can be listed."""


@dataclass(frozen=True)
class Advice:
    """A solver to take.

    Attributes
    ----------
    solver : str
        Its name.
    why : str
        A sentence.
    """

    solver: str
    why: str


def advice(problem: Problem, keeping: Problem | None = None, but: str = "") -> Advice:
    """Return the solver to take for a problem.

    Parameters
    ----------
    problem : Problem
    keeping : Problem, optional
        The same for solvers that keep rules by themselves, where that differs; see
        `ccviz.problem.reduction.with_rules`.
    but : str
        A solver that was tried in vain.

    Returns
    -------
    Advice

    Raises
    ------
    UnsupportedError
        If no solver can have the problem.
    """
    cannot = {*obstacles(problem, keeping), but}
    best = _best(problem)
    if best.solver not in cannot:
        return best
    for other in _OTHERS:
        if other.solver not in cannot:
            return other
    raise UnsupportedError("no solver keeps all of this together; take something away.")


def _best(problem: Problem) -> Advice:
    if problem.rules:
        return _RULES
    if problem.is_soft:
        if problem.n > _FEW_POINTS and problem.sizes is None:
            return Advice("pck-means", "It weighs soft links, and is quick with so many points.")
        return Advice("bh-kmeans", "It weighs soft links against distances, and keeps hard ones.")
    if problem.sizes is not None:
        return Advice("blp-kmeans", "It keeps the sizes, and every link.")
    blocks = contract(problem).s
    if blocks <= _PROVED_BLOCKS:
        if problem.n < _CROWDED * problem.k:
            return Advice("colgen", "So small clusters it lists, and proves which are best.")
        return Advice("sdp", "With so few points it proves the best clustering while you wait.")
    return Advice("blp-kmeans", "It keeps every link, and is quick with so many points.")


_RULES = Advice("colgen", "It keeps rules on clusters.")
_OTHERS = (
    Advice("blp-kmeans", "It keeps every hard link, and sizes."),
    Advice("bh-kmeans", "It weighs soft links against distances, and keeps hard ones and sizes."),
    Advice("ipc-kmeans", "It keeps every hard link, and begins again where it is stuck."),
    _RULES,
)
"""Where the best one cannot have it, or was tried."""


def obstacles(problem: Problem, keeping: Problem | None = None) -> dict[str, str]:
    """Return which solvers cannot have a problem.

    Parameters
    ----------
    problem : Problem
    keeping : Problem, optional
        The same for solvers that keep rules by themselves.

    Returns
    -------
    dict
        By their names, each with the reason in a few words.
    """
    asked = ((kind, (keeping if kind.supports.rules else None) or problem) for kind in SOLVERS)
    return {kind.name: why for kind, each in asked if (why := _obstacle(kind, each))}


def _obstacle(kind: type[Solver], problem: Problem) -> str:
    missing = kind.supports.missing(problem)
    if missing:
        return f"no {' or '.join(missing)}"
    try:
        kind().check(problem)
    except UnsupportedError:
        return "too many points"
    return ""
