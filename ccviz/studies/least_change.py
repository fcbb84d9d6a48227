"""The clustering nearest to an old one whose cost is within a share of the optimum.

After an edit people want what they have seen to stay. Among the clusterings that keep the edited
problem and cost at most (1 + slack) times the best known one, this looks for one that moves few
points, and says of each that moved why. What it says is true: the cost of the answer is within the
slack, and a reason is tested by moving the point back.

The descent is k-means with exact assignments, where each point outside its old cluster pays a
price. The higher the price, the fewer points move and the more the clustering costs; of all prices
tried, the answer with the fewest moves that costs little enough is taken. Then blocks go back one
by one while the cost allows. A clustering with fewer moves may exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import CcvizError, ProblemError
from ccviz.numbers import count
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition, cluster_means
from ccviz.problem.problem import Problem
from ccviz.studies.moves import Moves
from ccviz.studies.why import Why

_PRICES = np.geomspace(100.0, 0.01, 14)
"""Prices of a moved point, as multiples of the mean squared distance to a centre."""

_ROUNDS = 30
"""Largest number of assignments for a price."""

_ASSIGNMENT_S = 2.0
"""Time limit of an assignment, in seconds."""

Reason = Literal["link", "cost"]
"""Why a point moved: back in its old cluster its block breaks a constraint, or is not worth it."""


@dataclass(frozen=True, eq=False)
class LeastChange:
    """A clustering near to an old one.

    Attributes
    ----------
    partition : Partition
        The answer, with the old numbers of the clusters.
    old : (n,) int64
        -1 where a point is new.
    allowed : float
        The most it may cost.
    reasons : dict
        From each point that moved.
    """

    partition: Partition
    old: IntArray
    allowed: float
    reasons: dict[int, Reason]

    @property
    def moved(self) -> IntArray:
        """The points that are in another cluster than before, without new ones."""
        return np.flatnonzero(_away(self.partition.labels, self.old))

    @cached_property
    def why(self) -> Why:
        """What names the constraints, by the numbers of points and clusters."""
        return Why(Moves(self.partition))

    def words(self, point: int, why: Why | None = None) -> str:
        """Return from where to where a point moved, and the constraint or cost that keeps it there.

        Parameters
        ----------
        why : Why, optional
            Of the answer, with names of points, features and clusters.
        """
        why, cluster = why or self.why, int(self.old[point])
        k, ends = self.partition.problem.n_clusters, (cluster, int(self.partition.labels[point]))
        called = ("left out" if end >= k else why.cluster(end) for end in ends)
        moved = f"Moved {' → '.join(each.removeprefix('cluster ') for each in called)}"
        is_link = self.reasons[point] == "link"
        if point < len(why.moves.block_of) and cluster < self.partition.problem.n_clusters:
            block = int(why.moves.block_of[point])
            old = self.old[: len(why.moves.block_of)]
            apart = (why.moves.block_of == block) & (old != cluster) & (old >= 0)
            if apart.any():
                other = int(np.argmax(apart))
                return f"{moved}. Must-links tie it to {why.point(other)}, which was elsewhere."
            if bool(why.moves.into(block, cluster).obstacles) == is_link:
                return f"{moved}. {why.not_in(point, cluster, back=True)}"
        if is_link:
            return f"{moved}. Its old cluster would break a constraint."
        return f"{moved}. Alone in its old cluster it would cost more than the tolerated rise."


def least_change(
    problem: Problem,
    best: IntArray,
    old: IntArray,
    slack: float = 0.01,
    most: int | None = None,
) -> LeastChange:
    """Return a clustering near to an old one, within a share of the best cost.

    Parameters
    ----------
    problem : Problem
        As it is now.
    best : (n,) int64
        The best clustering known of it, which keeps every hard constraint.
    old : (n,) int64
        The clustering before the edit; -1 for new points, which move nowhere.
    slack : float
        Share by which the cost may exceed that of ``best``; infinite if it may cost anything.
    most : int, optional
        The most points that may move, whatever that costs; ``slack`` does not count then. Of the
        clusterings found that move no more, the cheapest is the answer.

    Raises
    ------
    CcvizError
        If the best clustering breaks a hard constraint, the labels are not one a point, or no
        clustering that moves few enough points was found.
    """
    best, old = np.asarray(best, dtype=np.int64), np.asarray(old, dtype=np.int64)
    if len(old) != problem.n or old.min() < -1 or old.max() >= problem.k or slack < 0.0:
        raise CcvizError(
            f"The old clustering needs one of the clusters 0 to {problem.k - 1} for each of the "
            f"{problem.n} points, or -1 for a new one, and the slack a share of at least 0."
        )
    if old.max() < 0:
        raise CcvizError("No point was in a cluster before.")
    known = Partition(problem, best)
    if not known.violations.none_hard:
        raise CcvizError("The clustering to stay near to the optimum of breaks a constraint.")
    best = renamed(problem, best, old)
    is_limited = most is None and slack < np.inf
    allowed = known.objective * (1.0 + slack) if is_limited else np.inf
    blocks = contract(problem)
    found = [best, *_descended(problem, blocks, best, old)]
    affordable = [labels for labels in found if _fits(Partition(problem, labels), allowed)]
    if most is None:
        labels = min(affordable, key=lambda each: int(_away(each, old).sum()))
        labels = _back(problem, blocks, labels, old, allowed)
        return said_of(problem, labels, old, allowed)
    different = {each.tobytes(): each for each in affordable}.values()
    few = [_back(problem, blocks, each, old, allowed, most) for each in different]
    fewest = min(int(_away(each, old).sum()) for each in few)
    if fewest > most:
        raise CcvizError(
            f"No clustering was found that moves at most {count(most, 'point')}; of those found, "
            f"one moves {fewest}, and none fewer."
        )
    kept = (Partition(problem, each) for each in few if _away(each, old).sum() <= most)
    labels = min(kept, key=lambda each: each.objective).labels
    return said_of(problem, labels, old, Partition(problem, labels).objective)


def placed(problem: Problem, known: IntArray) -> IntArray:
    """Return labels with each new point, of label -1, in the cluster of the nearest mean.

    Parameters
    ----------
    known : (n,) int64

    Raises
    ------
    ProblemError
        If centres are fixed.
    """
    if problem.fixed:
        raise ProblemError("a run with fixed centres starts from no table.")
    means = cluster_means(problem.X[known >= 0], known[known >= 0], problem.k)
    new, labels = np.flatnonzero(known < 0), known.copy()
    if len(new):  # an empty cluster has no mean
        away = scipy.spatial.distance.cdist(problem.X[new], means)
        labels[new] = np.nanargmin(away, axis=1)
    return labels


def _away(labels: IntArray, old: IntArray) -> NDArray[np.bool_]:
    """Return (n,) which points are in another cluster than before; no new one is."""
    away: NDArray[np.bool_] = (labels != old) & (old >= 0)
    return away


def said_of(problem: Problem, labels: IntArray, old: IntArray, allowed: float) -> LeastChange:
    """Return a clustering that may cost at most ``allowed``, with the reasons for its moves.

    Parameters
    ----------
    labels, old : (n,) int64
    """
    reasons = _reasons(problem, contract(problem), labels, old)
    return LeastChange(Partition(problem, labels), old, allowed, reasons)


def _fits(partition: Partition, allowed: float) -> bool:
    if not partition.cluster_sizes.all():
        return False
    return partition.violations.none_hard and partition.objective <= allowed


def renamed(problem: Problem, labels: IntArray, old: IntArray) -> IntArray:
    """Return labels with the clusters' numbers that leave most points where they were.

    Numbers stay where sizes distinguish clusters.

    Parameters
    ----------
    labels, old : (n,) int64
        Where a point was in no cluster, ``old`` is -1.
    """
    sizes = problem.sizes
    if sizes is not None and (np.ptp(sizes.lower) or np.ptp(sizes.upper)):
        return labels
    common, known = np.zeros((problem.k, problem.k)), old >= 0
    np.add.at(common, (labels[known], old[known]), 1.0)
    return scipy.optimize.linear_sum_assignment(-common)[1].astype(np.int64)[labels]


def _descended(
    problem: Problem, blocks: Blocks, best: IntArray, old: IntArray
) -> Iterator[IntArray]:
    """Yield clusterings for falling prices of a move, from the old centres and the best ones."""
    if problem.rules:
        return
    # Imported here: compiled code is not for the process that only draws.
    from ccviz.solvers.assignment import solve_assignment, structure_of

    points, structure = blocks.centroid, structure_of(blocks)
    whole = old if old.min() >= 0 else placed(problem, old)
    moves = _moves(blocks, old)
    starts = [np.nan_to_num(Partition(problem, labels).centers) for labels in (whole, best)]
    unit = Partition(problem, best).wcss / problem.n
    for price, centers in product(_PRICES * unit, starts):
        labels: IntArray | None = None
        for _ in range(_ROUNDS):
            square = ((points[:, None, :] - centers) ** 2).sum(axis=2)
            found = solve_assignment(
                blocks.mass[:, None] * square + price * moves,
                structure,
                nonempty=True,
                warm_start=labels,
                time_limit=_ASSIGNMENT_S,
            )
            if not found.found or (labels is not None and (found.labels == labels).all()):
                break
            labels = found.labels
            centers = np.nan_to_num(Partition(problem, blocks.lift(labels)).centers)
        if labels is not None:
            yield blocks.lift(labels)


def _moves(blocks: Blocks, old: IntArray) -> FloatArray:
    """Return (s, k) how many points of a block move if it is put into a cluster."""
    there = np.zeros((blocks.s, blocks.k))
    known = old >= 0
    np.add.at(there, (blocks.block_of[known], old[known]), 1.0)
    return there.sum(axis=1, keepdims=True) - there


def _back(
    problem: Problem,
    blocks: Blocks,
    labels: IntArray,
    old: IntArray,
    allowed: float,
    most: int = 0,
) -> IntArray:
    """Return labels after blocks went back, the cheapest first, while it pays or too many moved.

    `allowed`: The most that they may cost. `most`: Once no more points moved, none goes back at a
    rise.
    """
    while True:
        before = labels
        steps = [
            Partition(problem, _with_back(blocks, block, labels, old))
            for block in np.unique(blocks.block_of[_away(labels, old)]).tolist()
        ]
        for step in sorted(steps, key=lambda each: each.objective):
            is_few = _away(labels, old).sum() <= most
            limit = min(allowed, Partition(problem, labels).objective) if is_few else allowed
            taken = step.labels != before
            changed = np.where(taken, step.labels, labels)
            fewer = _away(changed, old).sum() < _away(labels, old).sum()
            if fewer and _fits(Partition(problem, changed), limit):
                labels = changed
        if labels is before:
            return labels


def _with_back(blocks: Blocks, block: int, labels: IntArray, old: IntArray) -> IntArray:
    """Return labels with a block in the cluster that most of its points came from."""
    members = blocks.members(block)
    changed = labels.copy()
    changed[members] = np.bincount(old[members][old[members] >= 0]).argmax()
    return changed


def _reasons(
    problem: Problem, blocks: Blocks, labels: IntArray, old: IntArray
) -> dict[int, Reason]:
    """Return of each point that moved whether a constraint or the cost keeps its block away."""
    reasons: dict[int, Reason] = {}
    for point in np.flatnonzero(_away(labels, old)).tolist():
        block = int(blocks.block_of[point])
        members = blocks.members(block)
        back = Partition(problem, _with_back(blocks, block, labels, old))
        is_torn = bool(((old[members] != old[point]) & (old[members] >= 0)).any())
        kept = back.violations.none_hard and back.cluster_sizes.all()
        reasons[point] = "cost" if kept and not is_torn else "link"
    return reasons
