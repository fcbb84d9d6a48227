"""The relaxation's matrix as a picture: grey at first, black blocks once it is a clustering."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Event, Record, RelaxationSolved

_MOST_BYTES = 32 << 20
_MOST_PIXELS = 400


@dataclass(frozen=True, eq=False)
class Matrix:
    """Likeness of blocks, ordered so that clusters lie along the diagonal.

    Attributes
    ----------
    node : int
    image : (m, m) uint8
        255 · Z_ij / √(Z_ii Z_jj): 255 where two blocks surely share a cluster, 0 where they
        surely do not. Averaged down where there are more than 400 blocks.
    order : (s,) int64
        The blocks along the axes.
    edges : (c,) float64
        Where a cluster of the incumbent ends, in blocks.
    settled : float
        How near the entries are to 0 or 1 on average: 1 for a clustering.
    """

    node: int
    image: np.ndarray
    order: IntArray
    edges: FloatArray
    settled: float


class RelaxationLog:
    """The newest matrix of each node, as many as 32 MiB hold, and of the root in any case."""

    events: ClassVar[frozenset[type[Event]]] = frozenset({RelaxationSolved})

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every record."""
        self._of: dict[int, RelaxationSolved] = {}
        self._bytes = 0

    def feed(self, records: Iterable[Record]) -> None:
        """Take more records."""
        for record in records:
            if isinstance(record.event, RelaxationSolved):
                self._keep(record.event)

    def _keep(self, event: RelaxationSolved) -> None:
        self._drop(event.node)
        self._of[event.node] = event
        self._bytes += event.Z.nbytes
        for node in list(self._of):
            if self._bytes > _MOST_BYTES and node not in (0, event.node):
                self._drop(node)

    def _drop(self, node: int) -> None:
        if node in self._of:
            self._bytes -= self._of.pop(node).Z.nbytes

    def newest(self, node: int | None = None) -> RelaxationSolved | None:
        """Return the newest matrix of a node, or of all nodes; None if there is none."""
        if node is not None:
            return self._of.get(node)
        return next(reversed(self._of.values()), None)

    def frame(self, labels: IntArray | None, node: int | None = None) -> Matrix | None:
        """Return the picture of a node's matrix, or of the newest."""
        event = self.newest(node)
        return None if event is None else matrix(event, labels)


def matrix(event: RelaxationSolved, labels: IntArray | None = None) -> Matrix:
    """Return the picture of a relaxation.

    Parameters
    ----------
    event : RelaxationSolved
    labels : (n,) int64, optional
        The incumbent, by which the blocks are ordered.
    """
    share = likeness(event.Z)
    cluster = _block_labels(labels, event.block_of, len(share))
    own = (share * (cluster[:, None] == cluster)).sum(axis=1)
    order = np.lexsort((-own, cluster))
    ordered = share[np.ix_(order, order)]
    return Matrix(
        node=event.node,
        image=np.round(255 * _shrunk(ordered)).astype(np.uint8),
        order=order,
        edges=(np.flatnonzero(np.diff(cluster[order])) + 1).astype(np.float64),
        settled=float(1.0 - 4.0 * (share * (1.0 - share)).mean()),
    )


def likeness(Z: FloatArray) -> FloatArray:
    """Return how surely each two blocks share a cluster: 1 surely, 0 surely not."""
    root = np.sqrt(np.maximum(np.diagonal(Z), 1e-12))
    return np.clip(Z / np.outer(root, root), 0.0, 1.0)


def _block_labels(labels: IntArray | None, block_of: IntArray, s: int) -> IntArray:
    of_block = np.zeros(s, dtype=np.int64)
    if labels is not None:
        # A node below the incumbent's may join points that the incumbent keeps apart.
        of_block[block_of] = labels
    return of_block


def _shrunk(ordered: FloatArray) -> FloatArray:
    s = len(ordered)
    if s <= _MOST_PIXELS:
        return ordered
    cuts = np.linspace(0, s, _MOST_PIXELS + 1).astype(np.int64)[:-1]
    width = np.diff([*cuts, s])
    total = np.add.reduceat(np.add.reduceat(ordered, cuts, axis=0), cuts, axis=1)
    return total / np.outer(width, width)
