"""Must-link and cannot-link pairs, their closure, and the chain behind a contradiction."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import ProblemError


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of points with a weight each.

    Attributes
    ----------
    pairs : (m, 2) int64
        Point indices with the smaller first, sorted, each pair once.
    weights : (m,) float64
        ``inf`` for a hard link, otherwise the penalty of breaking a soft one.
    """

    pairs: IntArray
    weights: FloatArray

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def is_hard(self) -> NDArray[np.bool_]:
        """(m,) bool: which links are hard."""
        return np.isinf(self.weights)

    @property
    def hard(self) -> Links:
        """The links that must be kept."""
        return self._where(self.is_hard)

    @property
    def soft(self) -> Links:
        """The links that may be broken at a price."""
        return self._where(~self.is_hard)

    def _where(self, mask: NDArray[np.bool_]) -> Links:
        return Links(freeze(self.pairs[mask]), freeze(self.weights[mask]))


def read_links(given: Any, n: int, kind: str) -> tuple[Links, list[str]]:
    """Check links as users give them.

    Parameters
    ----------
    given : Links, array, data frame, iterable or None
        Of ``(i, j)`` and ``(i, j, weight)``.
        A pair without a weight, or with weight ``inf``, is hard.
    n : int
        Number of points; indices run from 0 to n - 1.
    kind : str
        ``"must-link"`` or ``"cannot-link"``, for the sentences.

    Returns
    -------
    links : Links
    notices : list of str
        One sentence for each pair given more than once: it is kept once, hard winning over soft
        and the larger weight over the smaller.

    Raises
    ------
    ProblemError
        If a pair is malformed, joins a point to itself, or names a point that is not there.
    """
    if isinstance(given, Links):
        given = np.column_stack([given.pairs, given.weights])
    elif given is None:
        given = ()
    elif hasattr(given, "to_numpy"):  # a data frame, whose iteration yields names
        given = given.to_numpy()
    try:
        items = list(given)
    except TypeError:
        raise ProblemError(f"the {kind}s are {given!r}, not a list of pairs.") from None
    triples = [_read_link(item, position, n, kind) for position, item in enumerate(items)]
    weight_of: dict[tuple[int, int], float] = {}
    twice = {}
    for i, j, weight in triples:
        if (i, j) in weight_of:
            twice[i, j] = f"{kind} {i}-{j} is given more than once; it is kept once."
        weight_of[i, j] = max(weight, weight_of.get((i, j), 0.0))
    ordered = sorted(weight_of)
    pairs = np.array(ordered, dtype=np.int64).reshape(-1, 2)
    weights = np.array([weight_of[pair] for pair in ordered], dtype=np.float64)
    return Links(freeze(pairs), freeze(weights)), list(twice.values())


def _read_link(item: Sequence[Any], position: int, n: int, kind: str) -> tuple[int, int, float]:
    try:
        first, second, *rest = item
        i, j = int(first), int(second)
        weight = float(rest[0]) if rest else np.inf
        well_formed = i == first and j == second and len(rest) <= 1
    except (TypeError, ValueError, OverflowError):
        well_formed = False
    if not well_formed:
        raise ProblemError(
            f"{kind} number {position + 1} is {item!r}, not two point indices and maybe a weight."
        )
    for index in (i, j):
        if not 0 <= index < n:
            raise ProblemError(
                f"{kind} {i}-{j} names point {index}, but the points are 0 to {n - 1}."
            )
    if i == j:
        raise ProblemError(f"{kind} {i}-{j} joins a point to itself.")
    if not weight > 0:
        raise ProblemError(f"{kind} {i}-{j} has weight {weight}, but weights are positive.")
    return min(i, j), max(i, j), weight


def closure(n: int, pairs: IntArray) -> IntArray:
    """Return (n,) the component number of each point under must-links, in order of first member.

    Parameters
    ----------
    n : int
        Number of points.
    pairs : (m, 2) int64

    Returns
    -------
    (n,) int64
    """
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    component = connected_components(graph, directed=False)[1]
    _, first, inverse = np.unique(component, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def chain(pairs: IntArray, start: int, goal: int) -> tuple[int, ...]:
    """Return a shortest path of links from one point to another, empty if there is none.

    Parameters
    ----------
    pairs : (m, 2) int64
    start, goal : int

    Returns
    -------
    tuple of int
        The points on the path, both ends included.
    """
    neighbours = adjacency(pairs.tolist())
    came_from = {start: start}
    queue = deque([start])
    while queue and goal not in came_from:
        point = queue.popleft()
        for other in neighbours.get(point, ()):
            if other not in came_from:
                came_from[other] = point
                queue.append(other)
    if goal not in came_from:
        return ()
    path = [goal]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


def adjacency(pairs: Iterable[Sequence[int]]) -> dict[int, list[int]]:
    """Return the neighbours of each index that occurs in the pairs.

    Parameters
    ----------
    pairs : iterable of two ints

    Returns
    -------
    dict of int to list of int
    """
    neighbours: dict[int, list[int]] = {}
    for i, j in pairs:
        neighbours.setdefault(i, []).append(j)
        neighbours.setdefault(j, []).append(i)
    return neighbours
