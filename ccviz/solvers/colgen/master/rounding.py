"""From columns to clusterings of the blocks: choose columns, cover each block once, descend."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.instance import Instance, fits, join, leave, squared_distance

_LOOKED_AT = 20
"""Columns of largest weight that are visited, per cluster: an interior solution has a little of
each column."""


def choose(columns: np.ndarray, weights: FloatArray, k: int) -> IntArray:
    """Return up to k columns, the heaviest first, each for the weight of blocks not yet covered."""
    heavy = np.argsort(-weights, kind="stable")[: _LOOKED_AT * k]
    heavy = heavy[weights[heavy] > 1e-9]
    inside = csr_array(columns[heavy], dtype=np.float64)
    open_blocks = np.ones(columns.shape[1])
    chosen: list[int] = []
    while len(chosen) < k and len(heavy):
        score = weights[heavy] * (inside @ open_blocks)
        best = int(np.argmax(score))
        if score[best] <= 0.0:
            break
        chosen.append(int(heavy[best]))
        open_blocks[columns[heavy[best]]] = 0.0
    return np.array(chosen, dtype=np.int64)


def assemble(
    instance: Instance, columns: np.ndarray, k: int, improve: bool = True
) -> IntArray | None:
    """Return (s,) labels with exactly k clusters from at most k columns, None if it fails.

    A block in several columns is assigned to the nearest; one in none to the cluster that it fits
    and adds least to; empty clusters are filled with the blocks of largest cost. Then single moves
    may improve the labels.
    """
    labels = _nearest_cover(instance, columns)
    if not complete(instance, labels, k):
        return None
    _fill_empty(instance, labels, k)
    if improve:
        relocate(instance, labels, k)
    return labels


def _nearest_cover(instance: Instance, columns: np.ndarray) -> IntArray:
    mass, points = instance.mass, instance.points
    best = np.full(len(mass), np.inf)
    labels = np.full(len(mass), -1, dtype=np.int64)
    for t, column in enumerate(columns):
        mean = mass[column] @ points[column] / mass[column].sum()
        gap = np.where(column, ((points - mean) ** 2).sum(axis=1), np.inf)
        labels[gap < best] = t
        best = np.minimum(best, gap)
    return labels


def _fill_empty(instance: Instance, labels: IntArray, k: int) -> None:
    for empty in np.setdiff1d(np.arange(k), labels):
        mean = _means(instance, labels, k)
        cost = instance.mass * ((instance.points - mean[labels]) ** 2).sum(axis=1)
        alone = np.bincount(labels, minlength=k)[labels] == 1
        labels[np.argmax(np.where(alone, -1.0, cost))] = empty


@njit(cache=True, entry=True)
def _means(instance: Instance, labels: IntArray, k: int) -> FloatArray:
    s, d = instance.points.shape
    mean = np.zeros((k, d))
    mass = np.zeros(k)
    for b in range(s):
        if labels[b] >= 0:
            mass[labels[b]] += instance.mass[b]
            mean[labels[b]] += instance.mass[b] * instance.points[b]
    for j in range(k):
        if mass[j] > 0.0:
            mean[j] /= mass[j]
    return mean


@njit(cache=True)
def _state(
    instance: Instance, labels: IntArray, k: int
) -> tuple[np.ndarray, FloatArray, FloatArray, FloatArray]:
    """Return the blocks inside each cluster, its loads, its mean and its mass."""
    inside = np.zeros((k, len(labels)), dtype=np.bool_)
    load = np.zeros((k, len(instance.loads.limit)))
    mass = np.zeros(k)
    for b in range(len(labels)):
        if labels[b] >= 0:
            join(instance, inside[labels[b]], load[labels[b]], b)
            mass[labels[b]] += instance.mass[b]
    return inside, load, _means(instance, labels, k), mass


@njit(cache=True)
def complete(instance: Instance, labels: IntArray, k: int) -> bool:
    """Give every block without a label the cheapest cluster it fits; False if there is none."""
    inside, load, mean, mass = _state(instance, labels, k)
    for b in range(len(labels)):
        if labels[b] >= 0:
            continue
        best, where = np.inf, -1
        for j in range(k):
            if mass[j] > 0.0:
                gap = squared_distance(instance.points, b, mean[j])
                cost = instance.mass[b] * mass[j] / (instance.mass[b] + mass[j]) * gap
            else:
                cost = 0.0
            if cost < best and fits(instance, inside[j], load[j], b):
                best, where = cost, j
        if where < 0:
            return False
        labels[b] = where
        join(instance, inside[where], load[where], b)
        mass[where] += instance.mass[b]
        mean[where] += instance.mass[b] / mass[where] * (instance.points[b] - mean[where])
    return True


@njit(cache=True)
def relocate(instance: Instance, labels: IntArray, k: int) -> None:
    """Move single blocks to better clusters that they fit, until none helps."""
    inside, load, mean, mass = _state(instance, labels, k)
    least = 1e-13 * np.sum(instance.points**2)  # less than this is rounding
    moved = True
    while moved:
        moved = False
        for b in range(len(labels)):
            home, m = labels[b], instance.mass[b]
            if mass[home] <= m:
                continue
            saved = m * mass[home] / (mass[home] - m)
            saved *= squared_distance(instance.points, b, mean[home])
            where = -1
            for j in range(k):
                added = m * mass[j] / (mass[j] + m)
                added *= squared_distance(instance.points, b, mean[j])
                better = j != home and added < saved * (1.0 - 1e-9) - least
                if better and fits(instance, inside[j], load[j], b):
                    saved, where = added, j
            if where < 0:
                continue
            leave(instance, inside[home], load[home], b)
            join(instance, inside[where], load[where], b)
            mean[home] -= m / (mass[home] - m) * (instance.points[b] - mean[home])
            mean[where] += m / (mass[where] + m) * (instance.points[b] - mean[where])
            mass[home] -= m
            mass[where] += m
            labels[b] = where
            moved = True
