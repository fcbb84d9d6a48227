"""A good clustering to begin with: its gap is what the parts will certify."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ccviz.arrays import IntArray
from ccviz.events import Assigned, IncumbentFound, InfeasibilityProved
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import Blocks
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver
from ccviz.solvers.bh_kmeans import BhKMeans
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.common.clusters import nearest_centers
from ccviz.solvers.relaxation.block_exchange import exchange_blocks
from ccviz.solvers.relaxation.kempe_exchange import exchange
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.s_mdeclust import SMdeClust

_MEMETIC_WORK = 60_000  # blocks times clusters up to which the memetic solver is used
_STARTS = 5  # starts of BLP k-means for larger problems, and under sizes
_SWAPPED = 6_000  # blocks up to which all swaps of a pair are tried, under sizes or soft links

Answer = tuple[IntArray, str] | InfeasibilityProved


def staged_clusterings(
    problem: Problem, blocks: Blocks, context: Context, method: str
) -> Iterator[Answer]:
    """Yield clusterings of the blocks, (s,) labels and their source, or the proof of none.

    The first comes after an assignment or two, however many points there are. Under sizes all
    clusterings come from BLP k-means, and swaps that keep the sizes; under rules from BLP k-means
    alone. With soft links BH-kmeans takes its place. Otherwise BLP k-means starts from the centres
    of `ccviz.solvers.start.crossing`, and with cannot-links from others, too.

    Parameters
    ----------
    problem : Problem
    blocks : Blocks
        Its blocks.
    context : Context
    method : {"auto", "memetic", "blp-kmeans"}
        Source of the clusterings after one start of BLP k-means; "auto" is the memetic solver where
        that takes seconds, else BLP k-means again. Under sizes it is always BLP k-means.
    """
    found: Answer | None = None
    first = BhKMeans() if problem.is_soft else BlpKMeans()
    for solver in (first, _thorough(method, problem, blocks)):
        if isinstance(solver, BlpKMeans) and solver is not first and _is_plain(blocks):
            context = replace(context, labels=_crossed(blocks, context))
        for found in _answers(solver, problem, blocks, context):
            yield found
            if isinstance(found, InfeasibilityProved) or context.stop():
                return
        if isinstance(found, tuple):  # of the solver's answers the last is the best
            yield _exchanged(blocks, found[0]), "exchange"
    if found is None and (known := check_feasibility(problem)).labels is not None:
        yield blocks.project(known.labels), "feasibility"


def _exchanged(blocks: Blocks, labels: IntArray) -> IntArray:
    """Return the labels after improving exchanges that keep links and sizes."""
    if blocks.rules:
        return labels
    if blocks.sizes is None and not (len(blocks.soft_must) or len(blocks.soft_cannot)):
        return exchange(blocks, relax(blocks), labels)
    if blocks.s > _SWAPPED:
        return labels
    return exchange_blocks(blocks, relax(blocks), labels)


def _thorough(method: str, problem: Problem, blocks: Blocks) -> Solver:
    if problem.is_soft:
        return BhKMeans(n_init=_STARTS)
    if not _is_plain(blocks):
        return BlpKMeans(n_init=_STARTS)
    if method == "memetic" or (method == "auto" and blocks.s * blocks.k <= _MEMETIC_WORK):
        return SMdeClust(restarts=0)
    return BlpKMeans(n_init=_STARTS if len(blocks.conflicts) else 1)


def _is_plain(blocks: Blocks) -> bool:
    """Whether no cluster has sizes or rules to keep."""
    return blocks.sizes is None and not blocks.rules


def _crossed(blocks: Blocks, context: Context) -> IntArray:
    """Return labels of the points whose centres are where BLP k-means starts."""
    # Imported here: it loads compiled code.
    from ccviz.solvers.start.crossing import crossed_centers

    centers = crossed_centers(blocks, context.seed, context.stop)
    return blocks.lift(nearest_centers(blocks.centroid, centers))


def _answers(
    solver: Solver, problem: Problem, blocks: Blocks, context: Context
) -> Iterator[Answer]:
    """Yield what a solver finds; if it is stopped on its way, its last assignment as well."""
    last: IntArray | None = None
    for event in solver.steps(problem, replace(context, history=())):
        match event:
            case Assigned():
                last = blocks.project(event.labels)
            case IncumbentFound():
                last = None
                yield blocks.project(event.labels), solver.name
            case InfeasibilityProved():
                yield event
        if context.stop():
            break
    if last is not None:
        yield last, solver.name
