"""A clustering of many clusters improved by random swaps, annealed (`_swaps`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.problem.blocks import Blocks
from ccviz.solvers.assignment.centers import block_means, block_wcss, squared_distance
from ccviz.solvers.base import never

# --- Compiled random swaps: a centre is taken from one place and put on a block elsewhere ---------
#
# Fränti, "Efficiency of random swap clustering", Journal of Big Data 5 (2018). With many clusters a
# swap changes the clusters around the two places only, so k-means and exact moves (`_state`)
# improve those alone; simulated annealing accepts or rejects it. Conflicts are ignored: it is for
# blocks without.

_NEAR = 6  # clusters around each place that take part
_ITERATIONS = 40  # of k-means, at most, and then sweeps of moves
_ENDED = 1e-7  # relative gain at which k-means ends
_BETTER = 1e-9  # relative gain that counts as one


class Local(NamedTuple):
    """Some blocks with centres of their own."""

    point: FloatArray  # (s, d): All blocks
    mass: FloatArray
    member: IntArray  # (p,): Those that take part
    center: FloatArray  # (m, d)
    new: IntArray  # (p,): Their places among the centres
    total: FloatArray  # (m, d): Sum of mass times point, and (m,) mass, about each centre
    weight: FloatArray


@njit(cache=True)
def swapped(
    point: FloatArray,
    mass: FloatArray,
    label: IntArray,
    k: int,
    tries: int,
    warm: float,
    cool: float,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Try random swaps, from one temperature to another.

    `label` (s,): No cluster empty. `warm`, `cool`: Temperature, about the accepted rise of the
    cost, in the beginning and in the end. Returns `label`, `best` (s,): Where it ends, and the best
    on its way.
    """
    label, best = label.copy(), label.copy()
    center = block_means(point, mass, label, np.zeros((k, point.shape[1])))
    spread, least = 0.0, 0.0
    near = min(_NEAR, k - 1)
    member, new = np.empty(len(label), np.int64), np.empty(len(label), np.int64)
    part = np.zeros(k, np.bool_)
    for t in range(tries):
        temperature = warm * (cool / warm) ** (t / tries)
        removed = rng.integers(0, k)
        around = np.argsort(_gaps(center, center[removed]))[: near + 1]
        onto = rng.integers(0, len(label))
        if rng.random() < 0.5:  # nearby
            goal = around[1 + rng.integers(0, near)]
            while label[onto] != goal:
                onto = rng.integers(0, len(label))
        goal = label[onto]
        if goal == removed:
            continue
        part[:] = False
        part[around] = True
        part[np.argsort(_gaps(center, center[goal]))[: near + 1]] = True
        chosen = np.flatnonzero(part)
        size, before = 0, 0.0
        for b in range(len(label)):
            if part[label[b]]:
                member[size] = b
                size += 1
                before += mass[b] * squared_distance(point[b], center[label[b]])
        moved = center[chosen]
        moved[np.searchsorted(chosen, removed)] = point[onto]
        total, weight = np.empty(moved.shape), np.empty(len(moved))
        after = _mended(Local(point, mass, member[:size], moved, new, total, weight))
        change = after - before
        if change <= 0.0 or rng.random() < np.exp(-change / temperature):
            center[chosen] = moved
            for i in range(size):
                label[member[i]] = chosen[new[i]]
            spread += change
            if spread < least - _BETTER * before:
                least = spread
                best[:] = label
    return label, best


@njit(cache=True)
def _mended(local: Local) -> float:
    """Improve centres for some blocks, by k-means and then by moves of single ones.

    Returns their cost, or infinity where a centre is left without a block.
    """
    point, mass, member, center, new, total, weight = local
    last = np.inf
    for _ in range(_ITERATIONS):
        cost = _assigned(local)
        if weight.min() == 0.0:
            return np.inf
        for c in range(len(center)):
            center[c] = total[c] / weight[c]
        if cost >= last * (1.0 - _ENDED):
            break
        last = cost
    for _ in range(_ITERATIONS):
        if not _moved(local):
            break
    cost = 0.0
    for i in range(len(member)):
        cost += mass[member[i]] * squared_distance(point[member[i]], center[new[i]])
    return cost


@njit(cache=True)
def _assigned(local: Local) -> float:
    """Put each block to its nearest centre, and sum them up; return the cost."""
    point, mass, member, center, new, total, weight = local
    total[:], weight[:] = 0.0, 0.0
    cost = 0.0
    for i in range(len(member)):
        b = member[i]
        least, a = np.inf, 0
        for c in range(len(center)):
            gap = squared_distance(point[b], center[c])
            if gap < least:
                least, a = gap, c
        new[i] = a
        cost += mass[b] * least
        _join(point, mass[b], b, a, total, weight)
    return cost


@njit(cache=True)
def _moved(local: Local) -> bool:
    """Move each block where it costs least, the means following; return whether any moved."""
    point, mass, member, center, new, total, weight = local
    moved = False
    for i in range(len(member)):
        b, a = member[i], new[i]
        m, held = mass[b], weight[a]
        if held <= m:
            continue
        least, best = (
            held * m / (held - m) * squared_distance(point[b], center[a]) * (1.0 - _BETTER),
            -1,
        )
        for c in range(len(center)):
            if c != a:
                cost = weight[c] * m / (weight[c] + m) * squared_distance(point[b], center[c])
                if cost < least:
                    least, best = cost, c
        if best >= 0:
            _join(point, -m, b, a, total, weight)
            _join(point, m, b, best, total, weight)
            center[a], center[best] = total[a] / weight[a], total[best] / weight[best]
            new[i] = best
            moved = True
    return moved


@njit(cache=True, forceinline=True)
def _join(
    point: FloatArray, m: float, b: int, c: int, total: FloatArray, weight: FloatArray
) -> None:
    weight[c] += m
    for j in range(point.shape[1]):
        total[c, j] += m * point[b, j]


@njit(cache=True)
def _gaps(center: FloatArray, to: FloatArray) -> FloatArray:
    gaps = np.empty(len(center))
    for c in range(len(center)):
        gaps[c] = squared_distance(center[c], to)
    return gaps


_WARM, _COOL = 0.15, 0.005  # First and last temperature, relative to the mean cost of a cluster
_TURNS = 100  # Number of turns; the annealing can be stopped between two of them


def annealed(
    blocks: Blocks, labels: IntArray, seed: int, stop: Callable[[], bool] = never, tries: int = 1500
) -> IntArray:
    """Return (s,) labels that cost no more.

    `blocks`: Without conflicts, two clusters at least. `labels` (s,): No cluster empty. `stop`:
    True once it should return the best labels so far.
    """
    none = np.zeros((blocks.k, blocks.centroid.shape[1]))

    def cost(of: IntArray) -> float:
        means = block_means(blocks.centroid, blocks.mass, of, none)
        return float(block_wcss(blocks.centroid, blocks.mass, of, means))

    best, least = labels, cost(labels)
    warm = _WARM * least / blocks.k
    if warm == 0.0:
        return best
    steps = warm * np.geomspace(1.0, _COOL / _WARM, _TURNS + 1)
    rng = np.random.default_rng(seed)
    each_turn = 1 + tries * blocks.k // _TURNS
    for turn in range(_TURNS):
        if stop():
            break
        labels, found = swapped(
            blocks.centroid, blocks.mass, labels, blocks.k,
            each_turn, steps[turn], steps[turn + 1], rng,
        )  # fmt: skip
        if (found_cost := cost(found)) < least:
            best, least = found, found_cost
    return best
