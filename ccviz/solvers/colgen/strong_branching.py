"""Strong branching on discs: likely ones are evaluated by the bound increase near them.

The cost of moving centres to a border (below) says which discs are likely, but overestimates the
bound increase several times and unevenly. So the best of them are evaluated, both ways, by a local
master of the blocks around (`ccviz.solvers.colgen.master.facility_master`). An evaluation holds as
long as nothing near it is decided on, so a node's children inherit all but those around its own
disc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.base import never
from ccviz.solvers.colgen.discs import center_of, in_discs
from ccviz.solvers.colgen.instance import Instance, with_disc
from ccviz.solvers.colgen.master.covering import MasterSolution
from ccviz.solvers.colgen.master.facility_master import (
    FacilityDuals,
    Neighbourhoods,
    Region,
    ascend_near,
)
from ccviz.solvers.colgen.params import StrongParams

# --- Likely discs to branch on, by the cost of moving a solution's centres to their borders -------

_USED = 1e-4  # Weight from which on a centre counts
_WHOLE = 0.98  # Weight from which on a centre is decided and begins no disc
_MOST = 1000  # Most centres of discs
_LEAST_COST = 1e-10  # Least cost of a disc, as a share of the cost of one single cluster


def likely_discs(
    instance: Instance, columns: np.ndarray, weights: FloatArray, points: FloatArray
) -> list[tuple[int, int]]:
    """Return pairs of points that name discs to branch on, the likeliest first.

    A child keeps the solution if centres move to the disc's border: in the child *empty* all
    centres inside, in the child *occupied* the nearest ones outside, until their weights add up to
    1. The cost of the moves is an upper bound on the increase of the child's bound. It has to be
    large in both children.

    `points` (n, d): In the axes of the instance.
    """
    used = np.flatnonzero(weights > _USED)
    weights = weights[used]
    mass = columns[used, : len(instance.mass)] @ instance.mass
    centers = np.empty((len(used), points.shape[1]))
    for row, c in zip(centers, used, strict=True):
        center_of(instance, columns[c], row)
    halves = [row for row in np.argsort(-weights, kind="stable") if weights[row] < _WHOLE]
    nearest = {int(((points - centers[row]) ** 2).sum(axis=1).argmin()) for row in halves[:_MOST]}
    found = []
    for near in sorted(nearest):
        radii = np.sqrt(((points - points[near]) ** 2).sum(axis=1))
        gaps = np.sqrt(((centers - points[near]) ** 2).sum(axis=1))
        cost = _moves(radii, gaps, weights, mass)
        far = int(cost.argmax())
        found.append((float(cost[far]), near, far))
    least = _LEAST_COST * float(instance.mass @ (instance.points**2).sum(axis=1))
    found.sort(key=lambda each: -each[0])
    return [(near, far) for cost, near, far in found if cost > least]


def _moves(
    radii: FloatArray, gaps: FloatArray, weights: FloatArray, mass: FloatArray
) -> FloatArray:
    """Return the cost of moving centres to borders with these radii (n,), the cheaper way.

    Each of the (m,) centres has a distance, a weight and a mass.
    """
    order = np.argsort(gaps, kind="stable")
    gaps, weights = gaps[order], weights[order]
    weights = np.diff(np.minimum(np.cumsum(weights), 1.0), prepend=0.0)  # one in all
    moved = weights * mass[order]
    powers = np.stack([moved, moved * gaps, moved * gaps**2])
    sums = np.concatenate([np.zeros((3, 1)), np.cumsum(powers, axis=1)], axis=1)
    inside = sums[:, np.searchsorted(gaps, radii)]
    ways = inside, sums[:, -1:] - inside
    emptied, occupied = (a * radii**2 - 2.0 * b * radii + c for a, b, c in ways)
    return np.minimum(emptied, occupied)


_LATER = 0.02
"""Least increase of the lesser side in a growth rate, as a share of the greater one's: a side that
gains nothing at once gains a little after some more decisions."""
_LITTLE = 0.01  # Least increase of a side in a score, as a share of the missing bound
_WIDE = 2.0  # Size of the region whose columns an evaluation takes, relative to a neighbourhood


class Candidate(NamedTuple):
    """A disc that strong branching evaluated."""

    disc: tuple[int, int]
    occupied: float  # occupied, empty: Bound increase if some centre is inside, and if none is
    empty: float

    def score(self, missing: float) -> float:
        """Return the product of both increases, each capped by the missing bound."""
        both = self.occupied, self.empty
        sides = (min(max(increase, _LITTLE * missing), missing) for increase in both)
        return float(np.prod([*sides]))

    def is_two_sided(self, missing: float) -> bool:
        """Whether both sides gain more than next to nothing."""
        return min(self.occupied, self.empty) > _LITTLE * missing

    @property
    def growth_rate(self) -> float:
        """The rate g at which leaves multiply by exp(g) for each unit of bound increase.

        exp(-g occupied) + exp(-g empty) = 1 (Le Bodic and Nemhauser 2017).
        """
        most = max(self.occupied, self.empty)
        least = max(min(self.occupied, self.empty), _LATER * most)
        if not most > 0.0:
            return np.inf
        if not np.isfinite(most):
            return 0.0
        low, high = 0.999 * np.log(2.0) / most, 1.001 * np.log(2.0) / least
        return float(brentq(lambda g: np.exp(-g * most) + np.exp(-g * least) - 1.0, low, high))


class Basis(NamedTuple):
    """The relaxation whose discs are evaluated."""

    instance: Instance
    columns: np.ndarray
    solution: MasterSolution  # Over these columns, or those of a neighbourhood
    # (m,): Of the best parts of their facilities, at the duals of the solution.
    reduced_costs: FloatArray
    artificial_cost: FloatArray
    points: FloatArray  # (n, d): In the axes of the instance
    neighbourhoods: Neighbourhoods
    params: StrongParams


def best_candidate(candidates: Iterable[Candidate], missing: float) -> Candidate | None:
    """Return the candidate to branch on, None if no side of any gains something."""
    best = max(candidates, key=lambda each: each.score(missing), default=None)
    gains = best is not None and max(best.occupied, best.empty) > _LITTLE * missing
    return best if gains else None


def still_valid(
    candidates: Iterable[Candidate], points: FloatArray, at: FloatArray, reach: float
) -> tuple[Candidate, ...]:
    """Return the candidates whose centres are far from a point.

    `at` (d,): In the same axes. `reach`: Squared distance up to which evaluations are invalid.
    """
    gaps = ((each, ((points[each.disc[0]] - at) ** 2).sum()) for each in candidates)
    return tuple(each for each, gap in gaps if gap > reach)


def evaluated(
    basis: Basis,
    missing: float,
    at: FloatArray | None = None,
    stop: Callable[[], bool] = never,
    fits: Callable[[int, int], bool] | None = None,
) -> tuple[Candidate, ...]:
    """Evaluate the likely discs, the likeliest first, until none is better for a while.

    `missing`: Bound increase that closes the node. `at` (d,): Only discs near this point; else all.
    `stop`: True once it should end with what it has.
    """
    params = basis.params
    candidates: list[Candidate] = []
    best, most = 0, params.most if at is None else params.most_near
    for disc in _unlike(basis, at):
        if fits is not None and not fits(*disc):
            continue
        if stop() or len(candidates) == most or len(candidates) > best + params.patience:
            break
        error = params.error * missing
        sides = [_increase(basis, disc, side, error, stop) for side in (True, False)]
        candidates.append(Candidate(disc, *sides))
        if candidates[-1].score(missing) > candidates[best].score(missing):
            best = len(candidates) - 1
    return tuple(candidates)


def _unlike(basis: Basis, at: FloatArray | None) -> list[tuple[int, int]]:
    """Return the likely discs without those much like a likelier one, the likeliest first."""
    points, params, radii = basis.points, basis.params, np.zeros(0)
    chosen: list[tuple[int, int]] = []
    reach = np.inf
    if at is not None:
        reach = basis.neighbourhoods.reach(basis.instance, at, params.reach)
    for near, far in likely_discs(basis.instance, basis.columns, basis.solution.weights, points):
        radius = float(np.sqrt(((points[far] - points[near]) ** 2).sum()))
        kept = [disc[0] for disc in chosen]
        gaps = np.sqrt(((points[kept] - points[near]) ** 2).sum(axis=1))
        alike = (gaps <= params.apart * np.maximum(radii, radius)).any()
        too_far = at is not None and ((points[near] - at) ** 2).sum() > reach
        if not alike and not too_far:
            chosen.append((near, far))
            radii = np.append(radii, radius)
    return chosen


def _increase(
    basis: Basis, disc: tuple[int, int], side: bool, error: float, stop: Callable[[], bool]
) -> float:
    """Return the increase of the duals near a disc once it is decided on."""
    at, solution, params = basis.points[disc[0]], basis.solution, basis.params
    instance = with_disc(basis.instance, at, basis.points[disc[1]], side)
    wide = basis.neighbourhoods.blocks(basis.instance, at, _WIDE)
    rows = (basis.columns[:, : len(wide)] & wide).any(axis=1)
    rows &= basis.reduced_costs <= -params.tight * solution.cardinality_dual
    more = (0, int(side))
    columns, _, fits = in_discs(instance, np.pad(basis.columns[rows], ((0, 0), more)), mark=True)
    duals = np.pad(solution.duals, more)
    cardinality_dual = solution.cardinality_dual
    caps = np.pad(basis.artificial_cost, more, constant_values=cardinality_dual)
    region = Region(at, basis.neighbourhoods, params.size)
    before = FacilityDuals(duals, cardinality_dual)
    after = ascend_near(instance, columns[fits], before, caps, region, error, stop)
    return float((after.duals - duals).sum())


# --- Ryan-Foster branching: two blocks that a fractional solution puts together by half -----------

_WHOLE_PAIR = 1e-6  # Distance from 0 or 1 at which a weight counts as whole


def branching_pair(
    blocks: Blocks, columns: np.ndarray, weights: FloatArray
) -> tuple[int, int] | None:
    """Return two points, of the pair of blocks nearest to half together; None if all are whole.

    Ties go to the heavier pair, which changes more.
    """
    used = weights > _WHOLE_PAIR
    inside = columns[used].astype(np.float64)
    together = inside.T @ (weights[used, None] * inside)
    half = np.abs(np.minimum(together, 1.0) - 0.5)
    np.fill_diagonal(half, 0.5)
    if half.min() >= 0.5 - _WHOLE_PAIR:
        return None
    weight = np.minimum.outer(blocks.mass, blocks.mass)
    score = np.where(half < 0.5 - _WHOLE_PAIR, half - 1e-3 * weight / weight.max(), np.inf)
    a, b = np.unravel_index(int(np.argmin(score)), score.shape)
    return blocks.points_of(int(a), int(b))
