"""Links drawn from known classes, as experiments on constrained clustering do."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb

import numpy as np
from numpy.typing import ArrayLike

from ccviz.arrays import IntArray
from ccviz.errors import CcvizError
from ccviz.problem.points import unknown_classes


@dataclass(frozen=True, eq=False)
class DrawnLinks:
    """Must-link and cannot-link pairs, smaller index first, sorted.

    Attributes
    ----------
    must_link, cannot_link : (m, 2) int64
    """

    must_link: IntArray
    cannot_link: IntArray


def random_pairs(truth: ArrayLike, m: int, noise: float = 0.0, seed: int = 0) -> DrawnLinks:
    """Draw m different pairs of points of known classes and link them as these say.

    Wagstaff, Cardie, Rogers and Schroedl (2001), section 5: two random points with the same
    class give a must-link, others a cannot-link.

    Parameters
    ----------
    truth : (n,) labels
        Known classes; -1, None or NaN where a point's class is not known.
    m : int
        How many pairs.
    noise : float
        The share of the pairs of each kind, rounded, that get the other kind.

    Raises
    ------
    CcvizError
        If m is larger than the number of pairs, or the noise is not between 0 and 1.
    """
    known = np.flatnonzero(~unknown_classes(truth))
    most = comb(len(known), 2)
    if not 0 <= m <= most:
        of = "" if len(known) == len(np.asarray(truth)) else " of known classes"
        raise CcvizError(f"{m} pairs cannot be drawn: {len(known)} points{of} have {most} pairs.")
    rng = np.random.default_rng(seed)
    return _link(np.asarray(truth), known[_pair_of(_distinct(rng, most, m))], noise, rng)


def pairs_of_a_fraction(
    truth: ArrayLike, fraction: float, noise: float = 0.0, seed: int = 0
) -> DrawnLinks:
    """Draw a share of the points, rounded up, and link every two as their classes say.

    The constraint sets of Gonzalez-Almagro et al. (2020), which Baumann and Hochbaum (2022) use
    in section 4; the noise is that of their section 5.1.

    Parameters
    ----------
    truth : (n,) labels
        Known classes, as in `random_pairs`.
    fraction : float
        Share of the points of known classes, 0 to 1.
    noise : float
        The share of the pairs of each kind, rounded, that get the other kind.

    Raises
    ------
    CcvizError
        If the fraction or the noise is not between 0 and 1.
    """
    known = np.flatnonzero(~unknown_classes(truth))
    _check_share("fraction", fraction)
    rng = np.random.default_rng(seed)
    count = ceil(round(fraction * len(known), 9))
    chosen = known[np.sort(rng.choice(len(known), count, replace=False))]
    pairs = np.array(list(combinations(chosen.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
    return _link(np.asarray(truth), pairs, noise, rng)


def _distinct(rng: np.random.Generator, most: int, m: int) -> IntArray:
    """Return m different numbers below ``most`` without listing them all."""
    if most < 4 * m:
        return rng.permutation(most)[:m]
    found = np.zeros(0, dtype=np.int64)
    while len(found) < m:
        more = rng.integers(0, most, m)
        found = np.concatenate([found, more])
        found = found[np.sort(np.unique(found, return_index=True)[1])][:m]
    return found


def _pair_of(number: IntArray) -> IntArray:
    """Return the pairs i < j of numbers in the order (0,1), (0,2), (1,2), (0,3), ..."""
    j = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > number
    j += (j + 1) * j // 2 <= number
    return np.column_stack([number - j * (j - 1) // 2, j])


def _link(truth: np.ndarray, pairs: IntArray, noise: float, rng: np.random.Generator) -> DrawnLinks:
    _check_share("noise", noise)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    for kind in (np.flatnonzero(same), np.flatnonzero(~same)):
        same[rng.choice(kind, round(noise * len(kind)), replace=False)] ^= True
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, same = pairs[order], same[order]
    return DrawnLinks(pairs[same], pairs[~same])


def _check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise CcvizError(f"{name} = {value} is not between 0 and 1.")
