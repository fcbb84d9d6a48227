"""The solver to recommend for a problem, and why other solvers do not support it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ccviz.errors import UnsupportedError
from ccviz.problem.asked import read_asked
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.problem.rules import RULE_KINDS
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

_FEW_SUMS = 10_000
"""Largest number of points, with limits on sums, for which `regions` has an answer in seconds."""

_GROUPS = 5_000_000
"""Largest number of groups of the largest size, with soft links, for which `colgen` is quicker."""

_WISHING_BLOCKS, _GROUP = 60, 8
"""Largest numbers of blocks, and of points in a cluster, for which it is if links alone cost."""

_LISTED, _LISTED_BLOCKS = 50_000, 16
"""Most clusters that `colgen` lists, and blocks of which limits on sums leave no more sets."""

_CROWDED = 4  # Points per cluster below which `colgen` can enumerate the clusters
_PLANE_BLOCKS = 700  # Largest number of blocks in the plane for which `colgen` is quick
_PLANE_POINTS = 60  # Largest number of points per cluster in the plane for which `colgen` is quick
_MANY_BLOCKS = 200  # Largest number of blocks in the plane for which `sdp` is as quick as `colgen`
_FEW_CLUSTERS = 10  # Largest number of clusters for which a bound for many points is quick

_TREE_BLOCKS = 4000
"""Largest number of blocks for which `sdp` may leave a smaller gap than `divide`."""

_TREE_S = 60.0  # Least time limit in seconds with which it does
_DIVIDE_S = 10.0  # Least time limit in seconds for `divide`
_CUT_A_SECOND = 500  # Blocks per second that `divide` partitions and bounds on a hard data set


@dataclass(frozen=True)
class Advice:
    """A recommended solver."""

    solver: str
    why: str


def advice(
    problem: Problem, keeping: Problem | None = None, but: str = "", seconds: float | None = None
) -> Advice:
    """Return the solver to recommend for a problem.

    `keeping`: The same for solvers that keep rules by themselves, where that differs; see
    `ccviz.problem.reduction.with_rules`. `seconds`: Seconds that a run may take; without a limit it
    may take as long as it needs.
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
    if problem.neighbors is not None or problem.outliers or problem.fixed:
        return _of_few(problem)
    if problem.rules:
        return _with_sums(problem)
    if problem.is_soft:
        return _with_soft_links(problem, contract(problem))
    if problem.sizes is not None:
        if contract(problem).s <= _PROVED_BLOCKS:
            return Advice("sdp", "It keeps the sizes, and proves how good its clustering is.")
        return Advice("blp-kmeans", "It keeps the sizes, and every link.")
    quick = Advice("blp-kmeans", "It keeps every link, and is quick with many points.")
    return _proving(problem, contract(problem).s, seconds) or quick


def _with_sums(problem: Problem) -> Advice:
    if _can_list(problem):
        return Advice("colgen", "It looks at every cluster, and proves which are best.")
    if contract(problem).s <= _PROVED_BLOCKS and not problem.is_soft:
        return Advice("sdp", "It keeps the limits on sums, and bounds how good an answer is.")
    if problem.is_soft:
        return Advice("bh-kmeans", "It weighs soft links, and keeps the limits on sums.")
    if problem.n <= _FEW_SUMS:
        return Advice("regions", "It finds groups that keep limits on sums, and every link.")
    return Advice("blp-kmeans", "It keeps the limits on sums, and every hard link.")


def _can_list(problem: Problem) -> bool:
    """Whether there are few enough sets of blocks for `colgen` to look at each."""
    blocks, sizes = contract(problem), problem.sizes
    if blocks.s <= _LISTED_BLOCKS:
        return True
    if sizes is None or blocks.s > _SOFT_BLOCKS:
        return False
    ways = np.zeros(int(sizes.upper.max()) + 1)  # sets of blocks by their number of points
    ways[0] = 1.0
    for points in blocks.count.astype(np.int64).tolist():
        ways[points:] += ways[:-points]
    return bool(ways[int(sizes.lower.min()) :].sum() <= _LISTED)


def _with_soft_links(problem: Problem, blocks: Blocks) -> Advice:
    if problem.sizes is not None and _has_few_groups(problem, blocks):
        return Advice("colgen", "It proves which small groups break the fewest soft links.")
    if blocks.s <= _SOFT_BLOCKS:
        return Advice("sdp", "It weighs soft links, and proves how good its clustering is.")
    if problem.n > _FEW_POINTS and problem.sizes is None:
        return Advice("pck-means", "It weighs soft links, and is quick with many points.")
    return Advice("bh-kmeans", "It weighs soft links against distances, and keeps hard ones.")


def _has_few_groups(problem: Problem, blocks: Blocks) -> bool:
    """Whether clusters have few candidates, or are small with links that carry the cost."""
    assert problem.sizes is not None
    largest = int(problem.sizes.upper.max())
    if blocks.s > _SOFT_BLOCKS or largest > _GROUP:
        return False
    if math.comb(blocks.s, largest) <= _GROUPS:
        return True
    away = problem.X - problem.X.mean(axis=0, dtype=np.float64)
    scatter = float(problem.masses @ (away**2).sum(axis=1))
    carried = sum(
        float(links.soft.weights.sum()) for links in (problem.must_link, problem.cannot_link)
    )
    return blocks.s <= _WISHING_BLOCKS and 100.0 * scatter <= carried


