"""Colouring under sizes and limits on sums: a quick try, and the exact model for HiGHS.

Blocks without conflicts differ only by their amounts, so the model counts them by amounts in each
cluster; only blocks with conflicts get a column for each cluster of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.links import graph_of

if TYPE_CHECKING:
    import highspy

_SLACK = 1e-5
"""Excess over a limit on a sum that the model allows, in mean sums: more than HiGHS tolerates.

So what HiGHS calls infeasible is so beyond its tolerances.
"""


def never() -> bool:
    """Return that there is no reason to stop."""
    return False


_MOST_ROWS = 5_000_000
"""Most rows of a model: HiGHS would load a larger one for minutes."""


@dataclass(frozen=True, eq=False)
class Packing:
    """Blocks to be packed into k clusters."""

    # (q, s): What each block adds to its cluster: points, then the values of a column for each
    # limit on its sum. Sums of them are exact.
    amounts: FloatArray
    edges: IntArray  # (e, 2): Blocks that must be apart
    lower: FloatArray  # lower, upper, (q, k): Limits on the amounts of each cluster
    upper: FloatArray

    @property
    def s(self) -> int:
        """Number of blocks."""
        return self.amounts.shape[1]

    @property
    def k(self) -> int:
        """Number of clusters."""
        return self.lower.shape[1]

    @cached_property
    def unit(self) -> FloatArray:
        """(q, 1) the mean amounts of a cluster, to compare and to scale by."""
        unit = np.abs(self.amounts).sum(axis=1, keepdims=True) / self.k
        return np.where(unit > 0.0, unit, 1.0)

    def keeps(self, labels: IntArray) -> bool:
        """Return whether labels keep the limits and the blocks apart."""
        load = np.array([np.bincount(labels, row, self.k) for row in self.amounts])
        apart = labels[self.edges[:, 0]] != labels[self.edges[:, 1]]
        return bool(apart.all() and (load >= self.lower).all() and (load <= self.upper).all())


def pack_quickly(packing: Packing) -> IntArray | None:
    """Return (s,) labels found by one greedy pass, None if the pass finds no packing."""
    graph = graph_of(packing.edges, packing.s)
    load = np.zeros(packing.lower.shape)
    labels = np.full(packing.s, -1, dtype=np.int64)
    weight = (packing.amounts / packing.unit).sum(axis=0)
    # Tied and heavy blocks first: the light and free ones fill the gaps.
    for block in np.lexsort((-weight, -np.diff(graph.indptr))).tolist():
        others = labels[graph.indices[graph.indptr[block] : graph.indptr[block + 1]]]
        after = load + packing.amounts[:, block, None]
        fits: NDArray[np.bool_] = np.all(after <= packing.upper, axis=0)
        fits[others[others >= 0]] = False
        if not fits.any():
            return None
        lacks = (np.maximum(packing.lower - load, 0.0) / packing.unit).sum(axis=0)
        missing = np.where(fits, lacks, -1.0)
        room = np.where(fits, ((packing.upper - load) / packing.unit).min(axis=0), -1.0)
        labels[block] = np.lexsort((room, missing))[-1]
        load[:, labels[block]] = after[:, labels[block]]
    return labels if (load >= packing.lower).all() else None


def pack_by_highs(
    packing: Packing, clique: IntArray, time_limit: float, stop: Callable[[], bool] = never
) -> tuple[bool | None, IntArray | None]:
    """Decide by HiGHS whether the blocks can be packed; a model of too many rows is left undecided.

    `clique` (c,): Blocks that all exclude each other; where clusters are interchangeable they go to
    the first ones. Returns `feasible`: None if the time ran out, or if sums pass a limit by no more
    than HiGHS can distinguish.
    """
    if len(packing.edges) * packing.k > _MOST_ROWS or stop():
        return None, None
    # Loaded only here: beside ortools some versions of it cannot be loaded.
    from ccviz.highs_output import highspy, make_highs

    tied = np.unique(packing.edges)
    free = np.setdiff1d(np.arange(packing.s), tied)
    kinds, kind_of, count = np.unique(
        packing.amounts[:, free], axis=1, return_inverse=True, return_counts=True
    )
    model = make_highs(time_limit=time_limit)
    model.passModel(_model(packing, tied, kinds, count, clique))
    if stop is not never:
        model.cbMipInterrupt.subscribe(lambda asked: asked.interrupt(stop()))
    model.run()
    if model.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return False, None
    if model.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None, None
    table = np.rint(np.array(model.getSolution().col_value)).astype(np.int64)
    order = free[np.argsort(kind_of.ravel(), kind="stable")]
    labels = _labels(packing, tied, order, table.reshape(-1, packing.k))
    return (True, labels) if packing.keeps(labels) else (None, None)


def _model(
    packing: Packing, tied: IntArray, kinds: FloatArray, count: IntArray, clique: IntArray
) -> highspy.HighsLp:
    """Return the model: a row of columns for each tied block, and for each kind of free ones."""
    k, t = packing.k, len(tied)
    column = np.arange((t + len(count)) * k).reshape(-1, k)
    number = np.concatenate([np.ones(t, dtype=np.int64), count])
    weight = np.concatenate([packing.amounts[:, tied], kinds], axis=1)
    lower, upper = np.zeros(column.shape), np.repeat(number[:, None], k, axis=1)
    limits = (packing.lower, packing.upper)
    if all((each == each[:, :1]).all() for each in limits):  # no cluster differs from another
        lower[np.searchsorted(tied, clique), np.arange(len(clique))] = 1
    ends = column[np.searchsorted(tied, packing.edges)]  # (e, 2, k)
    rows = [
        (column, np.ones(column.shape), number, number),
        (ends.transpose(0, 2, 1).reshape(-1, 2), np.ones((ends.size // 2, 2)), -np.inf, 1.0),
        (column.T, np.tile(weight[0], (k, 1)), packing.lower[0], packing.upper[0]),
    ]
    for of, unit, low, high in zip(
        weight[1:], packing.unit[1:], packing.lower[1:], packing.upper[1:], strict=True
    ):
        values = np.tile(of / unit, (k, 1))
        rows.append((column.T, values, low / unit - _SLACK, high / unit + _SLACK))
    return _as_lp(rows, lower.ravel(), upper.ravel())


def _as_lp(rows: list[tuple[Any, ...]], lower: FloatArray, upper: FloatArray) -> highspy.HighsLp:
    """Return a model of integers without objective from groups of rows of equal length."""
    from ccviz.highs_output import highspy

    places = np.concatenate(
        [np.full(len(columns), columns.shape[1], dtype=np.int64) for columns, *_ in rows]
    )
    matrix = coo_array(
        (
            np.concatenate([values.ravel() for _, values, *_ in rows]),
            (
                np.repeat(np.arange(len(places)), places),
                np.concatenate([columns.ravel() for columns, *_ in rows]),
            ),
        ),
        shape=(len(places), len(lower)),
    ).tocsc()
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_ = np.zeros(lp.num_col_)
    lp.col_lower_, lp.col_upper_ = lower.astype(float), upper.astype(float)
    lp.row_lower_ = np.concatenate([np.broadcast_to(low, len(c)) for c, _, low, _ in rows])
    lp.row_upper_ = np.concatenate([np.broadcast_to(high, len(c)) for c, _, _, high in rows])
    lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
    lp.a_matrix_.value_ = matrix.data
    lp.integrality_ = [highspy.HighsVarType.kInteger] * lp.num_col_
    return lp


def _labels(packing: Packing, tied: IntArray, free: IntArray, table: IntArray) -> IntArray:
    """Return the labels that a table says; the free blocks in the order of their kinds."""
    labels = np.empty(packing.s, dtype=np.int64)
    labels[tied] = table[: len(tied)].argmax(axis=1)
    labels[free] = np.concatenate(
        [np.repeat(np.arange(packing.k), row) for row in table[len(tied) :]]
        or [np.zeros(0, dtype=np.int64)]
    )
    return labels
