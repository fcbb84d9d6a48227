"""Passes over many blocks, a strip at a time, by one thread or several.

The strips do not depend on the number of threads, and their results are added in their order, so
neither do the sums. The compiled loops release Python's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.feasibility.graph import Graph
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.centers import block_sums, block_wcss, means_of, some_costs
from ccviz.solvers.assignment.kernels.nearest import assign_nearest
from ccviz.solvers.assignment.kernels.rules import Candidates, open_candidates
from ccviz.solvers.assignment.wide import WideNearest, product_costs
from ccviz.solvers.common.dimensions import is_wide

STRIP = 1 << 16
"""Blocks of a strip."""
_CELLS = 1 << 22
"""Costs of blocks at centres that are computed together at most."""

Answer = TypeVar("Answer")


class Passes:
    """The passes of a descent; `open_passes` makes them.

    Parameters
    ----------
    blocks : Blocks
    run : callable
        Maps a function over strips, in order: ``map``, or that of a pool of threads.
    strip : int
        Blocks of a strip.
    """

    def __init__(self, blocks: Blocks, run: Callable[..., Any] = map, strip: int = STRIP) -> None:
        self._centroid, self._mass, self._run = blocks.centroid, blocks.mass, run
        self._strip = strip

    def nearest(
        self,
        free: IntArray,
        centers: FloatArray,
        drift: FloatArray,
        labels: IntArray,
        lower: FloatArray,
    ) -> float:
        """Give each free block its nearest centre, see `assign_nearest`."""

        def work(strip: slice) -> float:
            return assign_nearest(
                self._centroid, self._mass, free[strip], centers, drift, labels, lower[strip]
            )

        return float(sum(self._over(len(free), work)))

    def wide(self, free: IntArray) -> WideNearest:
        """Return what finds nearest centres of free blocks of many features, pass by pass."""
        return WideNearest(self._centroid, free, self._run)

    def candidates(self, linked: IntArray, graph: Graph, centers: FloatArray) -> Candidates:
        """Return where the linked blocks can go, see `open_candidates`."""
        costs = product_costs if is_wide(len(linked), *centers.shape) else some_costs

        def work(strip: slice) -> Candidates:
            some = linked[strip]
            cost = costs(self._centroid, self._mass, some, centers)
            return open_candidates(cost, freeze(np.arange(len(some))), strip.start, graph)

        step = min(self._strip, max(1, _CELLS // len(centers)))
        opened = self._over(len(linked), work, step) or [work(slice(0, 0))]
        return Candidates(*(np.concatenate(each) for each in zip(*opened, strict=True)))

    def means(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        """Return (k, d) the mean of each cluster; an empty one keeps its centre."""

        def work(strip: slice) -> tuple[FloatArray, FloatArray]:
            return block_sums(self._centroid[strip], self._mass[strip], labels[strip], len(centers))

        totals, weights = zip(*self._over(len(labels), work), strict=True)
        return means_of(sum(totals), sum(weights), centers)

    def wcss(self, labels: IntArray, centers: FloatArray) -> float:
        """Return the WCSS around given centres, the blocks' own scatter apart."""

        def work(strip: slice) -> float:
            return block_wcss(self._centroid[strip], self._mass[strip], labels[strip], centers)

        return float(sum(self._over(len(labels), work)))

    def _over(
        self, n: int, work: Callable[[slice], Answer], step: int | None = None
    ) -> list[Answer]:
        step = step or self._strip
        return list(self._run(work, [slice(at, at + step) for at in range(0, n, step)]))


@contextmanager
def open_passes(blocks: Blocks, threads: int, strip: int = STRIP) -> Iterator[Passes]:
    """Open passes over the blocks by a number of threads.

    Parameters
    ----------
    blocks : Blocks
    threads : int
        1 is the calling thread.
    strip : int
        Blocks of a strip.
    """
    if threads == 1:
        yield Passes(blocks, strip=strip)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield Passes(blocks, pool.map, strip)
