"""A clustering of many clusters improved by random swaps, annealed (`_swaps`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ccviz.arrays import IntArray
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.centers import block_means, block_wcss
from ccviz.solvers.base import never
from ccviz.solvers.start._swaps import swapped

_WARM, _COOL = 0.15, 0.005
"""First and last temperature, relative to the mean cost of a cluster."""
_TURNS = 100
"""Number of turns; the annealing can be stopped between two of them."""


def annealed(
    blocks: Blocks,
    labels: IntArray,
    seed: int,
    stop: Callable[[], bool] = never,
    tries: int = 1500,
) -> IntArray:
    """Return (s,) labels that cost no more.

    Parameters
    ----------
    blocks : Blocks
        Without conflicts, two clusters at least.
    labels : (s,) int64
        No cluster empty.
    seed : int
    stop : callable
        True once it should return the best labels so far.
    tries : int
        Swaps tried for each cluster.
    """
    none = np.zeros((blocks.k, blocks.centroid.shape[1]))

    def cost(of: IntArray) -> float:
        means = block_means(blocks.centroid, blocks.mass, of, none)
        return float(block_wcss(blocks.centroid, blocks.mass, of, means))

    best, least = labels, cost(labels)
    warm = _WARM * least / blocks.k
    if warm == 0.0:
        return best
    steps = warm * np.geomspace(1.0, _COOL / _WARM, _TURNS + 1)
    rng = np.random.default_rng(seed)
    each_turn = 1 + tries * blocks.k // _TURNS
    for turn in range(_TURNS):
        if stop():
            break
        labels, found = swapped(
            blocks.centroid, blocks.mass, labels, blocks.k,
            each_turn, steps[turn], steps[turn + 1], rng,
        )  # fmt: skip
        if (found_cost := cost(found)) < least:
            best, least = found, found_cost
    return best
