"""Which place to branch on: the likely ones are tried, by what they raise near them.

What it costs to move centres to a border (`ccviz.solvers.colgen.places`) says which places are
likely, but several times too much and not evenly. So the best of them are tried, both ways, by a
master of the blocks around (`ccviz.solvers.colgen.spot`): strong branching, for a place of hundreds
of blocks at the cost of some of them. A trial holds as long as nothing near it is decided on, so
a node's children have theirs from it, but for those around its own place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ccviz.arrays import FloatArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.instance import Instance, with_place
from ccviz.solvers.colgen.master import MasterSolution
from ccviz.solvers.colgen.places import likely_places, placed
from ccviz.solvers.colgen.spot import blocks_near, raised, reach_of

_MOST = 40  # places tried at a node,
_AHEAD = 8  # and so many after the best one;
_MOST_NEAR = 4  # near a spot
_REACH = 0.5  # of the blocks near a spot: so far a place changes what others are worth
_APART = 0.5  # of the larger radius: places with centres nearer to each other are alike
_LATER = 0.02  # of the greater side: a lesser one counts as if it gained so much at once
_LITTLE = 0.01  # of what is missing: a side that gains less counts as if it gained so much
_TIGHT = 0.99  # of the price: stars worth less take no part in a trial
_SHARE = 0.7  # of the blocks near a spot
_ERROR = 0.05  # of a trial, relative to what is missing


class Trial(NamedTuple):
    """A place that was tried.

    Attributes
    ----------
    place : tuple of int
        A point at its centre and one on its border.
    taken, empty : float
        What the bound rises by if it is taken, and if it is empty.
    """

    place: tuple[int, int]
    taken: float
    empty: float

    def score(self, missing: float) -> float:
        """Return how good it is to branch on where so much is missing to close a node."""
        sides = (min(max(rise, _LITTLE * missing), missing) for rise in (self.taken, self.empty))
        return float(np.prod([*sides]))

    def is_two_sided(self, missing: float) -> bool:
        """Whether both sides gain more than next to nothing."""
        return min(self.taken, self.empty) > _LITTLE * missing

    @property
    def growth(self) -> float:
        """Return g for which leaves become exp(g) times as many as they rise by one.

        With exp(-g taken) + exp(-g empty) = 1 that holds of either side (Le Bodic and Nemhauser
        2017). A side that seems to gain nothing will, a few places later.
        """
        most = max(self.taken, self.empty)
        least = max(min(self.taken, self.empty), _LATER * most)
        if not most > 0.0:
            return np.inf
        if not np.isfinite(most):
            return 0.0
        low, high = 0.999 * np.log(2.0) / most, 1.001 * np.log(2.0) / least
        return float(brentq(lambda g: np.exp(-g * most) + np.exp(-g * least) - 1.0, low, high))


class Basis(NamedTuple):
    """What places are tried on.

    Attributes
    ----------
    instance : Instance
    columns : (m, s + t) bool
    solution : MasterSolution
        Over these columns, or those near a spot.
    values : (m,) float64
        Of their stars' best parts, at the duals of the solution.
    artificial_cost : (s + t,) float64
    points : (n, d) float64
        In the axes of the instance.
    k : int
    """

    instance: Instance
    columns: np.ndarray
    solution: MasterSolution
    values: FloatArray
    artificial_cost: FloatArray
    points: FloatArray
    k: int


def best_trial(trials: Iterable[Trial], missing: float) -> Trial | None:
    """Return the trial to branch on, None without any that gains something on either side."""
    best = max(trials, key=lambda trial: trial.score(missing), default=None)
    return best if best is not None and max(best.taken, best.empty) > _LITTLE * missing else None


def elsewhere(
    trials: Iterable[Trial], instance: Instance, points: FloatArray, spot: FloatArray, k: int
) -> tuple[Trial, ...]:
    """Return the trials of places that are not near a spot.

    Parameters
    ----------
    trials : iterable of Trial
    instance : Instance
    points : (n, d) float64
        In the axes of the instance.
    spot : (d,) float64
    k : int
    """
    reach = reach_of(instance, spot, k, _REACH)
    return tuple(trial for trial in trials if ((points[trial.place[0]] - spot) ** 2).sum() > reach)


def tried(
    basis: Basis,
    missing: float,
    spot: FloatArray | None = None,
    stop: Callable[[], bool] = never,
    fits: Callable[[int, int], bool] | None = None,
) -> tuple[Trial, ...]:
    """Try the likely places of a solution, the likeliest first, until none is better for a while.

    Parameters
    ----------
    basis : Basis
    missing : float
        By how much the bound has to rise to close the node.
    spot : (d,) float64, optional
        Only places near it; else all.
    stop : callable
        True once it should end with what it has.
    fits : callable, optional
        Whether a place, given by its two points, may be tried.
    """
    trials: list[Trial] = []
    best, most = 0, _MOST if spot is None else _MOST_NEAR
    for place in _apart(basis, spot):
        if fits is not None and not fits(*place):
            continue
        if stop() or len(trials) == most or len(trials) > best + _AHEAD:
            break
        trials.append(_try(basis, place, _ERROR * missing, stop))
        if trials[-1].score(missing) > trials[best].score(missing):
            best = len(trials) - 1
    return tuple(trials)


def _apart(basis: Basis, spot: FloatArray | None) -> list[tuple[int, int]]:
    """Return the likely places that are not too alike, the likeliest first."""
    points, radii = basis.points, np.zeros(0)
    chosen: list[tuple[int, int]] = []
    reach = np.inf if spot is None else reach_of(basis.instance, spot, basis.k, _REACH)
    for near, far in likely_places(basis.instance, basis.columns, basis.solution.weights, points):
        radius = float(np.sqrt(((points[far] - points[near]) ** 2).sum()))
        kept = [place[0] for place in chosen]
        gaps = np.sqrt(((points[kept] - points[near]) ** 2).sum(axis=1))
        alike = (gaps <= _APART * np.maximum(radii, radius)).any()
        too_far = spot is not None and ((points[near] - spot) ** 2).sum() > reach
        if not alike and not too_far:
            chosen.append((near, far))
            radii = np.append(radii, radius)
    return chosen


def _try(basis: Basis, place: tuple[int, int], error: float, stop: Callable[[], bool]) -> Trial:
    rises = [_rise(basis, place, side, error, stop) for side in (True, False)]
    return Trial(place, *rises)


def _rise(
    basis: Basis, place: tuple[int, int], side: bool, error: float, stop: Callable[[], bool]
) -> float:
    """Return by how much the duals near a place rise once it is decided on."""
    spot = basis.points[place[0]]
    instance = with_place(basis.instance, spot, basis.points[place[1]], side)
    wide = blocks_near(basis.instance, spot, basis.k, 2.0)
    s = len(wide)
    price = basis.solution.price
    rows = (basis.columns[:, :s] & wide).any(axis=1)
    rows &= basis.values <= -_TIGHT * price
    columns, _, fits = placed(
        instance, np.pad(basis.columns[rows], ((0, 0), (0, int(side)))), mark=True
    )
    duals = np.pad(basis.solution.duals, (0, int(side)))
    artificial = np.pad(basis.artificial_cost, (0, int(side)), constant_values=price)
    after = raised(
        instance,
        columns[fits],
        duals,
        price,
        artificial,
        spot,
        basis.k,
        error,
        _SHARE,
        stop,
    )
    return float((after.duals - duals).sum())
