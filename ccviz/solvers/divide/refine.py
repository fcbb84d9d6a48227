"""Cut anew, so that the parts agree on clusterings that single parts would rather have.

Pieces with their clusters' centroids cost nothing as long as every part keeps to the whole's
clustering. Where clusters are not well apart, a part of few blocks has a better one of its own, and
that is what the cut loses. So the parts' own optima are looked for by exchanges, from the whole's
clustering and from a few others. With their centres, what a block would cost more than now is one
more number that the pieces should have alike: a part then gains no more by these centres than the
whole does, which gains nothing. Many such numbers go as a few directions that hold most of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.divide.link_groups import nearest_centers
from ccviz.solvers.divide.partition import Cut, cut, means
from ccviz.solvers.divide.parts import Part, cost, take_parts
from ccviz.solvers.relaxation.kempe_exchange import exchange
from ccviz.solvers.relaxation.model import relax

_TIMES = 4  # at most, that a cut is made
_MOST_DEALT = 400_000  # blocks, in all cuts: with more of them one cut takes long enough
_WORTH_IT = 0.9  # of the least loss so far: a cut that loses more is the last
_ASKED = 40  # parts whose optima are looked for
_STARTS = 3  # beside the whole's clustering
_NEARLY = 1.02  # what costs so many times the piece at most tells something
_MOST_CENTERS = 160
_MOST_COSTS = 20_000_000  # blocks times centres
_DIRECTIONS = 40


@dataclass(frozen=True, eq=False)
class _Optima:
    """What parts would rather have: the share that the cut loses, and (m, k, d) centres."""

    loss: float
    centers: list[FloatArray]


def cut_well(
    blocks: Blocks,
    labels: IntArray,
    parts: int,
    most_shared: int,
    seed: int,
    allowed: float,
    stop: Callable[[], bool],
) -> tuple[Cut, float]:
    """Return the best of a cut and some more that were made by what the parts' own optima tell.

    It comes with the relative loss that was found: parts may do better still.

    Parameters
    ----------
    blocks, labels, parts, most_shared, seed
        As for `ccviz.solvers.divide.partition.cut`.
    allowed : float
        Relative loss that is good enough.
    stop : callable
        Ends the search; the best cut so far is returned.

    Raises
    ------
    StoppedError
        If it ends while a cut is made.
    """
    best = found = cut(blocks, labels, parts, most_shared, seed, stop=stop)
    rng = np.random.default_rng(seed)
    least, centers = np.inf, []
    times = min(_TIMES, max(1, _MOST_DEALT // blocks.s)) if parts > 1 else 0
    for left in reversed(range(times)):
        optima = _own_optima(blocks, found, labels, rng, stop)
        gains = optima.loss < _WORTH_IT * least
        if optima.loss < least:
            best, least = found, optima.loss
        if not left or least <= allowed or not gains or not optima.centers or stop():
            break
        centers += optima.centers
        most = min(_MOST_CENTERS, max(1, _MOST_COSTS // blocks.s))
        alike = _costs(blocks, labels, centers[-most:])
        found = cut(blocks, labels, parts, most_shared, seed, alike, stop)
    return best, least if parts > 1 else 0.0


def _own_optima(
    blocks: Blocks,
    found: Cut,
    labels: IntArray,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> _Optima:
    asked = [(number,) for number in range(min(found.parts, _ASKED))]
    own = pieces = 0.0
    centers: list[FloatArray] = []
    for part in take_parts(blocks, found, labels, asked):
        if stop():
            break
        if part.blocks.s <= part.blocks.k:
            continue
        piece = cost(part.blocks, part.labels)
        known = _clusterings(part, rng)
        costs = [cost(part.blocks, each) for each in known]
        own, pieces = own + min(costs), pieces + piece
        if part.blocks.k == blocks.k:
            centers += [
                means(part.blocks, each)
                for each, value in zip(known, costs, strict=True)
                if value < _NEARLY * piece
            ]
    return _Optima(1.0 - own / pieces if pieces > 0.0 else 0.0, centers)


def _clusterings(part: Part, rng: np.random.Generator) -> list[IntArray]:
    """Return local optima of a part; those from other starts only where no link can be broken."""
    relaxation = relax(part.blocks)
    found = [exchange(part.blocks, relaxation, part.labels)]
    if len(part.blocks.conflicts):
        return found
    points = part.blocks.centroid
    for _ in range(_STARTS):
        seeds = points[rng.choice(len(points), part.blocks.k, replace=False)]
        start = nearest_centers(points, seeds)
        if len(np.unique(start)) == part.blocks.k:
            found.append(exchange(part.blocks, relaxation, start))
    return found


def _costs(blocks: Blocks, labels: IntArray, centers: list[FloatArray]) -> FloatArray:
    """Return (s, q) main directions of what blocks would cost more with other centres."""
    own = means(blocks, labels)
    now = ((blocks.centroid - own[labels]) ** 2).sum(axis=1)
    more = np.column_stack([_least_squares(blocks.centroid, each) - now for each in centers])
    more *= blocks.mass[:, None]
    more -= more.mean(axis=0)
    vectors = np.linalg.eigh(more.T @ more)[1]
    return more @ vectors[:, : -_DIRECTIONS - 1 : -1]


def _least_squares(points: FloatArray, centers: FloatArray) -> FloatArray:
    return np.min([((points - center) ** 2).sum(axis=1) for center in centers], axis=0)
