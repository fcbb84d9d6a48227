"""Compiled cover of a conflict graph by cliques.

Of a clique of conflicts at most one block can be in a cluster: one row that says so is stronger
than a row for each of its pairs.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import IntArray
from ccviz.compiled import njit


@njit(cache=True)
def clique_cover(start: IntArray, neighbour: IntArray) -> tuple[IntArray, IntArray]:
    """Cover every edge of a graph by greedy cliques.

    Parameters
    ----------
    start : (v + 1,) int64
    neighbour : (2e,) int64
        Compressed sparse rows with sorted neighbours.

    Returns
    -------
    first : (q + 1,) int64
    member : (...,) int64
        The members of clique i are ``member[first[i]:first[i + 1]]``.
    """
    vertices = len(start) - 1
    covered = np.zeros(len(neighbour), np.bool_)
    order = np.argsort(-(start[1:] - start[:-1]), kind="mergesort")
    first = np.zeros(len(neighbour) // 2 + 1, np.int64)
    member = np.empty(2 * len(neighbour), np.int64)
    common, cliques = np.empty(vertices, np.int64), 0
    for v in order:
        for e in range(start[v], start[v + 1]):
            if covered[e]:
                continue
            top = first[cliques]
            member[top], size = v, 1
            wanted, left = neighbour[e], start[v + 1] - start[v]
            common[:left] = neighbour[start[v] : start[v + 1]]
            while wanted >= 0:
                member[top + size] = wanted
                size += 1
                left = _keep_neighbours(common, left, wanted, start, neighbour)
                wanted = _largest_degree(common, left, start)
            _mark_covered(member[top : top + size], start, neighbour, covered)
            cliques += 1
            first[cliques] = top + size
            if first[cliques] + vertices > len(member):
                member = np.concatenate((member, np.empty_like(member)))
    return first[: cliques + 1], member[: first[cliques]]


@njit(cache=True)
def _keep_neighbours(
    common: IntArray, left: int, vertex: int, start: IntArray, neighbour: IntArray
) -> int:
    """Keep the common vertices that are neighbours of one more; both lists are sorted."""
    kept, e = 0, start[vertex]
    for place in range(left):
        while e < start[vertex + 1] and neighbour[e] < common[place]:
            e += 1
        if e < start[vertex + 1] and neighbour[e] == common[place]:
            common[kept] = common[place]
            kept += 1
    return kept


@njit(cache=True)
def _largest_degree(common: IntArray, left: int, start: IntArray) -> int:
    best, most = -1, -1
    for place in range(left):
        degree = start[common[place] + 1] - start[common[place]]
        if degree > most:
            best, most = common[place], degree
    return best


@njit(cache=True)
def _mark_covered(
    clique: IntArray, start: IntArray, neighbour: IntArray, covered: IntArray
) -> None:
    for v in clique:
        for e in range(start[v], start[v + 1]):
            for u in clique:
                if neighbour[e] == u:
                    covered[e] = True
