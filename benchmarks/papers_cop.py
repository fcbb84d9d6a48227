"""Why COP-k-means finds more optima here than in the paper: its points come one by one there.

Table 8 of Piccialli, Russo Russo and Sudoso (2022), with 100 starts from k-means++ in three ways.
``blocks`` is ours: must-linked points are assigned as one, and each start takes the blocks in an
order of its own. ``closed`` is the original of Wagstaff et al. (2001) in its table 1, with the
links that follow from others: the points come one by one in the order of the table, each goes to
the nearest centre that breaks no link to a point that came before, and the links of the first point
of a block decide for all. ``points`` has only the links as given, so that a later point may find no
cluster.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import _runner as runner
import numpy as np
from papers_exact import SMALL
from scipy.spatial.distance import cdist
from sklearn.cluster import kmeans_plusplus

from ccviz import Problem, start
from ccviz.problem.blocks import contract
from ccviz.studies.suite import instances

SETS = (*SMALL, "glass", "accent", "ecoli")
WAYS, STARTS, LONGEST = ("blocks", "closed", "points"), 100, 100
Partners = list[list[int]]


def partners(problem: Problem, way: str) -> tuple[Partners, Partners]:
    """Return the must-linked and the cannot-linked points of each point."""
    must, cannot = problem.must_link.pairs.tolist(), problem.cannot_link.pairs.tolist()
    if way == "closed":
        blocks = contract(problem)
        members = [blocks.members(block).tolist() for block in range(blocks.s)]
        must = [(i, j) for block in members for i in block for j in block if i < j]
        cannot = [
            (i, j) for a, b in blocks.conflicts.tolist() for i in members[a] for j in members[b]
        ]
    return both_ways(must, problem.n), both_ways(cannot, problem.n)


def both_ways(pairs: list, n: int) -> Partners:
    found: Partners = [[] for _ in range(n)]
    for i, j in pairs:
        found[i].append(j)
        found[j].append(i)
    return found


def one_by_one(problem: Problem, must: Partners, cannot: Partners, seed: int) -> float:
    """Return the WCSS of a start; infinite if a point finds no cluster, or a cluster no point."""
    centers, _ = kmeans_plusplus(problem.X, problem.k, random_state=seed)
    before: list[int] = []
    for _ in range(LONGEST):
        labels = assign(cdist(problem.X, centers).argsort(axis=1).tolist(), must, cannot)
        if len(set(labels)) < problem.k:
            return np.inf
        groups = [problem.X[np.array(labels) == cluster] for cluster in range(problem.k)]
        centers = np.array([group.mean(axis=0) for group in groups])
        if labels == before:
            break
        before = labels
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def assign(nearest: list[list[int]], must: Partners, cannot: Partners) -> list[int]:
    """Return the labels of the points, none if one finds no cluster."""
    labels = [-1] * len(nearest)
    for i, clusters in enumerate(nearest):
        held = {labels[j] for j in must[i]} - {-1}
        barred = {labels[j] for j in cannot[i]}
        allowed = (c for c in clusters if c not in barred and held <= {c})
        labels[i] = next(allowed, -1)
        if labels[i] < 0:
            return []
    return labels


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for each in instances(runner.SUITE):
        if each.dataset in options.sets and each.seed in options.links:
            yield from ((each.dataset, each.ml, each.cl, each.seed, way, each) for way in WAYS)


def measure(_: Namespace, *case: Any) -> dict[str, object]:
    """Return the best of all starts as the gap to the optimum, and how many starts failed."""
    *_key, way, instance = case
    problem, began = instance.problem(), time.process_time()
    if way == "blocks":
        run = start(problem, "cop-kmeans", n_init=STARTS, init="k-means++")
        failed = sum(type(record.event).__name__ == "DeadEnded" for record in run)
        best = run.run.objective
    else:
        values = [one_by_one(problem, *partners(problem, way), seed) for seed in range(STARTS)]
        failed, best = sum(np.isinf(values)), min(values)
    gap, spent = best / instance.published_f - 1, time.process_time() - began
    return {"gap": f"{gap:.2e}", "failed": failed, "cpu_s": f"{spent:.2f}"}


if __name__ == "__main__":
    runner.run(
        __doc__, "papers_cop", ("dataset", "ml", "cl", "links", "way"), cases, measure,
        cpu_clock=True, sets=SETS, links=[0, 1, 2],
    )  # fmt: skip
