"""The lower bound of a divided run: the sum of the bounds of its parts.

A cut assigns each block of must-linked points to a part, or a share of it to every part: with T
parts the shares are m / T. A clustering of the whole costs at least the sum of its restrictions to
the parts with these masses, and a restriction has at most k clusters. Splitting costs nothing,
so the least cost with exactly min(k, blocks of the part) clusters is not above it. Of each part the
certificate is checked as at a leaf of a search tree (`ccviz.proof.spectral`), with masses that are
T times as large where there are shares: whole numbers, unless points have weights. The bound of a
part without a certificate is zero. The scatter inside the blocks is added to the sum. Several parts
may be bounded as one, with as many shares; that voids earlier bounds on any of them. The bound of a
part that was branched is the least bound of its leaves. Soft links, sizes
and limits on sums are left out: no clustering costs less under them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ccviz.events import Event, PartBounded, PartsCut
from ccviz.problem.problem import Problem
from ccviz.proof.blocks import PlainBlocks, leave_out_weightless, number_blocks
from ccviz.proof.reading import (
    FlawError,
    is_whole,
    read_multipliers,
    read_number,
)
from ccviz.proof.rounding import Centroids, Unit, centroids, gamma
from ccviz.proof.spectral import Multipliers, spectral_bound

# --- The branch-and-bound tree of one part: its leaves cover every clustering of the part ---------
#
# A leaf has decisions, in their order: two blocks of the part, by their places in it, and whether
# they are together. Leaves are whole if there is one without decisions, or if all begin with the
# same two blocks, some with these together and some apart, and both are whole from there on.


Decision = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class PartLeaf:
    """A leaf: its decisions, and the certificate of its bound."""

    decisions: tuple[Decision, ...]
    multipliers: Multipliers


def read_leaves(what: str, certificate: Any, leaves: Any) -> list[PartLeaf]:
    """Return the leaves of a part; a part that was not branched is its own leaf.

    Raises `FlawError` if the leaves are malformed, or do not cover every clustering.
    """
    if not isinstance(leaves, tuple):
        raise FlawError(f"{what} has leaves that are none")
    if certificate and leaves:
        raise FlawError(f"{what} has a certificate beside its leaves")
    read = [PartLeaf((), read_multipliers(what, certificate))] if certificate else []
    for leaf in leaves:
        multipliers = read_multipliers(what, leaf)
        read.append(PartLeaf(_read_decisions(what, leaf.get("decisions")), multipliers))
    if read and not _is_whole([leaf.decisions for leaf in read]):
        raise FlawError(f"{what} has leaves that leave something out")
    return read


def _read_decisions(what: str, decisions: Any) -> tuple[Decision, ...]:
    right = isinstance(decisions, np.ndarray) and decisions.dtype.kind == "i"
    if not right or decisions.ndim != 2 or decisions.shape[1] != 3:
        raise FlawError(f"{what} has decisions that are none")
    if (decisions < 0).any() or (decisions[:, 2] > 1).any():
        raise FlawError(f"{what} has decisions that are none")
    return tuple((i, j, side) for i, j, side in decisions.tolist())


def _is_whole(leaves: list[tuple[Decision, ...]]) -> bool:
    todo = [(leaves, 0)]
    while todo:
        some, depth = todo.pop()
        if len(some) == 1 and len(some[0]) == depth:
            continue
        if any(len(leaf) <= depth for leaf in some) or len({leaf[depth][:2] for leaf in some}) > 1:
            return False
        for side in (0, 1):
            todo.append(([leaf for leaf in some if leaf[depth][2] == side], depth + 1))
            if not todo[-1][0]:
                return False
    return True


def leaf_bound(piece: Centroids, k: int, leaf: PartLeaf, exponent: int) -> float:
    """Return the lower bound that a leaf's multipliers prove for a part's blocks."""
    if not leaf.decisions:
        return spectral_bound(piece, k, leaf.multipliers, exponent)
    s = len(piece.mass)
    decisions = np.array(leaf.decisions)
    pairs, together = decisions[:, :2], decisions[:, 2] == 1
    if (pairs >= s).any() or (pairs[:, 0] == pairs[:, 1]).any():
        raise FlawError("has a decision over blocks that are not there, or not distinct")
    nothing = np.empty((0, 2), dtype=np.int64)
    group = number_blocks(s, 0, pairs[together], nothing)
    assert group is not None  # without cannot-links nothing contradicts
    conflict = piece.conflict.copy()
    i, j = pairs[~together].T
    conflict[i, j] = conflict[j, i] = True
    if group.max() + 1 < k:
        raise FlawError("has fewer blocks than clusters at a leaf")
    apart = Centroids(piece.points, piece.mass, conflict, 0.0, 0.0)
    return spectral_bound(apart, k, leaf.multipliers, exponent, group)


_Group = tuple[int, ...]

_SHARED = -1
_AGREE = 1e-9  # largest rounding error of a claimed bound, relative to the data's scatter


@dataclass(frozen=True, eq=False)
class _Cut:
    """A cut, the claimed bounds of its parts or merged parts, and their certificates.

    ``owner`` is the group of merged parts in which a part was bounded last.
    """

    parts: int
    part_of: np.ndarray
    certificates: dict[_Group, list[PartLeaf]] = field(default_factory=dict)
    claims: dict[_Group, float] = field(default_factory=dict)
    owner: dict[int, _Group] = field(default_factory=dict)


@dataclass(eq=False)
class Division:
    """The claims of a divided run: its cuts."""

    cuts: list[_Cut] = field(default_factory=list)


def read_division(problem: Problem, events: Iterable[Event]) -> Division:
    """Read a run's events."""
    division = Division()
    for event in events:
        match event:
            case PartsCut():
                division.cuts.append(_read_cut(event, problem.n))
            case PartBounded():
                _read_bound(event, division)
    return division


