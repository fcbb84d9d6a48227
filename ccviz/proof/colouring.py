"""Exhaustive search for a colouring with k colours, in plain Python."""

from __future__ import annotations

import numpy as np

from ccviz.proof.blocks import PlainBlocks
from ccviz.proof.budget import Budget

_LOOKS = 2000  # fixed work of a step, in elements visited


def colourable(conflict: np.ndarray, k: int, budget: Budget) -> bool | None:
    """Whether k colours suffice; None if the budget runs out.

    Parameters
    ----------
    conflict : (s, s) bool
        Symmetric, empty diagonal.
    k : int
    budget : Budget

    Returns
    -------
    bool or None
    """
    s = len(conflict)
    degree = conflict.sum(axis=1)
    taken = np.zeros((s, k), dtype=np.int64)  # neighbours of each vertex in each colour
    colour = np.full(s, -1)
    path: list[tuple[int, int, int]] = []  # vertex, next colour to try, colours in use before it
    vertex, first, used = _next(colour, taken, degree), 0, 0
    while True:
        if vertex < 0:
            return True
        if not budget.spend(_LOOKS + s * k):
            return None
        free = [c for c in range(first, min(used + 1, k)) if taken[vertex, c] == 0]
        if free:  # unused colours are interchangeable: only the first of them is tried
            colour[vertex] = free[0]
            taken[conflict[vertex], free[0]] += 1
            path.append((vertex, free[0], used))
            used = max(used, free[0] + 1)
            vertex, first = _next(colour, taken, degree), 0
        elif not path:
            return False
        else:
            vertex, last, used = path.pop()
            colour[vertex] = -1
            taken[conflict[vertex], last] -= 1
            first = last + 1


def _next(colour: np.ndarray, taken: np.ndarray, degree: np.ndarray) -> int:
    """Return the vertex with the most colours around it, -1 if all have one."""
    waiting = np.flatnonzero(colour < 0)
    if len(waiting) == 0:
        return -1
    saturation = (taken[waiting] > 0).sum(axis=1)
    return int(waiting[np.lexsort((degree[waiting], saturation))[-1]])


def is_clique(witness: np.ndarray | None, blocks: PlainBlocks, k: int) -> bool:
    """Whether the witness's blocks all exclude each other, and are more than the clusters."""
    if witness is None:
        return False
    clique = np.unique(blocks.block_of[witness])
    inside = blocks.conflict[np.ix_(clique, clique)]
    return len(clique) > k and int(inside.sum()) == len(clique) * (len(clique) - 1)
