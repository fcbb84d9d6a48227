"""One node of the branch-and-price tree: open it, generate columns, close it or branch.

`advance` is a pure function of picklable values. A task is a few iterations, so that a search can
show, stop and prune between them; the pool travels in the report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ContradictionError, ProblemError
from ccviz.events import ColumnsPriced, Event
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import Blocks, contract, refine
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.rules import conjunction
from ccviz.solvers.colgen.branching import branching_pair
from ccviz.solvers.colgen.generation import Generation
from ccviz.solvers.colgen.initial import (
    best_of_cop_kmeans,
    best_of_memetic,
    clustering,
    is_thorough,
    neighbours,
)
from ccviz.solvers.colgen.instance import Discs, make_instance, principal_axes
from ccviz.solvers.colgen.master import (
    best_cover,
    cluster_columns,
    column_costs,
)
from ccviz.solvers.colgen.places import likely_places, placed
from ccviz.solvers.colgen.pool import Pool, Round
from ccviz.solvers.colgen.pricing import Pricer
from ccviz.solvers.colgen.rounding import assemble, choose
from ccviz.solvers.colgen.semidefinite import semidefinite
from ccviz.solvers.colgen.settings import NodeSettings
from ccviz.solvers.colgen.spot import is_local
from ccviz.solvers.colgen.spot_generation import SpotGeneration
from ccviz.solvers.colgen.stabilisation import Stabiliser
from ccviz.solvers.colgen.star_master import WORTH, Center
from ccviz.solvers.colgen.stars import make_stars
from ccviz.solvers.colgen.trials import Basis, Trial, best_trial, elsewhere, tried
from ccviz.solvers.tree import OPTIMAL_GAP, Report, Task, cutoff, decided


@dataclass(frozen=True, eq=False)
class Start:
    """A root that still looks for its first columns: (s,) block labels, and how many tries."""

    found: tuple[IntArray, ...]
    tries: int = 0


_NEGLIGIBLE = 1e-18  # of what one single cluster costs
_ARTIFICIAL = 2.0  # times the usual cost of a point, to begin with,
_ARTIFICIAL_MOVE = 2.0  # or times what it adds to the second best cluster, if that is more,
_ARTIFICIAL_MOST = 100.0  # but no more than that: clusters far apart leave no digits for their cost
_FEASIBILITY_S = 2.0  # what it cannot decide in this time, column generation will
_FEW_BLOCKS = 100  # up to here a semidefinite certificate costs next to nothing,
_MANY_BLOCKS = 400  # and up to here it is tried if clusters are large: pricing
_LARGE_CLUSTERS = 12  # of clusters of fewer blocks is quick to check
_SEMIDEFINITE_ROUNDS = 60
_SHARE = 0.9  # of the gap, which leaves something for rounding
_STARS_FROM = 50_000  # pairs of blocks that share a cluster, were all clusters alike;
_FEW_CLUSTERS = 10  # below so many they are large, and dear to price with links:
_STARS_FROM_FEW = 200_000  # then as many pairs
_STAR_AXES = 3  # in more, a cluster has too many near blocks for a star to tell them apart
_CHILD_ACCURACY = 1e-3  # of its first master: some stars are missing, more would be for nothing
_TASK_WORK = 2e8  # cubed blocks, once an iteration: what makes a task of about a second


def advance(problem: Problem, settings: NodeSettings, task: Task) -> Report:
    """Work on a node for a second or so."""
    together, apart = decided(task.decisions, True), decided(task.decisions, False)
    try:
        problem = refine(problem, together, apart)
    except ContradictionError as contradiction:
        return _infeasible(str(contradiction), contradiction.chain)
    except ProblemError as too_few:  # blocks for k clusters
        return _infeasible(str(too_few), ())
    state = _open(problem, settings, task) if task.opening else task.state
    if isinstance(state, Report):
        return state
    if not isinstance(state, Start):
        return _round(problem, settings, task, state)
    if state.tries < settings.starts:
        if settings.first == "cop-kmeans":
            return _try_cop(problem, settings, task, state)
        return _try_start(problem, task, state)
    return _round(problem, settings, task, _first_pool(problem, settings, task, state))


def _infeasible(reason: str, witness: tuple[int, ...]) -> Report:
    return Report("infeasible", np.inf, detail=reason, witness=witness)


def _open(problem: Problem, settings: NodeSettings, task: Task) -> Pool | Start | Report:
    """Return what the node begins with, or why it is infeasible."""
    feasible = check_feasibility(problem, _FEASIBILITY_S)
    if feasible.feasible is False:
        return _infeasible(feasible.reason, feasible.points)
    blocks = contract(problem)
    if isinstance(task.state, Pool):
        pool = _in_places(problem, task, _inherited(blocks, task.state), -task.state.least)
        if _starred(problem, settings, task, blocks):
            pool = _over_stars(pool, task.state)
        if isinstance(pool.middle, Center):
            pool = replace(pool, spot=_spot(problem, blocks, task))
        return _permitted(problem, pool)
    return Start(() if feasible.labels is None else (blocks.project(feasible.labels),))


def _try_start(problem: Problem, task: Task, start: Start) -> Report:
    """Report on one run of k-means."""
    blocks = contract(problem)
    if start.tries == 0 and not task.decisions and is_thorough(problem, blocks):
        labels, source = best_of_memetic(problem, blocks, task.seed, task.stop), "s-mdeclust"
    else:
        rng = np.random.default_rng((task.seed, task.node, start.tries))
        labels, source = clustering(blocks, rng), "k-means"
    found = start.found if labels is None else (*start.found, labels)
    state = Start(found, start.tries + 1)
    best = _best_of(problem, blocks, found)
    bound = max(task.lower_bound, blocks.scatter)
    return Report("go on", bound, labels=best, source=source, state=state)


def _try_cop(problem: Problem, settings: NodeSettings, task: Task, start: Start) -> Report:
    """Report on all runs of COP-k-means at once; only their best is a start, as in the paper."""
    blocks = contract(problem)
    labels = best_of_cop_kmeans(problem, settings.starts, task.seed, task.stop)
    found = start.found if labels is None else (blocks.project(labels),)
    best = _best_of(problem, blocks, found)
    bound = max(task.lower_bound, blocks.scatter)
    state = Start(found, settings.starts)
    return Report("go on", bound, labels=best, source="cop-kmeans", state=state)


def _best_of(problem: Problem, blocks: Blocks, found: tuple[IntArray, ...]) -> IntArray | None:
    candidates = [Partition(problem, blocks.lift(labels)) for labels in found]
    allowed = [partition for partition in candidates if partition.violations.none_hard]
    return min(allowed, key=lambda partition: partition.wcss).labels if allowed else None


def _first_pool(problem: Problem, settings: NodeSettings, task: Task, start: Start) -> Pool:
    blocks, found = contract(problem), start.found
    starred = bool(found) and _starred(problem, settings, task, blocks)
    columns = [*map(cluster_columns, found)]
    if not starred or _has_places(task):
        columns.append(np.eye(blocks.s, dtype=bool))
    added = np.zeros(blocks.s)
    best = np.inf
    if found:
        best = min(_cost(blocks, labels) for labels in found)
        more, added = neighbours(blocks, min(found, key=partial(_cost, blocks)))
        columns += [] if starred else more
    unique = np.unique(np.concatenate(columns), axis=0)
    costs = column_costs(unique, blocks.centroid, blocks.mass)
    # A cluster that alone costs more than all of the best clustering is in no better one.
    unique, costs = unique[costs <= best], costs[costs <= best]
    usual = _usual_cost(blocks, found) * blocks.mass
    stabiliser = Stabiliser(settings.stabilisation, settings.smoothing).start(usual)
    dear = np.clip(_ARTIFICIAL_MOVE * added, _ARTIFICIAL * usual, _ARTIFICIAL_MOST * usual)
    pool = Pool(blocks, unique, costs, stabiliser, dear, starred=starred)
    return _permitted(problem, _in_places(problem, task, pool, float(dear.max())))


def _spot(problem: Problem, blocks: Blocks, task: Task) -> FloatArray | None:
    """Return (d,) where the master is solved first: in the middle of the last place."""
    last = task.decisions[-1]
    local = last.place and is_local(blocks.s, blocks.k)
    return _turned(problem, blocks)[last.pair[0]] if local else None


def _turned(problem: Problem, blocks: Blocks) -> FloatArray:
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
    instance = _pricer(problem, pool.blocks, task).alternatives[0]
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


def _inherited(blocks: Blocks, parent: Pool) -> Pool:
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


def _over_stars(pool: Pool, parent: Pool) -> Pool:
    """Let the child's columns stand for stars, and begin at the duals of the parent's bound."""
    duals, price = pool.stabiliser.center, -parent.least
    if duals is None or not np.isfinite(price):
        return pool
    worth = pool.costs - pool.columns @ duals <= -WORTH * price
    return replace(
        pool,
        columns=pool.columns[worth],
        costs=pool.costs[worth],
        middle=Center.at(duals, price),
        accuracy=max(parent.accuracy, _CHILD_ACCURACY),
        starred=True,
    )


def _round(problem: Problem, settings: NodeSettings, task: Task, pool: Pool) -> Report:
    s = pool.blocks.s
    if s == pool.blocks.k:
        return _only_clustering(problem, pool)
    pricer = _pricer(problem, pool.blocks, task, settings.pricing)
    scatter = pool.blocks.scatter
    limit = cutoff(task.upper_bound, settings.tolerance) - scatter
    tolerance = _tolerance(task, settings, pool)
    kind = Generation if pool.spot is None else SpotGeneration
    generation = kind(pool, pricer, tolerance, task.seed, task.stop)
    solution = generation.run(min(settings.round_iterations, 1 + int(_TASK_WORK / s**3)), limit)
    pool = generation.pool
    report = Report(
        "go on",
        max(task.lower_bound, pool.bound + scatter, scatter),
        events=tuple(_shown(task, pool, entry) for entry in generation.rounds),
        certificate=_certificate(pool),
        state=pool,
        iterations=pool.iteration,
    )
    if pool.bound > generation.most_cost:
        detail = "The bound passes what a single cluster of all points costs."
        return replace(report, verdict="infeasible", lower_bound=np.inf, detail=detail)
    if pool.bound >= limit:
        return _twice_proved(problem, task, pool, replace(report, verdict="bound"))
    if pool.converged:
        report = _settle(problem, settings, task, generation, limit, report)
        return _twice_proved(problem, task, pool, report)
    if pool.spot is not None:  # there is no solution but there
        return report
    columns = pool.columns[:, :s]
    return _rounded(problem, report, pricer, pool, choose(columns, solution.weights, problem.k))


def _only_clustering(problem: Problem, pool: Pool) -> Report:
    """Report on a node with as many blocks as clusters."""
    labels = pool.blocks.block_of
    if not Partition(problem, labels).violations.none_hard:
        return _infeasible("The only clustering that is left breaks a rule.", ())
    return Report("integral", pool.blocks.scatter, labels=labels, source="the only clustering")


def _certificate(pool: Pool) -> dict[str, np.ndarray]:
    """Return what proves the bound: the duals, and a value that no cluster is below."""
    if pool.duals is None:
        return {}
    duals, places = np.split(pool.duals, [pool.blocks.s])
    taken = {"taken": places} if len(places) else {}
    return {"duals": duals, "least": np.array([pool.least]), **taken}


def _twice_proved(problem: Problem, task: Task, pool: Pool, report: Report) -> Report:
    """Add a certificate that is quick to check to a node that is closed, where there is one."""
    s, k = pool.blocks.s, pool.blocks.k
    worth = s <= _FEW_BLOCKS or (s <= _MANY_BLOCKS and s >= _LARGE_CLUSTERS * k)
    if report.verdict == "branch" or not worth:
        return report
    known = task.upper_bound
    if report.labels is not None:
        known = min(known, Partition(problem, report.labels).wcss)
    if not np.isfinite(known):
        return report
    target = known * (1.0 - _SHARE * OPTIMAL_GAP)
    found = semidefinite(pool.blocks, target, _SEMIDEFINITE_ROUNDS, task.stop)
    return replace(report, certificate={**report.certificate, **found})


def _pricer(problem: Problem, blocks: Blocks, task: Task, method: str = "both") -> Pricer:
    alternatives = conjunction(problem, problem.rules)
    taken, empty = (decided(task.decisions, side, place=True) for side in (True, False))
    center, border = problem.X[np.concatenate([taken, empty])].transpose(1, 0, 2)
    discs = Discs(center, border, len(taken))
    return Pricer(tuple(make_instance(blocks, loads, discs) for loads in alternatives), method)


def _permitted(problem: Problem, pool: Pool) -> Pool:
    """Drop first columns that break a rule."""
    pricer = _pricer(problem, pool.blocks, Task(0))
    columns = pool.columns[:, : pool.blocks.s]
    keep = np.array([pricer.permits(column) for column in columns], dtype=bool)
    return replace(pool, columns=pool.columns[keep], costs=pool.costs[keep])


def _tolerance(task: Task, settings: NodeSettings, pool: Pool) -> float:
    """Return the distance of bound and master at which column generation is done."""
    known = task.upper_bound
    if not np.isfinite(known):
        known = max(
            pool.blocks.scatter + pool.bound, float(pool.artificial_cost.sum()) / _ARTIFICIAL
        )
    return 0.25 * max(settings.tolerance, 1e-9) * known


def _shown(task: Task, pool: Pool, entry: Round) -> Event:
    scatter = pool.blocks.scatter
    return ColumnsPriced(
        node=task.node,
        iteration=entry.iteration,
        columns=entry.columns,
        pool=entry.pool,
        best_reduced_cost=entry.best_reduced_cost,
        exact=entry.exact,
        master_objective=entry.master_objective + scatter,
        lower_bound=max(task.lower_bound, entry.bound + scatter),
        duals=entry.duals[: pool.blocks.s],
        center=None if entry.center is None else entry.center[: pool.blocks.s],
    )


def _rounded(
    problem: Problem, report: Report, pricer: Pricer, pool: Pool, chosen: IntArray
) -> Report:
    """Add the clustering that chosen columns make, if it is better than the report's."""
    if len(chosen) == 0:
        return report
    # Which alternative a cluster keeps may differ: then columns are taken as they are.
    alone = len(pricer.alternatives) == 1
    columns = pool.columns[chosen, : pool.blocks.s]
    labels = assemble(pricer.alternatives[0], columns, problem.k, improve=alone)
    if labels is None:
        return report
    partition = Partition(problem, pool.blocks.lift(labels))
    known = np.inf if report.labels is None else Partition(problem, report.labels).wcss
    if partition.wcss >= known or not partition.violations.none_hard:
        return report
    return replace(report, labels=partition.labels, source="columns")


