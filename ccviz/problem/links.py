"""Must-link and cannot-link pairs, their closure, and the chain behind a contradiction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import ProblemError, quote


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
        return self.where(self.is_hard)

    @property
    def soft(self) -> Links:
        """The links that may be broken at a price."""
        return self.where(~self.is_hard)

    def where(self, mask: NDArray[np.bool_]) -> Links:
        """Return some of the links, in their order.

        Parameters
        ----------
        mask : (m,) bool
        """
        if mask.all():
            return self
        return Links(freeze(self.pairs[mask]), freeze(self.weights[mask]))


@dataclass(frozen=True, eq=False)
class Repeated:
    """Pairs that were given more than once, each of which is kept once.

    Attributes
    ----------
    kind : str
        ``"must-link"`` or ``"cannot-link"``.
    links : Links
        With the weight that is kept, the greatest of those given.
    """

    kind: str
    links: Links

    def words(self, names: Sequence[str] = ()) -> str:
        """Return a sentence with the number of pairs and the first.

        Parameters
        ----------
        names : sequence of str
            Of the points; numbers by default.
        """
        weight, more = self.links.weights[0], len(self.links) - 1
        i, j = (names[end] if names else end for end in self.links.pairs[0].tolist())
        if more:
            which = "" if self.links.is_hard.all() else ", of its greatest weight"
            some = f"{self.kind} {i}-{j} and {more:,} more are"
            return f"{some} given more than once; each is kept once{which}."
        which = "" if weight == np.inf else f", of its greatest weight, {weight:g}"
        return f"{self.kind} {i}-{j} is given more than once; it is kept once{which}."


def read_links(given: Any, n: int, kind: str) -> tuple[Links, tuple[Repeated, ...]]:
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
    repeated : tuple of Repeated
        One, if pairs were given more than once.

    Raises
    ------
    ProblemError
        If a pair is malformed, joins a point to itself, or names a point that does not exist.
    """
    if isinstance(given, Links):
        given = given.pairs if given.is_hard.all() else np.c_[given.pairs, given.weights]
    elif given is None:
        given = ()
    elif hasattr(given, "to_numpy"):  # a data frame, whose iteration yields names
        given = given.to_numpy()
    try:
        items = given if isinstance(given, np.ndarray) and given.ndim else list(given)
    except TypeError:
        raise ProblemError(f"the {kind}s are {given!r}, not a list of pairs.") from None
    table = _as_table(items)
    if table is None:
        links = [_read_link(item, position, n, kind) for position, item in enumerate(items)]
        table = np.array(links, dtype=np.float64).reshape(-1, 3)
    elif not (fine := _are_fine(table, n)).all():
        wrong = int(fine.argmin())
        _read_link(items[wrong], wrong, n, kind)
    return _unique(table, n, kind)


def _as_table(items: Any) -> NDArray[Any] | None:
    """Return links as one array of numbers; None without any, of several lengths, or no numbers."""
    try:
        table = np.asarray(items)
    except (ValueError, OverflowError):
        return None
    is_table = table.ndim == 2 and len(table) > 0 and table.dtype.kind in "biuf"
    return table if is_table else None


def _are_fine(table: NDArray[Any], n: int) -> NDArray[np.bool_]:
    """Return (m,) bool: which rows `_read_link` accepts."""
    if table.shape[1] not in {2, 3}:
        return np.zeros(len(table), dtype=bool)
    i, j, *weight = table.T
    fine = (i >= 0) & (i < n) & (j >= 0) & (j < n) & (i != j)
    if table.dtype.kind == "f":
        fine &= (np.floor(i) == i) & (np.floor(j) == j)
    return fine & (weight[0] > 0) if weight else fine


