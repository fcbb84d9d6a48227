"""What a node begins with: the columns of clusterings found, or of its parent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.problem import Problem
from ccviz.problem.rules import conjunction
from ccviz.solvers.colgen.initial import neighbours
from ccviz.solvers.colgen.instance import Discs, make_instance, principal_axes
from ccviz.solvers.colgen.master import cluster_columns, column_costs
from ccviz.solvers.colgen.places import placed
from ccviz.solvers.colgen.pool import Pool
from ccviz.solvers.colgen.pricing import Pricer
from ccviz.solvers.colgen.settings import NodeSettings
from ccviz.solvers.colgen.spot import is_local
from ccviz.solvers.colgen.stabilisation import Stabiliser
from ccviz.solvers.colgen.star_master import WORTH, Center
from ccviz.solvers.search.tree import Task, decided

_NEGLIGIBLE = 1e-18  # of what one single cluster costs
ARTIFICIAL = 2.0  # times the usual cost of a point, to begin with,
_ARTIFICIAL_MOVE = 2.0  # or times what it adds to the second best cluster, if that is more,
_ARTIFICIAL_MOST = 100.0  # but no more than that: clusters far apart leave no digits for their cost
_STARS_FROM = 50_000  # pairs of blocks that share a cluster, were all clusters alike;
_FEW_CLUSTERS = 10  # below so many they are large, and dear to price with links:
_STARS_FROM_FEW = 200_000  # then as many pairs
_STAR_AXES = 3  # in more, a cluster has too many near blocks for a star to tell them apart
_CHILD_ACCURACY = 1e-3  # of its first master: some stars are missing, more would be for nothing


@dataclass(frozen=True, eq=False)
class Start:
    """A root that still looks for its first columns: (s,) block labels, and how many tries."""

    found: tuple[IntArray, ...]
    tries: int = 0


def first_pool(problem: Problem, settings: NodeSettings, task: Task, start: Start) -> Pool:
    """Return what the root begins with: clusters of the clusterings found, and near ones."""
    blocks, found = contract(problem), start.found
    starred = bool(found) and _starred(problem, settings, task, blocks)
    columns = [*map(cluster_columns, found)]
    if not starred or _has_places(task):
        columns.append(np.eye(blocks.s, dtype=bool))
    added = np.zeros(blocks.s)
    best, labels = np.inf, None
    if found:
        labels = min(found, key=partial(_cost, blocks))
        best = _cost(blocks, labels)
        more, added = neighbours(blocks, labels)
        columns += [] if starred else more
    unique = np.unique(np.concatenate(columns), axis=0)
    costs = column_costs(unique, blocks.centroid, blocks.mass)
    # A cluster that alone costs more than all of the best clustering is in no better one.
    unique, costs = unique[costs <= best], costs[costs <= best]
    usual = _usual_cost(blocks, found) * blocks.mass
    stabiliser = Stabiliser(settings.stabilisation, settings.smoothing).start(usual)
    dear = np.clip(_ARTIFICIAL_MOVE * added, ARTIFICIAL * usual, _ARTIFICIAL_MOST * usual)
    pool = Pool(blocks, unique, costs, stabiliser, dear, starred=starred, labels=labels)
    return _permitted(problem, _in_places(problem, task, pool, float(dear.max())))


def child_pool(problem: Problem, settings: NodeSettings, task: Task, parent: Pool) -> Pool:
    """Return what a child begins with: its parent's columns, and its duals."""
    blocks = contract(problem)
    pool = _in_places(problem, task, inherited(blocks, parent), -parent.least)
    if _starred(problem, settings, task, blocks):
        pool = over_stars(pool, parent)
    if isinstance(pool.middle, Center):
        pool = replace(pool, spot=_spot(problem, blocks, task))
    return _permitted(problem, pool)


def _spot(problem: Problem, blocks: Blocks, task: Task) -> FloatArray | None:
    """Return (d,) where the master is solved first: in the middle of the last place."""
    last = task.decisions[-1]
    local = last.place and is_local(blocks.s, blocks.k)
    return turned(problem, blocks)[last.pair[0]] if local else None


def turned(problem: Problem, blocks: Blocks) -> FloatArray:
    """Return the points (n, d) in the axes of pricing."""
    return principal_axes(blocks.centroid, blocks.mass).of(problem.X)


def _has_places(task: Task) -> bool:
    return any(decision.place for decision in task.decisions)