def _of_few(problem: Problem) -> Advice:
    """Return the advice on what few solvers can."""
    if problem.neighbors is not None and contract(problem).s > _PROVED_BLOCKS:
        return Advice("regions", "It keeps clusters connected, and is quick with many points.")
    if problem.neighbors is not None:
        return Advice("sdp", "It keeps clusters connected, and proves how good an answer is.")
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

    `keeping`: The same for solvers that keep rules by themselves. Returns: By their names, each
    with the reason in a few words.
    """
    asked = ((kind, (keeping if kind.supports.rules else None) or problem) for kind in SOLVERS)
    return {kind.name: why for kind, each in asked if (why := obstacle(kind, each))}


def obstacle(kind: type[Solver], problem: Problem) -> str:
    """Return why a solver does not support a problem, in a few words; empty if it does."""
    missing = kind.supports.missing(problem)
    if missing:
        return f"no {' or '.join(missing)}"
    try:
        kind().check(problem)
    except UnsupportedError:
        return "too many points"
    return ""


# --------------------------------------------------------------------------------------------------
# What each solver does with each kind of constraint: one matrix, from what solvers declare.
#
# A cell is worked out by the same question that makes a solver grey on the page
# (`ccviz.solvers.advice.obstacles`), asked of a small problem with that constraint alone.

Level = Literal["no", "may break", "yes", "bound", "proof"]
"""From refusal to a proof of the optimum; "bound" and "proof" include a clustering."""


class Kind(NamedTuple):
    """A kind of constraint."""

    name: str  # Words for it; of a rule its word and sign
    # Arguments of a `Problem` over six points and two clusters.
    given: dict[str, Any] = {}  # noqa: RUF012 - never changed
    rules: tuple[str, ...] = ()
    # Whether a clustering may break it, as a solver that only prefers links does.
    can_break: bool = False


_X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])
_KNOWN = (0, 0, 0, 1, 1, 1)
_COLUMN = (1.0, 2.0, 1.0, 2.0, 1.0, 3.0)
_WEIGHTS = [1.0, 2.0, 1.0, 3.0, 1.0, 0.5]

KINDS = (
    Kind("must-link", {"must_link": [(0, 1)]}, can_break=True),
    Kind("cannot-link", {"cannot_link": [(0, 1)]}, can_break=True),
    Kind("soft links", {"must_link": [(0, 3, 1.0)], "cannot_link": [(0, 1, 1.0)]}),
    Kind("exact sizes", {"sizes": [2, 4]}),
    Kind("ranges", {"sizes": ([2, 2], [4, 4])}),
    Kind("equal sizes", {"sizes": [3, 3]}),
    *(
        Kind(
            kind.name,
            {"cannot_link": [*kind.sample_links]} if kind.sample_links else {},
            (kind.sample,),
            can_break=kind.is_links,
        )
        for kind in RULE_KINDS.values()
    ),
    Kind("A or B", rules=("size<=2 or overlap(known)<=2",)),
    Kind("weights", {"weights": _WEIGHTS}),
    Kind("weights and sizes", {"weights": _WEIGHTS, "sizes": [3, 3]}),
    Kind("outliers", {"outliers": 1}),
    Kind("fixed centres", {"fixed_centers": [[0.5]]}),
)


@dataclass(frozen=True)
class Cell:
    """What a solver does with a kind of constraint."""

    # "no": it refuses; "may break": it accepts hard links and may break them; "yes": it has a
    # clustering that keeps or weighs it; "bound": a lower bound too; "proof": the optimum.
    level: Level
    why: str = ""  # The reason of a refusal, as the page has it


def sample(kind: Kind, keeps_rules: bool) -> Problem:
    """Return a small problem with a constraint, as a solver is given it."""
    rules = [read_asked(text, lambda _: _KNOWN, lambda _: _COLUMN) for text in kind.rules]
    return with_rules(Problem(_X, 2, **kind.given), rules, keeps_rules)


def _cell(solver: type[Solver], problem: Problem, can_break: bool) -> Cell:
    supports = solver.supports
    why = obstacle(solver, problem)
    if why:
        return Cell("no", why)
    if can_break and not supports.hard:
        return Cell("may break")
    if supports.exact:
        return Cell("proof")
    return Cell("bound" if supports.bounds else "yes")


def matrix() -> dict[str, dict[str, Cell]]:
    """Return the cells of all solvers, by their names and the names of `KINDS`."""
    samples = {keeps: [sample(kind, keeps) for kind in KINDS] for keeps in (False, True)}
    return {
        solver.name: {
            kind.name: _cell(solver, problem, kind.can_break)
            for kind, problem in zip(KINDS, samples[solver.supports.rules], strict=True)
        }
        for solver in SOLVERS
    }
