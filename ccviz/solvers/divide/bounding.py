"""Bound one part: rounds of the SDP's splitting and cuts, as at a node of its tree.

`bound_part` is a pure function of picklable values. It begins with the part's piece of the whole
clustering, which is nearly optimal, and with this clustering's closed-form multipliers
(`ccviz.solvers.relaxation.closed_form`), or continues from those of an earlier call. Where clusters
are well apart no round is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import PartBounded
from ccviz.solvers.base import never
from ccviz.solvers.divide.parts import Part, cost
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.admm import Iterate, balance, cold_start, cut_off, iterate
from ccviz.solvers.relaxation.certificate import certify
from ccviz.solvers.relaxation.closed_form import multipliers_of
from ccviz.solvers.relaxation.cuts import Cuts, rows_of
from ccviz.solvers.relaxation.kempe_exchange import exchange
from ccviz.solvers.relaxation.model import Relaxation, relax

_ROUND = 30  # iterations between two rounds of cuts
_CUTS_PER_BLOCK = 15.0
_CUT_TOLERANCE = 1e-4
# Of an apex among a thousand blocks, more among fewer: with all, separation takes two thirds of a
# round there, and a part is seldom worked on until only they find what is left.
_FIRST_LEAVES = 48
_POWER = 2.5  # of the blocks, that a round's cost is taken to grow with
_ERRAND = 12 * 250.0**_POWER  # work that is about a second's, far more than what sending it costs
_WINDOW = 3  # rounds over which progress is measured
_HOPE = 3.0  # rounds that are hoped to close a part which had none
_EAGER = 1.0 / 3.0  # of the usual penalty, for multipliers that are nearly right to begin with
_WARY = 4.0  # of the usual penalty, for those that are not
_NEARLY = 0.05  # of what the clustering costs, that such multipliers may leave


@dataclass(frozen=True)
class Effort:
    """How long to work on a part.

    Attributes
    ----------
    tolerance : float
        Relative gap of the part at which it is done.
    rounds : int
        At most so many; without any the clustering's own multipliers are all there is.
    patience : float
        Leave it if so many times the gain of the last rounds would not do.
    """

    tolerance: float
    rounds: int = 60
    patience: float = 8.0


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf of a part's tree.

    Attributes
    ----------
    decisions : tuple of (int, int, bool)
        Two blocks of the part each, and whether they are put together or kept apart.
    lower_bound : float
        In the part's own masses.
    certificate : dict of arrays
    """

    decisions: tuple[tuple[int, int, bool], ...]
    lower_bound: float
    certificate: dict[str, np.ndarray]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the certificate and the decisions, as events carry them."""
        decisions = np.array(self.decisions, dtype=np.int64).reshape(-1, 3)
        return {**self.certificate, "decisions": decisions, "bound": np.array([self.lower_bound])}


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
    leaves : tuple of Leaf
        Of the part's tree, if it was branched; they have the certificates then.
    is_exhausted : bool
        Whether branching has gained nothing.
    """

    lower_bound: float
    upper_bound: float
    certificate: dict[str, np.ndarray]
    penalty: float = 0.0
    rounds: int = 0
    gain: float = 0.0
    leaves: tuple[Leaf, ...] = ()
    is_exhausted: bool = False

    @property
    def slack(self) -> float:
        """What better multipliers might still add to the bound."""
        return self.upper_bound - self.lower_bound


Task = tuple[Effort, Part, PartBound | None]


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
        See `ccviz.solvers.relaxation.admm.iterate`.

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
    certificate, penalty = (known.certificate, known.penalty) if known else ({}, 0.0)
    at = started(relaxation, labels, certificate, penalty)
    slack = upper - at.lower_bound
    at, bounds = worked(effort, relaxation, at, upper * (1.0 - effort.tolerance), stop)
    found = PartBound(
        lower_bound=max(0.0, float(at.lower_bound) / part.scale),
        upper_bound=upper / part.scale,
        certificate=at.best.arrays() if at.best else {},
        penalty=float(at.penalty),
        rounds=len(bounds) - 1 + (known.rounds if known else 0),
        gain=(_last_gain(bounds) if len(bounds) > 1 else slack / _HOPE) / part.scale,
    )
    if known is None or found.lower_bound > known.lower_bound:
        return found
    return replace(known, rounds=found.rounds, gain=0.0)


def bound_several(
    how: Callable[..., PartBound], tasks: list[Task], stop: Callable[[], bool] = never
) -> list[PartBound]:
    """Return what ``how`` returns for each task: one errand of another process."""
    return [how(*task, stop=stop) for task in tasks]


