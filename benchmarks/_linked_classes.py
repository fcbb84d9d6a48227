"""Classes that follow from link files: published links without errors say which points agree."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ccviz import Problem
from ccviz.arrays import IntArray


def two_classes(problems: Iterable[Problem]) -> IntArray:
    """Return the two classes of points, where the links of all problems together settle them.

    Every point has two sides. A must-link joins the equal sides of its points, a cannot-link the
    unequal ones. Where two connected parts remain, the first sides of a class are in one of them.
    """
    first, second = [], []
    for problem in problems:
        n = problem.n
        for links, apart in ((problem.must_link, 0), (problem.cannot_link, 1)):
            i, j = np.asarray(links.pairs, dtype=np.int64).reshape(-1, 2).T
            for side in (0, 1):
                first.append(i + side * n)
                second.append(j + (side ^ apart) * n)
    ends = np.concatenate(first), np.concatenate(second)
    graph = coo_matrix((np.ones(len(ends[0])), ends), shape=(2 * n, 2 * n))
    count, part = connected_components(graph, directed=False)
    if count != 2:
        raise ValueError("These links do not settle the classes of all points.")
    return np.unique(part[:n], return_inverse=True)[1]
