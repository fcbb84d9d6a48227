"""What the parts of a divided run prove: their bounds add up to one for the whole.

A cut gives each block of must-linked points to a part, or a share of it to every part: with T parts
the shares are m / T. A clustering of the whole costs at least what its restrictions to the parts
cost with these masses, and a restriction has at most k clusters. Splitting a cluster costs nothing,
so the least cost with exactly min(k, blocks of the part) clusters is not above it. Of each part the
certificate is checked as at a leaf of a search tree (`ccviz.proof.spectral`), with masses that are
T times as large where there are shares, so that they are whole numbers. A part without a
certificate counts for nothing. To the sum comes the scatter inside the blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ccviz.events import Event, IncumbentFound, PartBounded, PartsCut
from ccviz.problem.problem import Problem
from ccviz.proof.blocks import PlainBlocks, number_blocks
from ccviz.proof.reading import (
    Clustering,
    FlawError,
    is_whole,
    read_clustering,
    read_multipliers,
    read_number,
)
from ccviz.proof.rounding import Centroids, Unit, centroids, gamma
from ccviz.proof.spectral import Multipliers, spectral_bound

_SHARED = -1
_AGREE = 1e-9  # relative to the data's scatter, that rounding may leave


@dataclass(frozen=True, eq=False)
class _Cut:
    """A cut, the newest certificate of each part, and the bounds that are claimed."""

    parts: int
    part_of: np.ndarray
    certificates: dict[int, Multipliers] = field(default_factory=dict)
    claims: dict[int, float] = field(default_factory=dict)


@dataclass(eq=False)
class Division:
    """What a divided run says: its cuts and its clusterings."""

    cuts: list[_Cut] = field(default_factory=list)
    clusterings: list[Clustering] = field(default_factory=list)


def read_division(problem: Problem, events: Iterable[Event]) -> Division:
    """Read a run's events.

    Raises
    ------
    FlawError
        If anything is not as it should be.
    """
    division = Division()
    for event in events:
        match event:
            case PartsCut():
                division.cuts.append(_read_cut(event, problem.n))
            case PartBounded():
                _read_bound(event, division)
            case IncumbentFound():
                division.clusterings.append(read_clustering(event, problem))
    return division


def _read_cut(event: PartsCut, n: int) -> _Cut:
    part_of = event.part_of
    if not is_whole(event.parts) or not 1 <= event.parts <= n:
        raise FlawError(f"the points were cut into {event.parts!r} parts")
    if np.shape(part_of) != (n,) or part_of.dtype.kind != "i":
        raise FlawError("a cut does not say the part of each point")
    if ((part_of < _SHARED) | (part_of >= event.parts)).any():
        raise FlawError("a cut gives a point to a part that is none")
    return _Cut(event.parts, part_of)


def _read_bound(event: PartBounded, division: Division) -> None:
    if not division.cuts or not is_whole(event.part) or event.part >= division.cuts[-1].parts:
        raise FlawError(f"part {event.part!r} is bounded, but there is none")
    cut, what = division.cuts[-1], f"part {event.part}"
    cut.claims[event.part] = read_number(what, event.lower_bound)
    cut.certificates.pop(event.part, None)
    if event.certificate:
        cut.certificates[event.part] = read_multipliers(what, event.certificate)


def parts_bound(problem: Problem, unit: Unit, division: Division) -> tuple[float, int]:
    """Return what the best cut proves, in the unit, and how many certificates were checked.

    Raises
    ------
    FlawError
        If a certificate is not what it should be.
    """
    must, cannot = (links.hard.pairs for links in (problem.must_link, problem.cannot_link))
    block_of = number_blocks(problem.n, problem.k, must, cannot)
    if block_of is None:
        raise FlawError("the run has parts, but its links contradict each other")
    mass = np.bincount(block_of).astype(float)
    nobody = np.zeros((0, 0), dtype=bool)  # all conflicts at once would be a matrix too large
    means = centroids(unit, PlainBlocks(block_of, mass, nobody))
    cut = max(division.cuts, key=lambda each: sum(each.claims.values()))
    bounds = list(_bounds(problem, unit, means, cut, block_of))
    # Not one bound is negative, and the sum is off by less than the terms' number of roundings.
    between = sum(bounds) * (1.0 - gamma(len(bounds) + 2))
    return max(means.whole(between), means.inside), len(bounds)


def _bounds(
    problem: Problem, unit: Unit, means: Centroids, cut: _Cut, block_of: np.ndarray
) -> Iterator[float]:
    """Yield a bound on each part that has a certificate."""
    part_of = np.empty(len(means.mass), dtype=np.int64)
    part_of[block_of] = cut.part_of
    if (part_of[block_of] != cut.part_of).any():
        raise FlawError("a cut tears must-linked points apart")
    shared = np.flatnonzero(part_of == _SHARED)
    scale = float(cut.parts) if len(shared) else 1.0
    order = np.argsort(part_of, kind="stable")[len(shared) :]
    ends = np.searchsorted(part_of[order], np.arange(cut.parts + 1))
    conflicts = block_of[problem.cannot_link.hard.pairs]
    row = np.full(len(part_of), -1)
    if idle := [
        part for part, claim in cut.claims.items() if claim > 0.0 and part not in cut.certificates
    ]:
        raise FlawError(f"part {idle[0]} claims a bound without a certificate")
    for part, certificate in cut.certificates.items():
        own = order[ends[part] : ends[part + 1]]
        index = np.concatenate([own, shared])
        if not len(index):
            raise FlawError(f"part {part} has a certificate, but no points")
        row[index] = np.arange(len(index))
        mass = means.mass[index]
        mass[: len(own)] *= scale
        conflict = np.zeros((len(index), len(index)), dtype=bool)
        i, j = row[conflicts[(row[conflicts] >= 0).all(axis=1)]].T
        conflict[i, j] = conflict[j, i] = True
        row[index] = -1
        piece = Centroids(means.points[index], mass, conflict, 0.0, 0.0)
        try:
            clusters = min(problem.k, len(index))
            bound = spectral_bound(piece, clusters, certificate, 2 * unit.exponent)
        except FlawError as flaw:
            raise FlawError(f"part {part} {flaw}") from None
        bound = max(0.0, bound / scale * (1.0 - gamma(2)))
        _compare(unit, f"part {part}", cut.claims[part], bound)
        yield bound


def _compare(unit: Unit, what: str, claimed: float, bound: float) -> None:
    if unit.scaled(claimed) > bound + _AGREE * unit.norm**2:
        raise FlawError(
            f"{what} claims the bound {claimed:.9g}, "
            f"but its certificate proves {unit.back(bound):.9g}"
        )