def _read_link(item: Sequence[Any], position: int, n: int, kind: str) -> tuple[int, int, float]:
    """Return a link as two indices and a weight; raise a `ProblemError` if it is malformed."""
    try:
        first, second, *rest = item
        i, j = int(first), int(second)
        weight = float(rest[0]) if rest else np.inf
        well_formed = i == first and j == second and len(rest) <= 1
    except (TypeError, ValueError, OverflowError):
        well_formed = False
    if not well_formed:
        raise ProblemError(
            f"{kind} number {position + 1} is {quote(item)}, "
            "not two point indices and maybe a weight."
        )
    for index in (i, j):
        if not 0 <= index < n:
            raise ProblemError(
                f"{kind} {quote(i)}-{quote(j)} names point {quote(index)}, "
                f"but the points are 0 to {n - 1}."
            )
    if i == j:
        raise ProblemError(f"{kind} {i}-{j} joins a point to itself.")
    if not weight > 0:
        raise ProblemError(f"{kind} {i}-{j} has weight {weight}, but weights are positive.")
    return i, j, weight


MOST_NAMED = 5
"""A sentence names this many points, words or clusters of a kind, and counts the rest."""


def _unique(table: NDArray[Any], n: int, kind: str) -> tuple[Links, tuple[Repeated, ...]]:
    """Keep each pair once, hard winning over soft and the larger weight over the smaller."""
    first, second = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    key = np.minimum(first, second) * n + np.maximum(first, second)
    weights = np.full(len(key), np.inf) if table.shape[1] == 2 else table[:, 2].astype(np.float64)
    if (key[1:] <= key[:-1]).any():
        if np.isinf(weights).all():
            key.sort()  # much faster than to sort by key
        else:
            order = np.argsort(key, kind="stable")
            key, weights = key[order], weights[order]
    again = np.zeros(len(key), dtype=bool)
    again[1:] = key[1:] == key[:-1]
    twice = np.unique(key[again])
    if len(twice):
        weights = np.maximum.reduceat(weights, np.flatnonzero(~again))
        key = key[~again]
    links = Links(freeze(np.stack(np.divmod(key, n), axis=1)), freeze(weights))
    return links, (Repeated(kind, links.where(np.isin(key, twice))),) if len(twice) else ()


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
    graph = graph_of(pairs, n)
    count, component = connected_components(graph, directed=False)
    first = np.empty(count, dtype=np.int64)
    first[component[::-1]] = np.arange(n - 1, -1, -1)  # the last to write is the smallest
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(count)
    return rank[component]


def graph_of(pairs: IntArray, size: int) -> csr_array:
    """Return the symmetric 0/1 adjacency matrix of unique pairs.

    Parameters
    ----------
    pairs : (m, 2) int64
    size : int
        Number of vertices.

    Returns
    -------
    (size, size) csr_array of 0 and 1
    """
    row = np.concatenate([pairs[:, 0], pairs[:, 1]])
    column = np.concatenate([pairs[:, 1], pairs[:, 0]])
    return coo_array((np.ones(len(row)), (row, column)), shape=(size, size)).tocsr()


def chain(pairs: IntArray, start: int, goal: int) -> tuple[int, ...]:
    """Return a shortest path of links from one point to another, empty if there is none.

    Parameters
    ----------
    pairs : (m, 2) int64

    Returns
    -------
    tuple of int
        The points on the path, both ends included.
    """
    graph = graph_of(pairs, max(start, goal, int(pairs.max(initial=0))) + 1)
    came_from = breadth_first_order(graph, start, directed=False)[1]
    path = [goal]
    while path[-1] != start:
        if came_from[path[-1]] < 0:
            return ()
        path.append(int(came_from[path[-1]]))
    return tuple(reversed(path))


def adjacency(pairs: Iterable[Sequence[int]]) -> dict[int, list[int]]:
    """Return the neighbours of each index that occurs in the pairs."""
    neighbours: dict[int, list[int]] = {}
    for i, j in pairs:
        neighbours.setdefault(i, []).append(j)
        neighbours.setdefault(j, []).append(i)
    return neighbours