def _read_cut(event: PartsCut, n: int) -> _Cut:
    part_of = event.part_of
    if not is_whole(event.parts) or not 1 <= event.parts <= n:
        raise FlawError(f"the points were cut into {event.parts!r} parts")
    if np.shape(part_of) != (n,) or part_of.dtype.kind != "i":
        raise FlawError("a cut does not say the part of each point")
    if ((part_of < _SHARED) | (part_of >= event.parts)).any():
        raise FlawError("a cut gives a point to a part that does not exist")
    return _Cut(event.parts, part_of)


def _read_bound(event: PartBounded, division: Division) -> None:
    group = _read_group(event, division)
    cut, what = division.cuts[-1], f"part {event.part}"
    for void in {cut.owner[part] for part in group if part in cut.owner}:
        cut.claims.pop(void, None)
        cut.certificates.pop(void, None)
    cut.owner.update(dict.fromkeys(group, group))
    cut.claims[group] = read_number(what, event.lower_bound)
    if leaves := read_leaves(what, event.certificate, event.leaves):
        cut.certificates[group] = leaves


def _read_group(event: PartBounded, division: Division) -> _Group:
    if not isinstance(event.merged, tuple):
        raise FlawError(f"part {event.part!r} is merged with {event.merged!r}")
    parts = division.cuts[-1].parts if division.cuts else 0
    for part in event.group:
        if not is_whole(part) or part >= parts:
            raise FlawError(f"part {part!r} is bounded, but there is none")
    if len(set(event.group)) < len(event.group):
        raise FlawError(f"part {event.part} is merged with a part twice")
    return event.group


def parts_bound(problem: Problem, unit: Unit, division: Division) -> tuple[float, int]:
    """Return the best cut's bound, in the unit, and the number of certificates checked."""
    if not division.cuts:
        raise FlawError("the run has no search tree and no parts")
    must, cannot = (links.hard.pairs for links in (problem.must_link, problem.cannot_link))
    numbers = number_blocks(problem.n, problem.k, must, cannot)
    if numbers is None:
        raise FlawError("the run has parts, but its links contradict each other")
    _, block_of, is_in = leave_out_weightless(problem, numbers)
    mass = np.bincount(block_of, problem.masses)
    unused = np.zeros((0, 0), dtype=bool)  # the conflict matrix of the whole would be too large
    count = np.bincount(block_of).astype(float)
    means = centroids(unit, PlainBlocks(block_of, block_of, mass, unused, count))
    cut = max(division.cuts, key=lambda each: sum(each.claims.values()))
    bounds = list(_bounds(problem, unit, means, cut, block_of, is_in))
    # No bound is negative, so the relative error of the sum is below gamma(number of terms).
    between = sum(bounds) * (1.0 - gamma(len(bounds) + 2))
    return max(means.whole(between), means.inside), len(bounds)


def _bounds(
    problem: Problem,
    unit: Unit,
    means: Centroids,
    cut: _Cut,
    block_of: np.ndarray,
    is_in: np.ndarray,
) -> Iterator[float]:
    """Yield a bound on each part that has a certificate."""
    part_of = np.empty(len(means.mass), dtype=np.int64)
    part_of[block_of[is_in]] = cut.part_of[is_in]
    if (part_of[block_of] != cut.part_of)[is_in].any():
        raise FlawError("a cut tears must-linked points apart")
    shared = np.flatnonzero(part_of == _SHARED)
    scale = float(cut.parts) if len(shared) else 1.0
    order = np.argsort(part_of, kind="stable")[len(shared) :]
    ends = np.searchsorted(part_of[order], np.arange(cut.parts + 1))
    cannot = problem.cannot_link.hard.pairs
    conflicts = block_of[cannot[is_in[cannot].all(axis=1)]]
    row = np.full(len(part_of), -1)
    if idle := [
        group
        for group, claim in cut.claims.items()
        if claim > 0.0 and group not in cut.certificates
    ]:
        raise FlawError(f"part {idle[0][0]} claims a bound without a certificate")
    for group, leaves in cut.certificates.items():
        own = np.sort(np.concatenate([order[ends[part] : ends[part + 1]] for part in group]))
        index = np.concatenate([own, shared])
        if not len(index):
            raise FlawError(f"part {group[0]} has a certificate, but no points")
        row[index] = np.arange(len(index))
        mass = means.mass[index]
        mass[: len(own)] *= scale
        mass[len(own) :] *= len(group)
        conflict = np.zeros((len(index), len(index)), dtype=bool)
        i, j = row[conflicts[(row[conflicts] >= 0).all(axis=1)]].T
        conflict[i, j] = conflict[j, i] = True
        row[index] = -1
        piece = Centroids(means.points[index], mass, conflict, 0.0, 0.0)
        try:
            clusters = min(problem.k, len(index))
            bound = min(leaf_bound(piece, clusters, leaf, 2 * unit.exponent) for leaf in leaves)
        except FlawError as flaw:
            raise FlawError(f"part {group[0]} {flaw}") from None
        bound = max(0.0, bound / scale * (1.0 - gamma(6)))  # shares of weights are rounded, too
        _compare(unit, f"part {group[0]}", cut.claims[group], bound)
        yield bound


def _compare(unit: Unit, what: str, claimed: float, bound: float) -> None:
    if unit.scaled(claimed) > bound + _AGREE * unit.norm**2:
        raise FlawError(
            f"{what} claims the bound {claimed:.9g}, "
            f"but its certificate proves {unit.back(bound):.9g}"
        )
