"""Strong branching on discs: likely ones are evaluated by the bound increase near them.

The cost of moving centres to a border (`ccviz.solvers.colgen.branching.discs`) says which discs are
likely, but overestimates the bound increase several times and unevenly. So the best of them are
evaluated, both ways, by a local master of the blocks around
(`ccviz.solvers.colgen.master.neighbourhood`). An evaluation holds as long as nothing near it is
decided on, so a node's children inherit all but those around its own disc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ccviz.arrays import FloatArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.branching.discs import likely_discs
from ccviz.solvers.colgen.master.covering import MasterSolution
from ccviz.solvers.colgen.master.facility_master import FacilityDuals
from ccviz.solvers.colgen.master.neighbourhood import Neighbourhoods, Region, ascend_near
from ccviz.solvers.colgen.model.discs import in_discs
from ccviz.solvers.colgen.model.instance import Instance, with_disc
from ccviz.solvers.colgen.params import StrongParams

_LATER = 0.02
"""Least increase of the lesser side in a growth rate, as a share of the greater one's: a side that
gains nothing at once gains a little after some more decisions."""
_LITTLE = 0.01
"""Least increase of a side in a score, as a share of the missing bound."""
_WIDE = 2.0
"""Size of the region whose columns an evaluation takes, relative to a neighbourhood."""


class Candidate(NamedTuple):
    """A disc that strong branching evaluated.

    Attributes
    ----------
    disc : tuple of int
        A point at its centre and one on its border.
    occupied, empty : float
        Bound increase if some centre is inside, and if none is.
    """

    disc: tuple[int, int]
    occupied: float
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
    """The relaxation whose discs are evaluated.

    Attributes
    ----------
    instance : Instance
    columns : (m, s + t) bool
    solution : MasterSolution
        Over these columns, or those of a neighbourhood.
    reduced_costs : (m,) float64
        Of the best parts of their facilities, at the duals of the solution.
    artificial_cost : (s + t,) float64
    points : (n, d) float64
        In the axes of the instance.
    neighbourhoods : Neighbourhoods
    params : StrongParams
    """

    instance: Instance
    columns: np.ndarray
    solution: MasterSolution
    reduced_costs: FloatArray
    artificial_cost: FloatArray
    points: FloatArray
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

    Parameters
    ----------
    candidates : iterable of Candidate
    points : (n, d) float64
    at : (d,) float64
        In the same axes.
    reach : float
        Squared distance up to which evaluations are invalid.
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

    Parameters
    ----------
    basis : Basis
    missing : float
        Bound increase that closes the node.
    at : (d,) float64, optional
        Only discs near this point; else all.
    stop : callable
        True once it should end with what it has.
    fits : callable, optional
        Whether a disc, given by its two points, may be evaluated.
    """
    params = basis.params
    candidates: list[Candidate] = []
    best, most = 0, params.most if at is None else params.most_near
    for disc in _unlike(basis, at):
        if fits is not None and not fits(*disc):
            continue
        if stop() or len(candidates) == most or len(candidates) > best + params.patience:
            break
        candidates.append(_evaluate(basis, disc, params.error * missing, stop))
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


def _evaluate(
    basis: Basis, disc: tuple[int, int], error: float, stop: Callable[[], bool]
) -> Candidate:
    sides = [_increase(basis, disc, side, error, stop) for side in (True, False)]
    return Candidate(disc, *sides)


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
