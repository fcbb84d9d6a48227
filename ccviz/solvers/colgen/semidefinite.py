"""A second certificate for a node that column generation closed, quick to check.

The duals of a node prove its bound only to who searches all clusters again, and in many dimensions
that takes longer than the solving did. So the semidefinite relaxation of Piccialli, Russo Russo and
Sudoso (2022) is solved as well: its multipliers prove a bound by themselves. Where it is not tight,
which shows soon, clusters have few points and the search is short. The node's own bound is not
touched.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import never
from ccviz.solvers.relaxation.admm import balance, cold_start, cut_off, iterate
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.search.tree import StoppedError

_ROUND = 30  # iterations between two rounds of cuts
_CUTS_PER_BLOCK = 15.0
_CUT_TOLERANCE = 1e-4
_WINDOW = 3  # rounds over which progress is measured
_PATIENCE = 8.0


def semidefinite(
    blocks: Blocks, target: float, rounds: int, stop: Callable[[], bool] = never
) -> dict[str, np.ndarray]:
    """Return multipliers that prove a bound; none if it stays below the target, or if stopped.

    Parameters
    ----------
    blocks : Blocks
    target : float
        Sum of squares, that inside the blocks with it.
    rounds : int
        Of the splitting, at most.
    stop : callable
    """
    relaxation = relax(blocks)
    at = cold_start(relaxation)
    bounds: list[float] = []
    while len(bounds) < rounds:
        try:
            at = iterate(relaxation, at, _ROUND, stop)
        except StoppedError:  # the node is closed without it
            break
        bounds.append(at.lower_bound)
        if at.lower_bound >= target:
            return at.best.arrays() if at.best else {}
        if _is_stuck(bounds, target):
            break
        most = int(_CUTS_PER_BLOCK * relaxation.s)
        at, _, _ = cut_off(relaxation, balance(at), most, _CUT_TOLERANCE)
    return {}


def _is_stuck(bounds: list[float], target: float) -> bool:
    if len(bounds) <= 2 * _WINDOW:
        return False
    gain = bounds[-1] - bounds[-1 - _WINDOW]
    return gain * _PATIENCE < target - bounds[-1]