def _in_places(problem: Problem, task: Task, pool: Pool, price: float) -> Pool:
    """Let the columns keep to the node's places, those that it has more than its parent too.

    A taken place's dual is below the price of a cluster; where it is to rise above, it may.
    """
    if not _has_places(task):
        return pool
    instance = pricer_of(problem, pool.blocks, task).alternatives[0]
    new = pool.blocks.s + instance.taken - pool.columns.shape[1]
    wider = np.pad(pool.columns, ((0, 0), (0, new)))
    columns, costs, fit = placed(instance, wider, mark=True)
    dear = price if np.isfinite(price) and price > 0.0 else float(pool.artificial_cost.max())
    stabiliser = pool.stabiliser
    if stabiliser.center is not None:
        stabiliser = replace(stabiliser, center=np.pad(stabiliser.center, (0, new)))
    return replace(
        pool,
        columns=columns[fit],
        costs=costs[fit],
        stabiliser=stabiliser,
        artificial_cost=np.pad(pool.artificial_cost, (0, new), constant_values=dear),
    )


def _starred(problem: Problem, settings: NodeSettings, task: Task, blocks: Blocks) -> bool:
    """Whether column generation begins with stars: many borders, and one set of rules for all."""
    if _has_places(task):  # which columns alone do not know of
        return True
    alone = len(conjunction(problem, problem.rules)) == 1
    few_axes = blocks.centroid.shape[1] <= _STAR_AXES
    least = _STARS_FROM_FEW if blocks.k < _FEW_CLUSTERS else _STARS_FROM
    many = blocks.s**2 / blocks.k >= least
    return many and few_axes and alone and settings.stabilisation == "interior"


def _usual_cost(blocks: Blocks, found: tuple[IntArray, ...]) -> float:
    """Return what a point costs in the best clustering found, or in one single cluster."""
    clusterings = [*found, np.zeros(blocks.s, dtype=np.int64)]
    costs = [_cost(blocks, labels) for labels in clusterings]
    return max(min(costs), _NEGLIGIBLE * max(costs), np.finfo(float).tiny) / blocks.n


def _cost(blocks: Blocks, labels: IntArray) -> float:
    return float(column_costs(cluster_columns(labels), blocks.centroid, blocks.mass).sum())


def inherited(blocks: Blocks, parent: Pool) -> Pool:
    """Return the parent's columns that keep the branch's decision, over the child's blocks."""
    places = len(parent.artificial_cost) - parent.blocks.s
    width = blocks.s + places
    child_of = np.empty(parent.blocks.s, dtype=np.int64)
    child_of[parent.blocks.block_of] = blocks.block_of
    child_of = np.append(child_of, np.arange(blocks.s, width))
    first = np.unique(child_of, return_index=True)[1]
    columns = parent.columns[:, first]
    whole = (columns[:, child_of] == parent.columns).all(axis=1)
    i, j = blocks.conflicts.T
    whole &= ~(columns[:, i] & columns[:, j]).any(axis=1)
    stabiliser = parent.stabiliser.inherit(child_of, width)
    dear = np.bincount(child_of, parent.artificial_cost, width).astype(np.float64)
    pool = Pool(blocks, columns[whole], parent.costs[whole], stabiliser, dear)
    return replace(pool, trials=parent.trials)


def over_stars(pool: Pool, parent: Pool) -> Pool:
    """Let the child's columns stand for stars, and begin at the duals of the parent's bound."""
    duals, price = pool.stabiliser.center, -parent.least
    if duals is None or not np.isfinite(price):
        return pool
    worth = pool.costs - pool.columns @ duals <= -WORTH * price
    return replace(
        pool,
        columns=pool.columns[worth],
        costs=pool.costs[worth],
        middle=Center(duals, price),
        accuracy=max(parent.accuracy, _CHILD_ACCURACY),
        starred=True,
    )


def pricer_of(problem: Problem, blocks: Blocks, task: Task, method: str = "both") -> Pricer:
    """Return what prices a node, in its places."""
    alternatives = conjunction(problem, problem.rules)
    taken, empty = (decided(task.decisions, side, place=True) for side in (True, False))
    center, border = problem.X[np.concatenate([taken, empty])].transpose(1, 0, 2)
    discs = Discs(center, border, len(taken))
    return Pricer(tuple(make_instance(blocks, loads, discs) for loads in alternatives), method)


def _permitted(problem: Problem, pool: Pool) -> Pool:
    """Drop first columns that break a rule."""
    pricer = pricer_of(problem, pool.blocks, Task(0))
    columns = pool.columns[:, : pool.blocks.s]
    keep = np.array([pricer.permits(column) for column in columns], dtype=bool)
    return replace(pool, columns=pool.columns[keep], costs=pool.costs[keep])
