"""Links between blocks as a graph, for compiled code."""

from __future__ import annotations

from typing import NamedTuple

from ccviz.arrays import FloatArray, IntArray, ShortArray


class Graph(NamedTuple):
    """Linked blocks as compressed sparse rows, in the form that compiled code reads.

    Every link has a price for sharing a cluster: ``inf`` for a conflict, w > 0 for a soft
    cannot-link and -w < 0 for a soft must-link. (Being apart costs w, which is a constant w with
    a reward of w for sharing.)

    Attributes
    ----------
    start : (l + 1,) int64
    neighbour : (2m,) int32
    price : (2m,) float64
    """

    start: IntArray
    neighbour: ShortArray
    price: FloatArray
