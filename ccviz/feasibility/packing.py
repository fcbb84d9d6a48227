"""Colouring under sizes: a quick try, and the exact model for HiGHS.

Blocks without conflicts differ only by their mass, so the model counts them by mass in each
cluster; only blocks with conflicts get a column for each cluster of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy.sparse import coo_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.links import graph_of
from ccviz.silent_highs import make_highs


@dataclass(frozen=True, eq=False)
class Packing:
    """Blocks to be packed into k clusters.

    Attributes
    ----------
    mass : (s,) int64
    edges : (e, 2) int64
        Blocks that must be apart.
    lower, upper : (k,) int64
        Mass of each cluster.
    """

    mass: IntArray
    edges: IntArray
    lower: IntArray
    upper: IntArray

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.lower)


def pack_quickly(packing: Packing) -> IntArray | None:
    """Return (s,) labels found by one greedy pass, None if the pass finds no packing."""
    graph = graph_of(packing.edges, len(packing.mass))
    load = np.zeros(packing.k, dtype=np.int64)
    labels = np.full(len(packing.mass), -1, dtype=np.int64)
    # Tied and heavy blocks first: the light and free ones fill the gaps.
    for block in np.lexsort((-packing.mass, -np.diff(graph.indptr))).tolist():
        others = labels[graph.indices[graph.indptr[block] : graph.indptr[block + 1]]]
        fits = load + packing.mass[block] <= packing.upper
        fits[others[others >= 0]] = False
        if not fits.any():
            return None
        missing = np.where(fits, np.maximum(packing.lower - load, 0), -1)
        room = np.where(fits, packing.upper - load, -1)
        labels[block] = np.lexsort((room, missing))[-1]
        load[labels[block]] += packing.mass[block]
    return labels if (load >= packing.lower).all() else None


def pack_by_highs(
    packing: Packing, clique: IntArray, time_limit: float
) -> tuple[bool | None, IntArray | None]:
    """Decide by HiGHS whether the blocks can be packed.

    Parameters
    ----------
    packing : Packing
    clique : (c,) int64
        Blocks that all exclude each other; where clusters are interchangeable they go to the
        first ones.
    time_limit : float
        Seconds.

    Returns
    -------
    feasible : bool or None
        None if the time ran out.
    labels : (s,) int64 or None
    """
    tied = np.unique(packing.edges)
    free = np.setdiff1d(np.arange(len(packing.mass)), tied)
    kinds, count = np.unique(packing.mass[free], return_counts=True)
    model = make_highs(time_limit=time_limit)
    model.passModel(_model(packing, tied, kinds, count, clique))
    model.run()
    if model.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return False, None
    if model.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None, None
    table = np.rint(np.array(model.getSolution().col_value)).astype(np.int64)
    return True, _labels(packing, tied, free, table.reshape(-1, packing.k))


def _model(
    packing: Packing, tied: IntArray, kinds: IntArray, count: IntArray, clique: IntArray
) -> highspy.HighsLp:
    """Return the model: a row of columns for each tied block, and for each mass of free ones."""
    k, t = packing.k, len(tied)
    column = np.arange((t + len(kinds)) * k).reshape(-1, k)
    amount = np.concatenate([np.ones(t, dtype=np.int64), count])
    weight = np.concatenate([packing.mass[tied], kinds])
    lower, upper = np.zeros(column.shape), np.repeat(amount[:, None], k, axis=1)
    if len({*zip(packing.lower.tolist(), packing.upper.tolist(), strict=True)}) < 2:
        lower[np.searchsorted(tied, clique), np.arange(len(clique))] = 1
    ends = column[np.searchsorted(tied, packing.edges)]  # (e, 2, k)
    rows = [
        (column, np.ones(column.shape), amount, amount),
        (ends.transpose(0, 2, 1).reshape(-1, 2), np.ones((ends.size // 2, 2)), -np.inf, 1.0),
        (column.T, np.tile(weight.astype(float), (k, 1)), packing.lower, packing.upper),
    ]
    return _as_lp(rows, lower.ravel(), upper.ravel())


def _as_lp(rows: list[tuple[Any, ...]], lower: FloatArray, upper: FloatArray) -> highspy.HighsLp:
    """Return a model of integers without objective from groups of rows of equal length."""
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
    labels = np.empty(len(packing.mass), dtype=np.int64)
    labels[tied] = table[: len(tied)].argmax(axis=1)
    by_mass = free[np.argsort(packing.mass[free], kind="stable")]
    labels[by_mass] = np.concatenate(
        [np.repeat(np.arange(packing.k), row) for row in table[len(tied) :]]
        or [np.zeros(0, dtype=np.int64)]
    )
    return labels
