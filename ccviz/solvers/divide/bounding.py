"""The bound of one part: rounds of the semidefinite relaxation, as at a node of `sdp`.

`bound_part` is a pure function of picklable values. It begins with the part's piece of the whole
clustering, which is nearly optimal, and with this clustering's closed-form multipliers
(`ccviz.solvers.relaxation.model`), or continues where an earlier call ended: at its iterate,
or at its certificate if a file is all that is left of it. Where clusters are well apart no round
is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import PartBounded
from ccviz.solvers.base import never
from ccviz.solvers.divide.partition import Part, cost
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.admm import Iterate, cold_start
from ccviz.solvers.relaxation.certificate import certify
from ccviz.solvers.relaxation.cuts import Cuts, rows_of
from ccviz.solvers.relaxation.engine import WINDOW, RoundParams, run_rounds
from ccviz.solvers.relaxation.exchange import exchange
from ccviz.solvers.relaxation.model import Relaxation, multipliers_of, relax

# Trying all first members would take two thirds of a round with a thousand blocks, and a part is
# seldom bounded until only the other members find a violated cut.
_ROUNDS = RoundParams(first_members=48)
_POWER = 2.5  # Power of the number of blocks by which the work of a round is estimated
_BATCH_WORK = 12 * 250.0**_POWER
"""Least work of a batch: about a second, far more than the cost of sending it."""
_FIRST_ESTIMATE = 3.0  # Rounds assumed to close a part that had no round yet
_SMALL_PENALTY = 1.0 / 3.0
"""Multiple of the usual penalty for closed-form multipliers with a small gap."""
_SMALL_GAP = 0.05  # Largest gap called small, relative to the cost of the clustering


@dataclass(frozen=True)
class Effort:
    """Effort spent on a part in one call."""

    tolerance: float  # Relative gap of the part at which it is closed
    # Largest number of rounds; with none the bound is that of the closed-form multipliers.
    rounds: int = 60
    patience: float = 8.0  # As in `ccviz.solvers.relaxation.engine.RoundParams`


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf of a part's tree."""

    # (int, int, bool): Two blocks of the part each, and whether they are put together or kept
    # apart.
    decisions: tuple[tuple[int, int, bool], ...]
    lower_bound: float
    certificate: dict[str, np.ndarray]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the certificate and the decisions, as events carry them."""
        decisions = np.array(self.decisions, dtype=np.int64).reshape(-1, 3)
        return {**self.certificate, "decisions": decisions, "bound": np.array([self.lower_bound])}


@dataclass(frozen=True, eq=False)
class PartBound:
    """Bounds of a part, and the state of its rounds."""

    # Proved bound on what any clustering costs within the part, in the part's share of mass.
    lower_bound: float
    upper_bound: float  # The best clustering of the part that is known
    # What proves the bound, in the part's own masses; empty where the bound is zero.
    certificate: dict[str, np.ndarray]
    penalty: float = 0.0
    rounds: int = 0
    gain: float = 0.0
    # Leaves of the part's tree, if it was branched; they have the certificates then.
    leaves: tuple[Leaf, ...] = ()
    is_exhausted: bool = False  # Whether the last branching gained too little to branch again
    # Where the rounds of an open part ended, in single precision; the next ones begin there.
    reached: Iterate | None = None

    @property
    def slack(self) -> float:
        """Largest gain of the bound that better multipliers could bring."""
        return self.upper_bound - self.lower_bound


Task = tuple[Effort, Part, PartBound | None]


def bound_part(
    effort: Effort, part: Part, known: PartBound | None = None, stop: Callable[[], bool] = never
) -> PartBound:
    """Return a part's bound after some rounds.

    `known`: Result of an earlier call; the new bound is not worse. `stop`: Cheap; tested before
    each iteration.
    """
    if part.blocks.s <= part.blocks.k:
        return PartBound(0.0, 0.0, {})
    relaxation = relax(part.blocks)
    labels = exchange(part.blocks, relaxation, part.labels)
    upper = min(cost(part.blocks, part.labels), cost(part.blocks, labels))
    at = _first_iterate(relaxation, labels, known)
    slack, target = upper - at.lower_bound, upper * (1.0 - effort.tolerance)
    at, bounds = improve(effort, relaxation, at, target, stop)
    is_open = len(bounds) > 1 and at.lower_bound < target
    window = min(WINDOW, len(bounds) - 2)  # before the first round there may be no bound
    gain = (bounds[-1] - bounds[-1 - window]) / window if window > 0 else 0.0
    gain = gain if len(bounds) > 1 else slack / _FIRST_ESTIMATE
    found = PartBound(
        lower_bound=max(0.0, float(at.lower_bound) / part.scale),
        upper_bound=upper / part.scale,
        certificate=at.best.arrays() if at.best else {},
        penalty=float(at.penalty),
        rounds=len(bounds) - 1 + (known.rounds if known else 0),
        gain=gain / part.scale,
        reached=at.packed() if is_open else None,
    )
    if known is None or found.lower_bound > known.lower_bound:
        return found
    return replace(known, rounds=found.rounds, gain=0.0, reached=found.reached)


def _first_iterate(relaxation: Relaxation, labels: IntArray, known: PartBound | None) -> Iterate:
    """Return where the last rounds ended, or else the iterate of the known multipliers."""
    if known is None:
        return initial_iterate(relaxation, labels, {}, 0.0)
    if known.reached is None:
        return initial_iterate(relaxation, labels, known.certificate, known.penalty)
    at = known.reached
    return replace(at, Y=at.Y.astype(np.float64), M=at.M.astype(np.float64))


def bound_several(
    how: Callable[..., PartBound], tasks: list[Task], stop: Callable[[], bool] = never
) -> list[PartBound]:
    """Return ``how(*task)`` for each task: one batch, for a worker."""
    return [how(*task, stop=stop) for task in tasks]


def batched(tasks: list[Task], least: int) -> list[list[Task]]:
    """Return the tasks in batches with enough work to be sent to another process."""
    most = max(1, len(tasks) // least)
    batches: list[list[Task]] = []
    work = _BATCH_WORK
    for task in tasks:
        if work >= _BATCH_WORK or len(batches[-1]) >= most:
            batches.append([])
            work = 0.0
        batches[-1].append(task)
        work += work_of(max(1, task[0].rounds), task[1].blocks.s)
    return batches


def work_of(rounds: int, blocks: int) -> float:
    """Return the estimated work of rounds over blocks, the same on any machine."""
    return rounds * float(blocks) ** _POWER


def improve(
    effort: Effort, relaxation: Relaxation, at: Iterate, target: float, stop: Callable[[], bool]
) -> tuple[Iterate, list[float]]:
    """Run the rounds of an effort; see `ccviz.solvers.relaxation.engine.run_rounds`."""
    params = replace(_ROUNDS, patience=effort.patience)
    return run_rounds(params, relaxation, at, target, effort.rounds, stop)


def restored(event: PartBounded) -> PartBound:
    """Return the bounds of a part from its event; the gain of its last rounds is a guess."""
    return PartBound(
        lower_bound=event.lower_bound,
        upper_bound=event.upper_bound,
        certificate=event.certificate,
        rounds=event.rounds,
        gain=(event.upper_bound - event.lower_bound) / _ROUNDS.iterations,
        leaves=tuple(map(_restored_leaf, event.leaves)),
    )


def _restored_leaf(arrays: dict[str, np.ndarray]) -> Leaf:
    certificate = dict(arrays)
    decisions = certificate.pop("decisions").tolist()
    bound = float(certificate.pop("bound")[0])
    return Leaf(tuple((i, j, bool(side)) for i, j, side in decisions), bound, certificate)


def initial_iterate(
    relaxation: Relaxation, labels: IntArray, certificate: dict[str, np.ndarray], penalty: float
) -> Iterate:
    """Return the iterate of a clustering, with known multipliers or else its closed-form ones."""
    at = replace(cold_start(relaxation), Y=_as_matrix(relaxation, labels))
    if not certificate:
        M = -multipliers_of(relaxation, labels)
        best = certify(relaxation, M, at.cuts, at.weights)
        upper = relaxation.constant + float((relaxation.cost * at.Y).sum())
        is_near = best.lower_bound >= (1.0 - _SMALL_GAP) * upper
        penalty = (_SMALL_PENALTY if is_near else 1.0) * at.penalty
        return replace(at, M=M / at.unit, penalty=penalty, best=best)
    cuts = Cuts(certificate["points"], certificate["kind"])
    weights = certificate["weights"].astype(np.float64)
    rows = rows_of(cuts, relaxation)
    M = np.zeros_like(at.M)
    M[np.triu_indices(relaxation.s)] = -certificate["nonnegativity"]
    M += np.triu(M, 1).T
    kernels.add_rows(M, -weights * rows.norm, rows)
    penalty = penalty or at.penalty
    return replace(at, M=M / at.unit, cuts=cuts, weights=weights / at.unit, penalty=penalty)


def _as_matrix(relaxation: Relaxation, labels: IntArray) -> FloatArray:
    """Return the (s, s) Y of a clustering."""
    belongs = np.zeros((relaxation.s, relaxation.k))
    belongs[np.arange(relaxation.s), labels] = np.sqrt(relaxation.mass)
    belongs /= np.sqrt((belongs**2).sum(axis=0))
    return belongs @ belongs.T
