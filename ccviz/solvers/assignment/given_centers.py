"""All centres given, and sizes: clusterings of least cost by linear programs and branching.

About given centres every point has a cost at each of them, so the cheapest clustering under sizes
is a transportation problem. Its prices p of the clusters are a certificate, since with l and u the
fewest and the most points of a cluster every clustering costs at least

    sum over points of the least (cost at j - p_j) over j + sum over j of p_j l_j or p_j u_j,

whichever of the last two is less. With links it is a linear program over blocks, with a price of
each pair that is apart at each centre. Where its solution tears a block, the search branches on
whether the block belongs to a centre, as a link to the heavy point that represents the centre
(`ccviz.problem.fixed_centers`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ContradictionError
from ccviz.events import Event, IncumbentFound, NodeOpened
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.fixed_centers import HEAVY
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.assignment.transport import solve_sizes
from ccviz.solvers.base import Context, Solver
from ccviz.solvers.search.branch_and_bound import Known, branch_and_bound
from ccviz.solvers.search.decisions import PairDecision, under_decisions
from ccviz.solvers.search.tree import Report, Task

_WHOLE = 1e-6  # Distance from a whole number, and share of a cost, that is rounding
_LEAVES_ONE = "The only clustering that is left breaks a size."
_TOO_MUCH = "No clustering costs as much as the sizes and links would ask for."


def is_transport(problem: Problem) -> bool:
    """Whether all centres of a problem are given, and sizes."""
    return 0 < problem.fixed == problem.k and problem.limits_sizes


def is_unlinked_transport(problem: Problem) -> bool:
    """Whether one transportation problem is all of it."""
    return is_transport(problem) and not has_links(problem)


def has_links(problem: Problem) -> bool:
    """Whether there are hard links, beside those that keep given centres apart."""
    between = math.comb(problem.fixed, 2)
    return contract(problem).s < problem.n or len(problem.cannot_link.hard) > between


def about_centers(
    problem: Problem, context: Context, tolerance: float, order: str, first: Solver
) -> Iterator[Event]:
    """Yield the events of a search, which has one node where there are no links.

    `first`: What finds a clustering to begin with where there are links.
    """
    best, before = math.inf, {type(record.event) for record in context.history}
    if has_links(problem) and NodeOpened not in before:
        for event in first.steps(problem, context):
            if isinstance(event, IncumbentFound):
                cost = Partition(problem, event.labels).objective
                if cost < best:
                    best = cost
                    yield event
    yield from branch_and_bound(
        problem, context, partial(advance, problem),
        tolerance=tolerance, order=order, known=Known(upper_bound=best),
    )  # fmt: skip


def advance(problem: Problem, task: Task) -> Report:
    """Bound a node, and take its clustering if no block is torn."""
    try:
        blocks = contract(under_decisions(problem, task.decisions))
    except ContradictionError as wrong:
        return Report("infeasible", math.inf, detail=str(wrong), witness=tuple(wrong.chain))
    each = _costs(problem)
    most = float(each.max(axis=1).sum())
    if not has_links(problem):
        labels, prices = _transported(problem, each)
        bound = float((each - prices).min(axis=1).sum()) + _for_sizes(problem, prices)
        return _integral(problem, bound, labels, {"prices": prices})
    costs = np.zeros((blocks.s, problem.k))
    np.add.at(costs, blocks.block_of[: problem.n_points], each)
    costs[~_allowed(problem, blocks)] = np.inf
    share, bound, certificate = _linear(problem, blocks, costs, 4.0 * most or 1.0)
    if bound > most * (1.0 + _WHOLE):
        return Report("infeasible", math.inf, detail=_TOO_MUCH, certificate=certificate)
    torn = np.flatnonzero(np.abs(share - np.round(share)).max(axis=1) > _WHOLE)
    if len(torn) == 0:
        labels = share.argmax(axis=1)[blocks.block_of[: problem.n_points]]
        whole = np.append(labels, np.arange(problem.k))
        if Partition(problem, whole).violations.none_hard:
            return _integral(problem, bound, labels, certificate)
        torn = np.flatnonzero(np.isfinite(costs).sum(axis=1) > 1)
    if len(torn) == 0:
        return Report("infeasible", math.inf, detail=_LEAVES_ONE)
    block = torn[np.argsort(share[torn].max(axis=1))[0]]
    point = int(np.flatnonzero(blocks.block_of == block)[0])
    branch = PairDecision(point, problem.n_points + int(share[block].argmax()), together=True)
    bound *= _least_share(problem)
    return Report("branch", bound, branch=branch, certificate=certificate)


def _integral(
    problem: Problem, bound: float, labels: IntArray, certificate: dict[str, np.ndarray]
) -> Report:
    labels = np.append(labels, np.arange(problem.k))
    bound *= _least_share(problem)
    return Report("integral", bound, labels, "transportation", certificate=certificate)


def transport_labels(problem: Problem) -> IntArray:
    """Return the (n,) labels of least cost, without links."""
    return np.append(_transported(problem, _costs(problem))[0], np.arange(problem.k))


def _least_share(problem: Problem) -> float:
    """Return the least share of its cost about given centres that a clustering of points costs."""
    assert problem.sizes is not None
    n = problem.n_points
    return HEAVY * n / (HEAVY * n + min(n, float(problem.sizes.upper.max())))


def _costs(problem: Problem) -> FloatArray:
    """Return the (n_points, k) squared distances to the centres."""
    X, centers = np.split(problem.X, [problem.n_points])
    return np.stack([((X - center) ** 2).sum(axis=1) for center in centers], axis=1)


def _allowed(problem: Problem, blocks: Blocks) -> np.ndarray:
    """Return (s, k) bool: which centres a block may have."""
    own = blocks.block_of[problem.n_points :]
    allowed = ~blocks.conflict_graph[:, own].toarray().astype(bool)
    allowed[own] = np.eye(problem.k, dtype=bool)
    return allowed


def _for_sizes(problem: Problem, prices: FloatArray) -> float:
    sizes = problem.sizes
    assert sizes is not None
    return float(np.minimum(prices * sizes.lower, prices * sizes.upper).sum())


def _transported(problem: Problem, costs: FloatArray) -> tuple[IntArray, FloatArray]:
    sizes = problem.sizes
    assert sizes is not None
    lower, upper = sizes.lower.copy(), np.minimum(sizes.upper, len(costs))  # the kernel's types
    _, labels, prices = solve_sizes(lambda rows: costs[rows], len(costs), lower, upper, None)
    return labels, prices


# The linear program: the share x of each block at each centre it may have. At the price `barred` a
# block may be nowhere, and a cluster lack a point: so it always has a solution, and one that costs
# more than every clustering proves that there is none.


def _linear(
    problem: Problem, blocks: Blocks, costs: FloatArray, barred: float
) -> tuple[FloatArray, float, dict[str, np.ndarray]]:
    """Return (s, k) shares, what every clustering costs at least, and the prices that prove it."""
    (s, k), sizes = costs.shape, problem.sizes
    assert sizes is not None
    row, column = np.nonzero(np.isfinite(costs))
    x = np.arange(len(row))
    number = np.full((s, k), -1)
    number[row, column] = x
    both = number[blocks.conflicts].transpose(0, 2, 1)  # of each pair at each centre
    pair, at = np.nonzero((both >= 0).all(axis=2))
    m = len(pair)
    of_size = _matrix(column, x, (k, len(x)), blocks.count[row])
    of_link = _matrix(np.repeat(np.arange(m), 2), both[pair, at].ravel(), (m, len(x)))
    lack = _matrix(k + np.arange(k), np.arange(k), (2 * k + m, k + s), np.full(k, -1.0))
    nowhere = _matrix(np.arange(s), k + np.arange(s), (s, k + s))
    unit = barred / problem.n_points  # the solver's tolerances are absolute
    found = scipy.optimize.linprog(
        np.concatenate([costs[row, column], np.full(k + s, barred)]) / unit,
        scipy.sparse.hstack([scipy.sparse.vstack([of_size, -of_size, of_link]), lack]),
        np.concatenate([sizes.upper, -sizes.lower, np.ones(m)]),
        scipy.sparse.hstack([_matrix(row, x, (s, len(x))), nowhere]),
        np.ones(s),
        method="highs",
    )
    share, duals = np.zeros((s, k)), np.zeros(2 * k + m)
    share[row, column] = 1.0 / np.bincount(row, minlength=s)[row]  # undecided
    if found.status == 0:
        share[row, column] = found.x[: len(x)]
        duals = unit * found.ineqlin.marginals
    apart = np.zeros((len(blocks.conflicts), k))
    apart[pair, at] = np.maximum(-duals[2 * k :], 0.0)
    prices = duals[:k] - duals[k : 2 * k]
    added = np.zeros((s, k))
    for side in blocks.conflicts.T:
        np.add.at(added, side, apart)
    bound = (costs - np.outer(blocks.count, prices) + added).min(axis=1).sum() - apart.sum()
    certificate = {"prices": prices}
    if (paid := apart.any(axis=1)).any():
        certificate |= {"apart_pairs": blocks.conflicts[paid], "apart_prices": apart[paid]}
    return share, float(bound) + _for_sizes(problem, prices), certificate


def _matrix(
    row: IntArray, column: IntArray, shape: tuple[int, int], values: FloatArray | None = None
) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array(
        (np.ones(len(row)) if values is None else values, (row, column)), shape
    )
