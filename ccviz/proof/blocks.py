"""Blocks computed in NumPy alone, since a proof is checked without code of the solvers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.problem.sums import MinSum, SumLimit
from ccviz.proof.connection import Paths, paths_of
from ccviz.proof.reading import FlawError

MOST_BLOCKS = 1 << 15
"""Most blocks of a node: their conflicts are a matrix, which then has 1 GiB."""


@dataclass(frozen=True, eq=False)
class PlainBlocks:
    """The problem of a node, contracted."""

    # (n,): Numbered by the blocks' first points. Points in blocks of weight 0, which are left out,
    # have number 0.
    block_of: np.ndarray
    number: np.ndarray  # (n,): The same, but blocks of weight 0 come after the others
    mass: np.ndarray  # (s,): Weights of the blocks; exact sums (`ccviz.problem.points`)
    conflict: np.ndarray
    count: np.ndarray
    paths: Paths | None = None  # What neighbours say of all blocks, those of weight 0 last

    @property
    def has_bridges(self) -> bool:
        """Whether blocks of weight 0 have to be in clusters, as neighbours of others."""
        return self.paths is not None and len(self.paths.blocks) > len(self.mass)

    @property
    def members(self) -> list[np.ndarray]:
        """The points of each block."""
        return [np.flatnonzero(self.block_of == b) for b in range(len(self.mass))]


def contract_plainly(problem: Problem, must: np.ndarray, cannot: np.ndarray) -> PlainBlocks | None:
    """Return the blocks of (m, 2) and (c, 2) pairs of points; None if the links contradict.

    They do, too, where neighbours do not join the points of a block.

    Without its blocks of weight 0 and their conflicts a problem has no clusterings less. `Paths`
    has them, since they may join others.

    Raises `FlawError` if blocks of weight 0 have soft links, or sizes or rules beside them, without
    neighbours; or if there are more than `MOST_BLOCKS`.
    """
    numbers = number_blocks(problem.n, problem.k, must, cannot)
    if numbers is None:
        return None
    number, block_of, is_in = leave_out_weightless(problem, numbers)
    s = int(block_of.max()) + 1
    size = s if problem.neighbors is None else int(number.max()) + 1
    if size > MOST_BLOCKS:
        raise FlawError(f"has {size:,} blocks, and at most {MOST_BLOCKS:,} can be verified")
    conflict = np.zeros((size, size), dtype=bool)
    ends = number[cannot]
    ends = ends[(ends < size).all(axis=1)]
    conflict[ends[:, 0], ends[:, 1]] = conflict[ends[:, 1], ends[:, 0]] = True
    is_in[problem.n_points :] = False  # given centres are not counted
    count = np.bincount(block_of[is_in], minlength=s).astype(float)
    mass, paths = np.bincount(block_of, problem.masses, s), paths_of(problem, number, conflict)
    if paths is not None:
        conflict = paths.conflict[:s, :s]
    torn = paths is not None and paths.is_torn
    return None if torn else PlainBlocks(block_of, number, mass, conflict, count, paths)


def sums_of(problem: Problem, blocks: PlainBlocks) -> tuple[tuple[np.ndarray, float], ...]:
    """Return what limits on sums, and sizes beside weights, ask of each row over the blocks.

    All entries of a row of Z in the cluster of its block are equal, and the others 0. So that a
    cluster keeps a limit says of row i: sum of a_j Z_ij + c Z_ii >= 0. Returns a (s,) and c.
    """
    found: list[tuple[np.ndarray, float]] = []
    for rule in problem.rules:
        if not isinstance(rule, SumLimit):
            continue
        values = np.array(rule.values)
        if len(values) != problem.n:
            raise FlawError("a rule has not one value for each point")
        if not isinstance(rule, MinSum):
            found.append((-values, rule.limit))
        elif rule.limit > 0.0:
            found.append((values, -rule.limit))
    if problem.weights is not None and problem.sizes is not None:
        ones, sizes = np.ones(problem.n), problem.sizes
        found += [(ones, -float(sizes.lower.min())), (-ones, float(sizes.upper.max()))]
    # Points in blocks of weight 0 have no entries in Z: any of them may be in the cluster, or none.
    number, s = blocks.number, len(blocks.mass)
    return tuple(
        (np.bincount(number, a, s)[:s], own + float(np.maximum(a[number >= s], 0.0).sum()))
        for a, own in found
    )


def leave_out_weightless(
    problem: Problem, numbers: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points' blocks, those of weight 0 last; the same without; and which points are left.

    Points that are left out have the number 0.
    """
    has_weight = np.bincount(numbers, problem.masses) > 0.0
    number = np.argsort(np.argsort(~has_weight, kind="stable"))[numbers]
    is_in = has_weight[numbers]
    soft = [links.soft.pairs for links in (problem.must_link, problem.cannot_link)]
    bound = problem.sizes is not None or problem.rules or (~is_in[np.concatenate(soft)]).any()
    if bound and problem.neighbors is None and not is_in.all():
        raise FlawError("has constraints on points of weight 0, which cannot be verified")
    return number, np.where(is_in, number, 0), is_in


def number_blocks(n: int, k: int, must: np.ndarray, cannot: np.ndarray) -> np.ndarray | None:
    """Return the block of each point, as above; None if the links contradict."""
    block_of = _components(n, must)
    if k == 2:
        block_of = _join_sides(block_of, cannot)
    if (block_of[cannot[:, 0]] == block_of[cannot[:, 1]]).any():
        return None
    return block_of


def _components(n: int, pairs: np.ndarray) -> np.ndarray:
    """Return each point's component, numbered by first points."""
    smallest = np.arange(n)
    while True:
        before = smallest.copy()
        low = np.minimum(smallest[pairs[:, 0]], smallest[pairs[:, 1]])
        np.minimum.at(smallest, pairs[:, 0], low)
        np.minimum.at(smallest, pairs[:, 1], low)
        smallest = smallest[smallest]
        if (smallest == before).all():
            return np.unique(smallest, return_inverse=True)[1]


def _join_sides(block_of: np.ndarray, cannot: np.ndarray) -> np.ndarray:
    """For k = 2: points at an even number of cannot-links from each other belong together.

    In the doubled graph (point, side) a cannot-link joins opposite sides; two points share a
    component on the same side exactly if an even walk joins them.
    """
    n = len(block_of)
    first = np.unique(block_of, return_index=True)[1][block_of]
    same = np.column_stack([first, np.arange(n)])
    across = np.concatenate([cannot + [0, n], cannot + [n, 0]])
    doubled = _components(2 * n, np.concatenate([same, same + n, across]))
    touched = np.isin(block_of, block_of[cannot.ravel()])
    key = np.where(touched, doubled[:n], 2 * n + block_of)
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(index))[inverse]
