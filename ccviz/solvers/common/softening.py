"""For solvers that weigh every link: hard links counted as soft ones, and links as a graph."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem


def soften(problem: Problem) -> Problem:
    """Return the problem with weight 1 in place of every hard link."""
    return Problem(
        problem.X,
        problem.k,
        must_link=_softened(problem.must_link),
        cannot_link=_softened(problem.cannot_link),
        sizes=problem.sizes,
        truth=problem.truth,
        weights=problem.weights,
    )


def _softened(links: Links) -> Links:
    return Links(links.pairs, np.where(links.is_hard, 1.0, links.weights))


def priced_graph(problem: Problem, price: float) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all links of a softened problem as compressed sparse rows.

    Returns
    -------
    start : (n + 1,) int64
    neighbour : (2m,) int64
    cost : (2m,) float64
        What sharing a cluster with the neighbour costs: ``price`` times the weight of a
        cannot-link, less that of a must-link. (Being apart costs the must-link's weight, which is
        a constant with a reward of as much for sharing.)
    """
    must, cannot = problem.must_link, problem.cannot_link
    pairs = np.concatenate([must.pairs, cannot.pairs])
    cost = price * np.concatenate([-must.weights, cannot.weights])
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    start = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=problem.n))])
    return start, ends[order, 1], np.concatenate([cost, cost])[order]
