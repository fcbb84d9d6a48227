"""A second certificate for a node that column generation closed, quick to check.

To check a node's duals all clusters have to be searched again, which takes longer than the solving
did in many dimensions. So the semidefinite relaxation of Piccialli, Russo Russo and Sudoso (2022)
is solved as well: its multipliers prove a bound by themselves. Where it is not tight, clusters have
few points and the search is short. The node's own bound stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import never
from ccviz.solvers.relaxation.admm import cold_start
from ccviz.solvers.relaxation.engine import AnyIterate
from ccviz.solvers.relaxation.model import relax
from ccviz.solvers.relaxation.restart import restart
from ccviz.solvers.relaxation.rounds import RoundParams, run_rounds
from ccviz.solvers.search.tree import Multipliers, StoppedError


def semidefinite(
    blocks: Blocks,
    target: float,
    rounds: int,
    stop: Callable[[], bool] = never,
    left: Multipliers | None = None,
) -> dict[str, np.ndarray]:
    """Return multipliers that prove a bound; none if it stays below the target, or if stopped.

    Parameters
    ----------
    blocks : Blocks
    target : float
        Sum of squares, including the scatter inside the blocks.
    rounds : int
        Largest number of rounds of the relaxation.
    stop : callable
    left : Multipliers, optional
        Those of an earlier run, to begin with.
    """
    relaxation = relax(blocks)
    first: AnyIterate = cold_start(relaxation)
    if left is not None and relaxation.classes is None:
        first = restart(relaxation, blocks.block_of, left)
    try:
        at, _ = run_rounds(RoundParams(), relaxation, first, target, rounds, stop)
    except StoppedError:  # the node is closed without it
        return {}
    return at.best.arrays() if at.best and at.lower_bound >= target else {}
