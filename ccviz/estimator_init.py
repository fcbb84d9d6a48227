"""The clustering with which an estimator's fit begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ParameterError, UnsupportedError
from ccviz.problem.problem import Problem
from ccviz.solvers import SOLVERS, solver_class


def check_starts(solver: str) -> None:
    """Check that a solver can begin with a clustering.

    Parameters
    ----------
    solver : str
        A registered name.

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
    """Return a clustering to begin with, from labels or centres.

    Parameters
    ----------
    init : (n,) int or (k, d) float
        Labels from 0 to k - 1, or centres; of these each point takes the nearest.
    problem : Problem
    scale : (d,) float64 or float
        What the features of given centres are multiplied by, as those of the problem were.

    Returns
    -------
    (n,) int64

    Raises
    ------
    ParameterError
        If it is neither.
    """
    given = _as_array(init)
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


def _as_array(init: Any) -> np.ndarray:
    try:
        return np.asarray(init)
    except ValueError:
        raise ParameterError("init is neither labels nor centres: its rows differ.") from None