def bundled(tasks: list[Task], least: int) -> list[list[Task]]:
    """Return the tasks in bundles that are worth sending: of work enough, but as many as ``least``.

    Parameters
    ----------
    tasks : list of (Effort, Part, PartBound or None)
    least : int
        Bundles that there should be, if there are as many tasks.
    """
    most = max(1, len(tasks) // least)
    bundles: list[list[Task]] = []
    work = _ERRAND
    for task in tasks:
        if work >= _ERRAND or len(bundles[-1]) >= most:
            bundles.append([])
            work = 0.0
        bundles[-1].append(task)
        work += work_of(max(1, task[0].rounds), task[1].blocks.s)
    return bundles


def work_of(rounds: int, blocks: int) -> float:
    """Return what rounds on so many blocks are taken to cost; no clock is asked."""
    return rounds * float(blocks) ** _POWER


def worked(
    effort: Effort,
    relaxation: Relaxation,
    at: Iterate,
    target: float,
    stop: Callable[[], bool],
) -> tuple[Iterate, list[float]]:
    """Go on by rounds of the splitting and cuts; return also the bound after each, and before."""
    bounds = [at.lower_bound]
    while len(bounds) <= effort.rounds:
        at = iterate(relaxation, at, _ROUND, stop)
        bounds.append(at.lower_bound)
        if at.lower_bound >= target or _is_stuck(bounds, target, effort.patience):
            break
        most = int(_CUTS_PER_BLOCK * relaxation.s)
        firsts = max(_FIRST_LEAVES, _FIRST_LEAVES * 1_000_000 // relaxation.s**2)
        at, _, _ = cut_off(relaxation, balance(at), most, _CUT_TOLERANCE, firsts)
    return at, bounds


def restored(event: PartBounded) -> PartBound:
    """Return what an event says of a part; nothing is known of its last rounds but hope."""
    return PartBound(
        lower_bound=event.lower_bound,
        upper_bound=event.upper_bound,
        certificate=event.certificate,
        rounds=event.rounds,
        gain=(event.upper_bound - event.lower_bound) / _ROUND,
        leaves=tuple(map(_restored_leaf, event.leaves)),
    )


def _restored_leaf(arrays: dict[str, np.ndarray]) -> Leaf:
    certificate = dict(arrays)
    decisions = certificate.pop("decisions").tolist()
    bound = float(certificate.pop("bound")[0])
    return Leaf(tuple((i, j, bool(side)) for i, j, side in decisions), bound, certificate)


def _is_stuck(bounds: list[float], target: float, patience: float) -> bool:
    if len(bounds) <= 2 * _WINDOW + 1:
        return False
    gain = bounds[-1] - bounds[-1 - _WINDOW]
    return gain * patience < target - bounds[-1]


def _last_gain(bounds: list[float]) -> float:
    """Return what a round added to the bound, of late."""
    window = min(_WINDOW, len(bounds) - 2)  # before the first round there may be no bound
    return (bounds[-1] - bounds[-1 - window]) / window if window > 0 else 0.0


def started(
    relaxation: Relaxation, labels: IntArray, certificate: dict[str, np.ndarray], penalty: float
) -> Iterate:
    """Begin at the clustering, with the multipliers that are known or else with its own."""
    at = replace(cold_start(relaxation), Y=_as_matrix(relaxation, labels))
    if not certificate:
        M = -multipliers_of(relaxation, labels)
        best = certify(relaxation, M, at.cuts, at.weights)
        upper = relaxation.constant + float((relaxation.cost * at.Y).sum())
        is_near = best.lower_bound >= (1.0 - _NEARLY) * upper
        penalty = (_EAGER if is_near else _WARY) * at.penalty
        return replace(at, M=M / at.unit, penalty=penalty, best=best)
    cuts = Cuts(certificate["points"], certificate["kind"])
    weights = certificate["weights"].astype(np.float64)
    rows = rows_of(cuts, relaxation)
    M = np.zeros_like(at.M)
    M[np.triu_indices(relaxation.s)] = -certificate["nonnegativity"]
    M += np.triu(M, 1).T
    kernels.add_rows(M, -weights * rows.norm, *rows.entries)
    penalty = penalty or at.penalty
    return replace(at, M=M / at.unit, cuts=cuts, weights=weights / at.unit, penalty=penalty)


def _as_matrix(relaxation: Relaxation, labels: IntArray) -> FloatArray:
    """Return the Y of a clustering."""
    belongs = np.zeros((relaxation.s, relaxation.k))
    belongs[np.arange(relaxation.s), labels] = np.sqrt(relaxation.mass)
    belongs /= np.sqrt((belongs**2).sum(axis=0))
    return belongs @ belongs.T
