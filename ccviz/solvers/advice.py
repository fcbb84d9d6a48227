"""The solver to recommend for a problem, and why other solvers do not support it."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.errors import UnsupportedError
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.problem.sums import sum_limits
from ccviz.solvers import SOLVERS, Solver
from ccviz.solvers.forecast import forecast

# The limits are chosen by benchmarks/results/advised.md; those in the plane by plane.md.
_PROVED_BLOCKS = 500
"""Largest number of blocks for which an exact solver usually proves the optimum in a minute."""

_SOFT_BLOCKS = 250
"""Largest number of blocks, with soft links, whose gap is usually below 1 % after a minute."""

_FEW_BLOCKS = 60
"""Largest number of blocks, with outliers, for which `colgen` usually proves the optimum."""

_FEW_POINTS = 5000
"""Largest number of points, with soft links, for which `bh-kmeans` is recommended."""

_CROWDED = 4
"""Points per cluster below which `colgen` can enumerate the clusters."""

_PLANE_BLOCKS = 700
"""Largest number of blocks in the plane for which `colgen` is quick."""

_PLANE_POINTS = 60
"""Largest number of points per cluster in the plane for which `colgen` is quick."""

_MANY_BLOCKS = 200
"""Largest number of blocks in the plane for which `sdp` is as quick as `colgen`."""

_FEW_CLUSTERS = 10
"""Largest number of clusters for which a bound for many points is quick."""

_TREE_BLOCKS = 4000
"""Largest number of blocks for which `sdp` may leave a smaller gap than `divide`."""

_TREE_S = 60.0
"""Least time limit in seconds with which it does."""

_DIVIDE_S = 10.0
"""Least time limit in seconds for `divide`."""

_CUT_A_SECOND = 500
"""Blocks per second that `divide` partitions and bounds on a hard data set."""


@dataclass(frozen=True)
class Advice:
    """A recommended solver.

    Attributes
    ----------
    solver : str
        Its name.
    why : str
        A sentence.
    """

    solver: str
    why: str


def advice(
    problem: Problem,
    keeping: Problem | None = None,
    but: str = "",
    seconds: float | None = None,
) -> Advice:
    """Return the solver to recommend for a problem.

    Parameters
    ----------
    problem : Problem
    keeping : Problem, optional
        The same for solvers that keep rules by themselves, where that differs; see
        `ccviz.problem.reduction.with_rules`.
    but : str
        A solver that was tried in vain.
    seconds : float, optional
        Seconds that a run may take; without a limit it may take as long as it needs.

    Returns
    -------
    Advice

    Raises
    ------
    UnsupportedError
        If no solver supports the problem.
    """
    cannot = {*obstacles(problem, keeping), but}
    best = _with_forecast(_best(problem, seconds), problem, seconds)
    if best.solver not in cannot:
        return best
    for other in _OTHERS:
        if other.solver not in cannot:
            return other
    raise UnsupportedError("no solver keeps all of this together; take something away.")


def _with_forecast(best: Advice, problem: Problem, seconds: float | None) -> Advice:
    """Return the advice with the time of a proof, where such proofs were measured."""
    found = forecast(problem, best.solver)
    if found is None or found.beyond or found.gap:
        return best
    late = " The time limit may end it before." if seconds and seconds < found.high else ""
    return Advice(best.solver, f"{best.why} {found.words}{late}")


def _best(problem: Problem, seconds: float | None) -> Advice:
    if len(problem.rules) > len(sum_limits(problem)):
        return _RULES
    if problem.outliers or problem.fixed:
        return _with_centers(problem)
    if problem.rules:
        if contract(problem).s <= _PROVED_BLOCKS and not problem.is_soft:
            return Advice("sdp", "It keeps the limits on sums, and bounds how good an answer is.")
        return Advice("bh-kmeans", "It keeps the limits on sums, and every hard link.")
    if problem.is_soft:
        if contract(problem).s <= _SOFT_BLOCKS:
            return Advice("sdp", "It weighs soft links, and proves how good its clustering is.")
        if problem.n > _FEW_POINTS and problem.sizes is None:
            return Advice("pck-means", "It weighs soft links, and is quick with many points.")
        return Advice("bh-kmeans", "It weighs soft links against distances, and keeps hard ones.")
    if problem.sizes is not None:
        if contract(problem).s <= _PROVED_BLOCKS:
            return Advice("sdp", "It keeps the sizes, and proves how good its clustering is.")
        return Advice("blp-kmeans", "It keeps the sizes, and every link.")
    quick = Advice("blp-kmeans", "It keeps every link, and is quick with many points.")
    return _proving(problem, contract(problem).s, seconds) or quick


def _with_centers(problem: Problem) -> Advice:
    what = "keeps fixed centres" if problem.fixed else "leaves outliers out"
    all_given = problem.fixed == problem.k and not problem.is_soft  # then the bound is soon tight
    if all_given or contract(problem).s <= _FEW_BLOCKS:
        return Advice("colgen", f"It {what}, and proves how good its clustering is.")
    return Advice("blp-kmeans", f"It {what}, and keeps every link.")


def _proving(problem: Problem, blocks: int, seconds: float | None) -> Advice | None:
    """Return a solver that proves a bound within the time limit; None if that is not sure."""
    if blocks <= _PROVED_BLOCKS and problem.n < _CROWDED * problem.k:
        return Advice("colgen", "It lists small clusters, and proves which are best.")
    in_the_plane = problem.X.shape[1] <= 2 and problem.n < _PLANE_POINTS * problem.k
    if in_the_plane and _MANY_BLOCKS < blocks <= _PLANE_BLOCKS:
        return Advice("colgen", "It proves the best clustering of points in the plane.")
    if blocks <= _PROVED_BLOCKS:
        return Advice("sdp", "With few points it proves the best clustering.")
    if seconds is None or problem.k > _FEW_CLUSTERS:
        return None
    if seconds < max(_DIVIDE_S, blocks / _CUT_A_SECOND):
        return None
    if blocks <= _TREE_BLOCKS and seconds >= _TREE_S:
        return Advice("sdp", "In that time it proves how good its clustering is, and improves it.")
    return Advice("divide", "In that time it proves how good its clustering is.")


_RULES = Advice("colgen", "It keeps rules on clusters.")
_OTHERS = (
    Advice("blp-kmeans", "It keeps every hard link, and sizes."),
    Advice("bh-kmeans", "It weighs soft links against distances, and keeps hard ones and sizes."),
    Advice("ipc-kmeans", "It keeps every hard link, and restarts where it is stuck."),
    _RULES,
)
"""Recommended where the best solver does not support the problem, or was tried."""


def obstacles(problem: Problem, keeping: Problem | None = None) -> dict[str, str]:
    """Return the solvers that do not support a problem.

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
    return {kind.name: why for kind, each in asked if (why := obstacle(kind, each))}


def obstacle(kind: type[Solver], problem: Problem) -> str:
    """Return why a solver does not support a problem, in a few words; empty if it does.

    Parameters
    ----------
    kind : type of Solver
    problem : Problem
        As the solver is given it.

    Returns
    -------
    str
    """
    missing = kind.supports.missing(problem)
    if missing:
        return f"no {' or '.join(missing)}"
    try:
        kind().check(problem)
    except UnsupportedError:
        return "too many points"
    return ""
