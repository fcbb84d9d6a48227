"""The compiled search of one problem: depth first, block by block, in slices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from ccviz.compiled import njit

from ccviz.arrays import FloatArray, IntArray


class Ground(NamedTuple):
    """Blocks in the order in which they are placed.

    Attributes
    ----------
    point : (s, d) float64
    mass : (s,) float64
    start, neighbour : int64 arrays
        The conflicts as compressed sparse rows.
    """

    point: FloatArray
    mass: FloatArray
    start: IntArray
    neighbour: IntArray


class State(NamedTuple):
    """A search, to go on with: what stands at each depth, and the clusters as they are now.

    Attributes
    ----------
    labels : (s,) int64
        -1 for a block that has no place yet.
    tried : (s + 1,) int64
        How many of a depth's places were tried.
    places : (s + 1, k) int64
        Its clusters, cheapest first; -1 where there are no more.
    rise : (s + 1, k) float64
        What they cost.
    cost : (s + 1,) float64
        Sum of squares before the depth.
    opened : (s + 1,) int64
        Clusters in use before it.
    mean : (k, d) float64
    mass : (k,) float64
    old_mean : (s + 1, d) float64
        The mean that the depth's block changed.
    """

    labels: IntArray
    tried: IntArray
    places: IntArray
    rise: FloatArray
    cost: FloatArray
    opened: IntArray
    mean: FloatArray
    mass: FloatArray
    old_mean: FloatArray


def new_state(s: int, k: int, d: int) -> State:
    """Return the state of a search that has not begun."""
    return State(
        np.full(s, -1),
        np.full(s + 1, -1),
        np.full((s + 1, k), -1),
        np.zeros((s + 1, k)),
        np.zeros(s + 1),
        np.zeros(s + 1, dtype=np.int64),
        np.zeros((k, d)),
        np.zeros(k),
        np.zeros((s + 1, d)),
    )


@njit(cache=True)
def search(
    ground: Ground,
    state: State,
    at: int,
    first: int,
    rest: FloatArray,
    best: IntArray,
    least: float,
    margin: float,
    nodes: int,
) -> tuple[int, float]:
    """Go on with the search over the blocks from ``first`` on.

    Parameters
    ----------
    at : int
        The depth it stands at: the number of the next block.
    first : int
    rest : (s + 1,) float64
        Lower bounds on what the blocks from each one on cost by themselves.
    best : (s,) int64
        Changed to the best labels.
    least : float
        Their sum of squares.
    margin : float
        Share of it by which another must be better.
    nodes : int
        Places to try before the search hands back.

    Returns
    -------
    at : int
        ``first - 1`` at the end.
    least : float
    """
    s, k = len(ground.mass), len(state.mass)
    while at >= first and nodes > 0:
        if at == s:
            if state.cost[s] < least:
                least = state.cost[s]
                best[first:] = state.labels[first:]
            at -= 1
            continue
        if state.tried[at] < 0:
            _weigh(ground, state, at)
        elif state.labels[at] >= 0:
            _take_back(ground, state, at)
        turn = state.tried[at]
        limit = least * (1.0 - margin)
        if turn == k or state.places[at, turn] < 0:
            state.tried[at] = -1
            at -= 1
            continue
        # Dearer places follow; so if this one is too dear, all are.
        if state.cost[at] + state.rise[at, turn] + rest[at + 1] >= limit:
            state.tried[at] = -1
            at -= 1
            continue
        state.tried[at] = turn + 1
        _place(ground, state, at, state.places[at, turn], state.rise[at, turn])
        nodes -= 1
        at += 1
    return at, least


@njit(cache=True)
def _weigh(ground: Ground, state: State, at: int) -> None:
    """Order the clusters that may take a block by what that costs; a new one is the last opened."""
    k, opened = len(state.mass), state.opened[at]
    barred = np.zeros(k, np.bool_)
    for e in range(ground.start[at], ground.start[at + 1]):
        if state.labels[ground.neighbour[e]] >= 0:
            barred[state.labels[ground.neighbour[e]]] = True
    state.tried[at] = 0
    state.places[at, :] = -1
    count = 0
    for j in range(min(opened + 1, k)):
        if barred[j]:
            continue
        rise = 0.0
        if j < opened:
            square = 0.0
            for t in range(ground.point.shape[1]):
                square += (ground.point[at, t] - state.mean[j, t]) ** 2
            rise = square * state.mass[j] * ground.mass[at] / (state.mass[j] + ground.mass[at])
        place = count
        while place > 0 and state.rise[at, place - 1] > rise:
            state.rise[at, place] = state.rise[at, place - 1]
            state.places[at, place] = state.places[at, place - 1]
            place -= 1
        state.rise[at, place], state.places[at, place] = rise, j
        count += 1


@njit(cache=True)
def _place(ground: Ground, state: State, at: int, j: int, rise: float) -> None:
    state.old_mean[at] = state.mean[j]
    whole = state.mass[j] + ground.mass[at]
    share = ground.mass[at] / whole
    for t in range(ground.point.shape[1]):
        state.mean[j, t] += share * (ground.point[at, t] - state.mean[j, t])
    state.mass[j] = whole
    state.labels[at] = j
    state.cost[at + 1] = state.cost[at] + rise
    state.opened[at + 1] = max(state.opened[at], j + 1)


@njit(cache=True)
def _take_back(ground: Ground, state: State, at: int) -> None:
    j = state.labels[at]
    state.mean[j] = state.old_mean[at]
    state.mass[j] -= ground.mass[at]
    state.labels[at] = -1
