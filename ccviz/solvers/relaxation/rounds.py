"""Rounds of the relaxation: some iterations of ADMM, a certified bound, then new cuts.

`run_rounds` is for the parts of `divide` and the second certificates of `colgen`. A task of `sdp`
is one round, since the search reports and prunes between rounds: `sdp.node` has the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ccviz.solvers.relaxation.cuts import Cuts
from ccviz.solvers.relaxation.engine import At, exchange_cuts, iterate
from ccviz.solvers.relaxation.kernels import MOST_MEMBERS
from ccviz.solvers.relaxation.model import Relaxation

CutFamily = Literal["all", "paper", "none"]
"""Kinds of cuts that are added."""

_PAPER_MEMBERS = 2
"""Members of a triangle, the widest 2-partition inequality of Piccialli et al. 2022."""

WINDOW = 3
"""Rounds over which the progress of the bound is measured."""


@dataclass(frozen=True)
class RoundParams:
    """Parameters of the rounds.

    Attributes
    ----------
    iterations : int
        Iterations of ADMM between two rounds of cuts.
    cuts_per_block : float
        Largest number of cuts added in a round, as a multiple of the blocks.
    cut_tolerance : float
        Least violation of a cut, relative to the mean of Z's diagonal.
    patience : float
        The rounds end when `patience` more of them at the current rate would not reach the target.
    cuts : {"all", "paper", "none"}
        Cuts added: ``all`` are pairs, triangles, wider 2-partition inequalities and cliques,
        ``paper`` pairs, triangles and cliques.
    first_members : int
        Blocks tried as the first member of a 2-partition inequality, for each centre of
        1,000 blocks; of s blocks (1000 / s)^2 times as many, and never fewer. 0 tries all.
    """

    iterations: int = 30
    cuts_per_block: float = 15.0
    cut_tolerance: float = 1e-4
    patience: float = 8.0
    cuts: CutFamily = "all"
    first_members: int = 0


def run_rounds(
    params: RoundParams,
    relaxation: Relaxation,
    at: At,
    target: float,
    rounds: int,
    stop: Callable[[], bool],
) -> tuple[At, list[float]]:
    """Run rounds until the bound reaches a target, or is stuck below it.

    Parameters
    ----------
    params : RoundParams
    relaxation : Relaxation
    at : Iterate or LiftedIterate
    target : float
        Bound that is aimed at; infinity runs all rounds.
    rounds : int
        Largest number of rounds.
    stop : callable
        Cheap; tested before each iteration.

    Returns
    -------
    at : Iterate or LiftedIterate
    bounds : list of float
        The bound before the first round and after each.

    Raises
    ------
    StoppedError
        If ``stop`` returns true.
    """
    bounds = [at.lower_bound]
    while len(bounds) <= rounds:
        at = iterate(relaxation, at, params.iterations, stop)
        bounds.append(at.lower_bound)
        if at.lower_bound >= target or is_stuck(bounds[1:], target, params.patience):
            break
        at, _, _ = renew_cuts(params, relaxation, at)
    return at, bounds


def renew_cuts(params: RoundParams, relaxation: Relaxation, at: At) -> tuple[At, Cuts, int]:
    """Balance the penalty, drop inactive cuts and add violated ones.

    Returns
    -------
    at : Iterate or LiftedIterate
    new : Cuts
        The cuts added.
    dropped : int
        Number of cuts dropped.
    """
    s = relaxation.s
    most = 0 if params.cuts == "none" else int(params.cuts_per_block * s)
    most_members = _PAPER_MEMBERS if params.cuts == "paper" else MOST_MEMBERS
    first_members = None
    if params.first_members:
        first_members = max(params.first_members, params.first_members * 1_000_000 // s**2)
    return exchange_cuts(relaxation, at, most, params.cut_tolerance, first_members, most_members)


def is_stuck(bounds: Sequence[float], target: float, patience: float) -> bool:
    """Return whether `patience` times the gain of the last rounds would not reach the target.

    Parameters
    ----------
    bounds : sequence of float
        The bound after each round.
    target : float
    patience : float
        In units of `WINDOW` rounds.
    """
    if len(bounds) <= 2 * WINDOW:
        return False
    gain = bounds[-1] - bounds[-1 - WINDOW]
    return gain * patience < target - bounds[-1]
