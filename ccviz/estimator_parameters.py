"""Starts and sizes in the forms in which the estimator takes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ParameterError, ProblemError, UnfillableError, UnsupportedError, quote
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import read_sizes
from ccviz.solvers import SOLVERS, solver_class

# --- The clustering with which an estimator's fit begins ------------------------------------------


def check_starts(solver: str) -> None:
    """Check that a solver, by its name, can begin with a clustering.

    Raises
    ------
    ParameterError
        If there is no such solver.
    UnsupportedError
        If it begins with none; the sentence names those that do.
    """
    if not solver_class(solver).supports.start:
        able = ", ".join(each.name for each in SOLVERS if each.supports.start)
        raise UnsupportedError(
            f"{solver} begins with no given clustering, so neither init nor warm_start helps it; "
            f"these do: {able}."
        )


def first_labels(init: Any, problem: Problem, scale: FloatArray | float = 1.0) -> IntArray:
    """Return (n,) int64 a clustering to begin with, from labels or centres.

    Parameters
    ----------
    init : (n,) int or (k, d) float
        Labels from 0 to k - 1, or centres; of these each point takes the nearest.
    scale : (d,) float64 or float
        What the features of given centres are multiplied by, as those of the problem were.

    Raises
    ------
    ParameterError
        If it is neither.
    """
    try:
        given = np.asarray(init)
    except ValueError:
        raise ParameterError("init is neither labels nor centres: its rows differ.") from None
    n, k, d = problem.n, problem.k, problem.d
    if given.ndim == 1 and given.dtype.kind in "iu" and len(given) == n:
        if given.min() < 0 or given.max() >= k:
            raise ParameterError(f"the labels of init are not whole numbers from 0 to {k - 1}.")
        return given.astype(np.int64)
    if given.shape == (k, d) and given.dtype.kind in "iuf" and np.isfinite(given).all():
        near = cdist(problem.X, given.astype(np.float64) * scale, "sqeuclidean")
        return near.argmin(axis=1).astype(np.int64)
    raise ParameterError(
        f"init has the shape {given.shape}: give a label for each of the {n} rows, or {k} centres "
        f"of {d} numbers each."
    )


# --------------------------------------------------------------------------------------------------
# Cluster sizes as the estimator takes them: the same for all clusters, or shares of the rows.


def sizes_of(sizes: Any, size_min: Any, size_max: Any, n: int, k: int) -> Any:
    """Return sizes as `ccviz.Problem` takes them, None where nothing is asked for.

    Parameters
    ----------
    sizes : None, str, int or sequence
        ``"equal"``, ``"40-60"`` and its like (`ccviz.problem.sizes.read_sizes`), one size for all
        clusters, or what `ccviz.Problem` takes.
    size_min, size_max : None, int or float
        Least and most points of every cluster; a float between 0 and 1 is a share of the n rows.

    Raises
    ------
    ProblemError
        If both kinds are given, or one is malformed.
    """
    if size_min is not None or size_max is not None:
        if sizes is not None:
            raise ProblemError("give sizes, or size_min and size_max, but not both.")
        return limits_of(size_min, size_max, n, k)
    if isinstance(sizes, str):
        return read_sizes(sizes, n, k)
    if isinstance(sizes, int | np.integer) and not isinstance(sizes, bool):
        return [int(sizes)] * k
    return sizes


def limits_of(size_min: Any, size_max: Any, n: int, k: int) -> tuple[IntArray, IntArray]:
    """Return (k,) the least and (k,) the most points of clusters, 0 and n where nothing is given.

    Raises
    ------
    ProblemError
        If one is malformed.
    UnfillableError
        If no clustering of n rows keeps both.
    """
    least = 0 if size_min is None else _rows(size_min, n, "size_min", math.floor)
    most = n if size_max is None else _rows(size_max, n, "size_max", math.ceil)
    if least > most:
        raise ProblemError(f"size_min = {quote(least)} is more than size_max = {quote(most)}.")
    most = min(most, n)
    if k * least > n or k * most < n:
        raise UnfillableError(
            f"{k} clusters of {least} to {most} rows cannot hold {n} rows: "
            f"they have room for {k * least} to {k * most}."
        )
    return np.full(k, least, dtype=np.int64), np.full(k, most, dtype=np.int64)


def _rows(size: Any, n: int, name: str, rounded: Any) -> int:
    if isinstance(size, float | np.floating) and 0.0 < size < 1.0:
        return int(rounded(round(size * n, 9)))
    whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
    if not whole or size < 0:
        raise ProblemError(
            f"{name} = {quote(size)} is neither a number of rows nor a share below 1."
        )
    return min(int(size), n + 1)  # more than n is as much as n + 1, and fits an array