def _settle(
    problem: Problem,
    settings: NodeSettings,
    task: Task,
    generation: Generation,
    limit: float,
    report: Report,
) -> Report:
    """Close a node whose columns are all there, or branch, or go on if they are not all there."""
    pool, pricer = generation.pool, generation.pricer
    if pool.starred and (pricer.may_place or pricer.has_places):
        report = _placed(problem, generation, limit, report)
        if report.verdict != "go on" or pool.early:
            return report
    vertex = generation.vertex()
    master = generation.master
    pool = replace(generation.pool, columns=master.columns, costs=master.costs, solution=None)
    chosen = choose(pool.columns, vertex.weights, problem.k)
    report = _rounded(problem, report, pricer, pool, chosen)
    pair = branching_pair(pool.blocks, pool.columns, vertex.weights)
    if pair is None and pool.hopeless:  # the clustering it is may not be the best yet
        return replace(report, state=replace(pool, converged=False, hopeless=False))
    if pair is None:
        detail = "The relaxation's solution is a clustering."
        return replace(report, verdict="integral", detail=detail)
    upper_bound = task.upper_bound
    if report.labels is not None:
        upper_bound = min(upper_bound, Partition(problem, report.labels).wcss)
    small = _fixed(pool, upper_bound - pool.blocks.scatter)
    cover = best_cover(small.columns, small.costs, problem.k, settings.cover_nodes, task.stop)
    if cover is not None:
        report = _rounded(problem, report, pricer, small, cover)
    return replace(report, verdict="branch", pair=pair, state=pool)


