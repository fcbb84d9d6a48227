"""From the relaxation to a clustering: Algorithm 1 (IPC-k-means) of Piccialli et al. 2022."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract, with_weight
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.assignment import solve_assignment, structure_of
from ccviz.solvers.assignment.centers import links_cost
from ccviz.solvers.base import never
from ccviz.solvers.relaxation.exchange import drawn_centers, exchanged, short_kmeans
from ccviz.solvers.relaxation.model import Relaxation, relax_to_search

_MOST_ROUNDS = 100
_STILL = 1e-12  # Share of the cost that a round has to gain
_STARTS = 10
_DESCENTS = 4
_SHAKE = 0.3  # random shift of centres, as a share of the spread inside clusters
_ASSIGNMENT_S = 2.0  # time limit of an assignment's hard core
# Seconds of the processor for the descent at the very beginning, that the proof may start. Those of
# the clock would give a busy machine other events.
_FIRST_S = 2.0


def initial_centers(
    relaxation: Relaxation, Y: FloatArray, seed: int, runs: int = _STARTS
) -> list[FloatArray]:
    """Return choices of (k, d) centres, less the mean of all points: steps 1 to 3 of Algorithm 1.

    The rows of the nearest matrix of rank k, times the data, approximate each block's centre;
    k-means over these rows gives the centres to start from, here the best few of several runs.
    """
    values, vectors = np.linalg.eigh(Y)
    leading, weights = vectors[:, -relaxation.k :], values[-relaxation.k :]
    rows = (leading * weights) @ (leading.T @ relaxation.factor)
    rows /= np.sqrt(relaxation.mass)[:, None]
    return _best_means(rows, relaxation.k, np.random.default_rng(seed), runs)


def algorithm_1(
    blocks: Blocks,
    relaxation: Relaxation,
    Y: FloatArray,
    seed: int,
    stop: Callable[[], bool] = never,
) -> IntArray | None:
    """Return (n,) labels by Algorithm 1 as printed; None if no feasible assignment was found.

    One run of k-means gives the centres, and exact assignments and means go on from there.
    """
    (centers, *_) = initial_centers(relaxation, Y, seed, runs=1)
    labels = descend(blocks, relaxation, centers, stop, exchanges=False)
    return None if labels is None else blocks.lift(labels)


def first_clustering(
    blocks: Blocks, relaxation: Relaxation, seed: int, stop: Callable[[], bool] = never
) -> IntArray | None:
    """Return (n,) labels by a short descent from the centres of plain k-means, or None.

    They are something to show before there is a relaxation to round.
    """
    began = time.thread_time()
    starts = _best_means(_points(relaxation), relaxation.k, np.random.default_rng(seed))
    labels = descend(
        blocks,
        relaxation,
        in_order_of_sizes(blocks, relaxation, starts[0]),
        lambda: stop() or time.thread_time() > began + _FIRST_S,
    )
    return None if labels is None else blocks.lift(labels)


def _best_means(
    rows: FloatArray, k: int, rng: np.random.Generator, starts: int = _STARTS
) -> list[FloatArray]:
    """Return the centres of the best different runs of k-means from k-means++ seeds."""
    runs: dict[float, FloatArray] = {}
    for _ in range(starts):
        found = short_kmeans(rows, drawn_centers(rows, k, rng))
        if found is None:  # a cluster ran empty; another start will not
            continue
        centers, labels = found
        objective = float(((rows - centers[labels]) ** 2).sum())
        runs.setdefault(float(f"{objective:.3e}"), centers)
    if not runs:  # fewer different rows than clusters
        return [rows[rng.choice(len(rows), k, replace=False)]]
    return [runs[objective] for objective in sorted(runs)[:_DESCENTS]]


def ipc_kmeans(
    blocks: Blocks,
    relaxation: Relaxation,
    Y: FloatArray,
    seed: int,
    trials: int = 0,
    stop: Callable[[], bool] = never,
    more_starts: Sequence[FloatArray] = (),
) -> IntArray | None:
    """Return (n,) labels by Algorithm 1, improved; None if no feasible assignment was found.

    Several centres are tried, and exchanges go on where assignments and means stop. Each of
    ``trials`` descends once more from the best clustering's centres, all shaken or one of them
    moved to a block, until ``stop`` says so. ``more_starts`` are (k, d) centres in the order of
    the clusters.
    """
    if stop():  # the eigenvectors of thousands of blocks take long
        return None
    rng = np.random.default_rng(seed)
    starts = [
        in_order_of_sizes(blocks, relaxation, each) for each in initial_centers(relaxation, Y, seed)
    ]
    found = [
        labels
        for start in [*more_starts, *starts]
        if (labels := descend(blocks, relaxation, start, stop)) is not None
    ]
    if not found:
        return None
    structure = structure_of(blocks)

    def value(labels: IntArray) -> float:
        return _between(relaxation, labels) - links_cost(labels, structure)

    best = max(found, key=value)
    for trial in range(trials):
        if stop():
            break
        centers = _shaken(relaxation, best, rng, move=trial % 2 == 1)
        new = descend(blocks, relaxation, centers, stop)
        if new is not None and value(new) > value(best):
            best = new
    return blocks.lift(best)


def _shaken(
    relaxation: Relaxation, labels: IntArray, rng: np.random.Generator, move: bool
) -> FloatArray:
    points = _points(relaxation)
    centers = _means(points, relaxation.mass, labels, relaxation.k)
    if move:
        centers[rng.integers(relaxation.k)] = points[rng.integers(relaxation.s)]
        return centers
    spread = np.sqrt(np.average((points - centers[labels]) ** 2, axis=0, weights=relaxation.mass))
    return centers + _SHAKE * spread * rng.normal(size=centers.shape)


def _between(relaxation: Relaxation, labels: IntArray) -> float:
    """The scatter between the clusters, which the best clustering has most of."""
    belongs = np.zeros((relaxation.k, len(labels)))
    belongs[labels, np.arange(len(labels))] = np.sqrt(relaxation.mass)
    total = belongs @ relaxation.factor
    return float(((total**2).sum(axis=1) / (belongs**2).sum(axis=1)).sum())


def descend(
    blocks: Blocks,
    relaxation: Relaxation,
    centers: FloatArray,
    stop: Callable[[], bool] = never,
    exchanges: bool = True,
) -> IntArray | None:
    """Return (s,) labels after exact assignments and means in turn, until nothing moves.

    Where they stop, exchanges of blocks may go on; the two alternate until neither improves, or
    ``stop`` says so. None if not even one assignment was found.
    """
    points = _points(relaxation)
    structure = structure_of(blocks)
    labels: IntArray | None = None
    value = np.inf
    for _ in range(_MOST_ROUNDS):
        cost = relaxation.mass[:, None] * _squared_distances(points, centers)
        found = solve_assignment(
            cost, structure, nonempty=True, warm_start=labels, time_limit=_ASSIGNMENT_S
        )
        if not found.found:
            break
        if stop():
            return found.labels
        new = found.labels
        # Where points coincide there are other labels of the same cost, without end.
        is_still = found.objective >= value - _STILL * abs(value)
        value = found.objective
        if labels is not None and (is_still or (new == labels).all()):
            if not exchanges:
                break
            new, value = exchanged(blocks, relaxation, labels, stop), np.inf
            if (new == labels).all():
                break
        labels = new
        centers = _means(points, relaxation.mass, labels, relaxation.k)
    return labels


def repaired(problem: Problem, labels: IntArray, *, exchanges: bool = False) -> IntArray | None:
    """Return (n,) labels that keep links and sizes, from the centres of some that may not.

    Links of points of weight 0 may be broken.

    `labels` (n,): A clustering of the points without empty clusters. `exchanges`: Whether exchanges
    of blocks go on where assignments and means stop.
    """
    blocks = with_weight(contract(problem))
    relaxation = relax_to_search(blocks)
    mean = blocks.mass @ blocks.centroid / blocks.mass.sum()
    centers = np.nan_to_num(Partition(problem, labels).centers)  # 0 for an empty cluster
    found = descend(blocks, relaxation, centers - mean, exchanges=exchanges)
    return None if found is None else blocks.lift(found)


def in_order_of_sizes(blocks: Blocks, relaxation: Relaxation, centers: FloatArray) -> FloatArray:
    """Return the centres so that the one nearest to most points has the largest cluster."""
    if blocks.sizes is None:
        return centers
    nearest = _squared_distances(_points(relaxation), centers).argmin(axis=1)
    by_points = np.argsort(np.bincount(nearest, relaxation.mass, relaxation.k), kind="stable")
    ordered = np.empty_like(centers)
    ordered[np.argsort(blocks.sizes.lower + blocks.sizes.upper, kind="stable")] = centers[by_points]
    return ordered


def _points(relaxation: Relaxation) -> FloatArray:
    """The (s, d) means of the blocks, less the mean of all points."""
    return relaxation.factor / np.sqrt(relaxation.mass)[:, None]


def _squared_distances(points: FloatArray, centers: FloatArray) -> FloatArray:
    products = points @ centers.T
    return (points**2).sum(axis=1)[:, None] - 2.0 * products + (centers**2).sum(axis=1)


def _means(points: FloatArray, mass: FloatArray, labels: IntArray, k: int) -> FloatArray:
    belongs = np.zeros((k, len(labels)))
    belongs[labels, np.arange(len(labels))] = mass
    return (belongs @ points) / belongs.sum(axis=1)[:, None]
