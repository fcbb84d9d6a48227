"""The branch-and-bound tree of one part: its leaves cover every clustering of the part.

A leaf has decisions, in their order: two blocks of the part, by their places in it, and whether
they are together. Leaves are whole if there is one without decisions, or if all begin with the same
two blocks, some with these together and some apart, and both are whole from there on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ccviz.proof.blocks import number_blocks
from ccviz.proof.reading import FlawError, read_multipliers
from ccviz.proof.rounding import Centroids
from ccviz.proof.spectral import Multipliers, spectral_bound

Decision = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class PartLeaf:
    """A leaf: its decisions, and the certificate of its bound."""

    decisions: tuple[Decision, ...]
    multipliers: Multipliers


def read_leaves(what: str, certificate: Any, leaves: Any) -> list[PartLeaf]:
    """Return the leaves of a part; a part that was not branched is its own leaf.

    Raises
    ------
    FlawError
        If the leaves are malformed, or do not cover every clustering.
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
    """Return the lower bound that a leaf's multipliers prove for a part's blocks.

    Raises
    ------
    FlawError
        If they are malformed.
    """
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
