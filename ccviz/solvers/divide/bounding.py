"""Bound one part: rounds of the SDP's splitting and cuts, as at a node of its tree.

`bound_part` is a pure function of picklable values. It begins with the part's piece of the whole
clustering, which is nearly the best there is, and goes on from the multipliers of an earlier call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import PartBounded
from ccviz.solvers.base import never
from ccviz.solvers.divide.parts import Part, cost
from ccviz.solvers.sdp import kernels
from ccviz.solvers.sdp.cuts import Cuts, rows_of
from ccviz.solvers.sdp.exchange import exchange
from ccviz.solvers.sdp.relaxation import Relaxation, relax
from ccviz.solvers.sdp.splitting import Iterate, balance, cold_start, cut_off, iterate

_ROUND = 30  # iterations between two rounds of cuts
_CUTS_PER_BLOCK = 15.0
_CUT_TOLERANCE = 1e-4
_WINDOW = 3  # rounds over which progress is measured


@dataclass(frozen=True)
class Effort:
    """How long to work on a part.

    Attributes
    ----------
    tolerance : float
        Relative gap of the part at which it is done.
    rounds : int
        At most so many.
    patience : float
        Leave it if so many times the gain of the last rounds would not do.
    """

    tolerance: float
    rounds: int = 60
    patience: float = 8.0


@dataclass(frozen=True, eq=False)
class PartBound:
    """What is known about a part.

    Attributes
    ----------
    lower_bound : float
        Proved bound on what any clustering costs within the part, in the part's share of mass.
    upper_bound : float
        The best clustering of the part that is known.
    certificate : dict of arrays
        What proves the bound, in the part's own masses; empty where the bound is zero.
    penalty : float
        Of the splitting, to go on with.
    rounds : int
        So far.
    gain : float
        What one of the last rounds added to the bound.
    """

    lower_bound: float
    upper_bound: float
    certificate: dict[str, np.ndarray]
    penalty: float = 0.0
    rounds: int = 0
    gain: float = 0.0

    @property
    def slack(self) -> float:
        """What better multipliers might still add to the bound."""
        return self.upper_bound - self.lower_bound


def bound_part(
    effort: Effort,
    part: Part,
    known: PartBound | None = None,
    stop: Callable[[], bool] = never,
) -> PartBound:
    """Return a part's bound after some rounds.

    Parameters
    ----------
    effort : Effort
    part : Part
    known : PartBound, optional
        What an earlier call returned; the answer is not worse.
    stop : callable
        See `ccviz.solvers.sdp.splitting.iterate`.

    Raises
    ------
    StoppedError
        If ``stop`` says so.
    """
    if part.blocks.s <= part.blocks.k:
        return PartBound(0.0, 0.0, {})
    relaxation = relax(part.blocks)
    labels = exchange(part.blocks, relaxation, part.labels)
    upper = min(cost(part.blocks, part.labels), cost(part.blocks, labels))
    at = _start(relaxation, labels, known)
    bounds = [at.lower_bound]
    target = upper * (1.0 - effort.tolerance)
    while len(bounds) <= effort.rounds:
        at = iterate(relaxation, at, _ROUND, stop)
        bounds.append(at.lower_bound)
        if at.lower_bound >= target or _is_stuck(bounds, target, effort.patience):
            break
        most = int(_CUTS_PER_BLOCK * relaxation.s)
        at, _, _ = cut_off(relaxation, balance(at), most, _CUT_TOLERANCE)
    found = PartBound(
        lower_bound=max(0.0, float(at.lower_bound) / part.scale),
        upper_bound=upper / part.scale,
        certificate=at.best.arrays() if at.best else {},
        penalty=float(at.penalty),
        rounds=len(bounds) - 1 + (known.rounds if known else 0),
        gain=_last_gain(bounds) / part.scale,
    )
    if known is None or found.lower_bound > known.lower_bound:
        return found
    return replace(known, rounds=found.rounds, gain=0.0)


def restored(event: PartBounded) -> PartBound:
    """Return what an event says of a part; nothing is known of its last rounds but hope."""
    return PartBound(
        lower_bound=event.lower_bound,
        upper_bound=event.upper_bound,
        certificate=event.certificate,
        rounds=event.rounds,
        gain=(event.upper_bound - event.lower_bound) / _ROUND,
    )


def _is_stuck(bounds: list[float], target: float, patience: float) -> bool:
    if len(bounds) <= 2 * _WINDOW + 1:
        return False
    gain = bounds[-1] - bounds[-1 - _WINDOW]
    return gain * patience < target - bounds[-1]


def _last_gain(bounds: list[float]) -> float:
    """Return what a round added to the bound, of late."""
    window = min(_WINDOW, len(bounds) - 2)  # before the first round there is no bound
    return (bounds[-1] - bounds[-1 - window]) / window if window > 0 else 0.0


def _start(relaxation: Relaxation, labels: IntArray, known: PartBound | None) -> Iterate:
    """Begin at the clustering, and with the multipliers that are known."""
    at = replace(cold_start(relaxation), Y=_as_matrix(relaxation, labels))
    if known is None:
        return at
    certificate = known.certificate
    cuts = Cuts(certificate["points"], certificate["kind"])
    weights = certificate["weights"].astype(np.float64)
    rows = rows_of(cuts, relaxation)
    M = np.zeros_like(at.M)
    M[np.triu_indices(relaxation.s)] = -certificate["nonnegativity"]
    M += np.triu(M, 1).T
    kernels.add_rows(M, -weights * rows.norm, *rows.entries)
    penalty = known.penalty or at.penalty
    return replace(at, M=M / at.unit, cuts=cuts, weights=weights / at.unit, penalty=penalty)


def _as_matrix(relaxation: Relaxation, labels: IntArray) -> FloatArray:
    """Return the Y of a clustering."""
    belongs = np.zeros((relaxation.s, relaxation.k))
    belongs[np.arange(relaxation.s), labels] = np.sqrt(relaxation.mass)
    belongs /= np.sqrt((belongs**2).sum(axis=0))
    return belongs @ belongs.T