def _placed(problem: Problem, generation: Generation, limit: float, report: Report) -> Report:
    """Branch on a place, or, below one, on a pair; without either go on, if columns are missing."""
    pool = _with_trials(problem, generation, limit)
    best = best_trial(pool.trials, limit - pool.bound)
    if best is not None:
        return replace(report, verdict="branch", pair=best.place, place=True, state=pool)
    if pool.early:
        pool = replace(pool, converged=False, hopeless=False, early=False)
        if pool.spot is not None:  # the whole master is to be solved
            pool = replace(pool, spot=None, solution=None, past=())
        return replace(report, state=pool)
    if not generation.pricer.has_places:
        return report
    assert pool.solution is not None
    pair = branching_pair(pool.blocks, pool.columns[:, : pool.blocks.s], pool.solution.weights)
    if pair is None:
        detail = "The relaxation's solution is a clustering."
        return replace(report, verdict="integral", detail=detail)
    return replace(report, verdict="branch", pair=pair, state=pool)


def _with_trials(problem: Problem, generation: Generation, limit: float) -> Pool:
    """Try places to branch on: all that the solution has, or around the last place and no more.

    Where a spot is not much less than all blocks, the likeliest place is taken untried.
    """
    pool, instance = generation.pool, generation.pricer.alternatives[0]
    if not generation.pricer.may_place:
        return replace(pool, trials=())
    assert pool.solution is not None
    columns, duals, k = pool.columns, pool.solution.duals, pool.blocks.k
    points = _turned(problem, pool.blocks)
    if not is_local(pool.blocks.s, k):
        likely = likely_places(instance, columns, pool.solution.weights, points)
        return replace(pool, trials=tuple(Trial(place, np.inf, np.inf) for place in likely[:1]))
    values = make_stars(instance, columns, duals).values(duals)
    basis = Basis(instance, columns, pool.solution, values, pool.artificial_cost, points, k)
    old = () if pool.spot is None else elsewhere(pool.trials, instance, points, pool.spot, k)
    new = tried(basis, limit - pool.bound, pool.spot, generation.stop)
    return replace(pool, trials=(*old, *new))


def _fixed(pool: Pool, upper_bound: float) -> Pool:
    """Drop columns that no better clustering holds: reduced-cost fixing.

    With one cluster of value v in it, a clustering costs at least bound - least + v. The master
    of a child is given them all the same: they hold its duals in place.
    """
    if pool.duals is None:
        return pool
    values = pool.costs - pool.columns @ pool.duals
    keep = pool.bound - pool.least + values <= upper_bound * (1.0 + 1e-9)
    return replace(pool, columns=pool.columns[keep], costs=pool.costs[keep])
