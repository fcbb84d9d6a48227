"""One node of the branch-and-price tree: open it, generate columns, close it or branch.

`advance` is a pure function of picklable values. A task is a few iterations, so that a search can
show, stop and prune between them; the pool travels in the report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ccviz.arrays import IntArray
from ccviz.bounds import OPTIMAL_GAP
from ccviz.errors import ContradictionError, ProblemError
from ccviz.events import ColumnsPriced, Event
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import Blocks, contract, refine
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import never
from ccviz.solvers.colgen.branching import branching_pair
from ccviz.solvers.colgen.cases import Setting
from ccviz.solvers.colgen.generation import Generation
from ccviz.solvers.colgen.initial import (
    best_of_cop_kmeans,
    best_of_memetic,
    clustering,
    is_thorough,
)
from ccviz.solvers.colgen.master import best_cover
from ccviz.solvers.colgen.opening import (
    ARTIFICIAL,
    Start,
    child_pool,
    first_pool,
    pricer_of,
    turned,
)
from ccviz.solvers.colgen.places import likely_places
from ccviz.solvers.colgen.pool import Pool, Round
from ccviz.solvers.colgen.pricing import Pricer
from ccviz.solvers.colgen.rounding import assemble, choose
from ccviz.solvers.colgen.semidefinite import semidefinite
from ccviz.solvers.colgen.settings import NodeSettings
from ccviz.solvers.colgen.spot import is_local
from ccviz.solvers.colgen.spot_generation import SpotGeneration
from ccviz.solvers.colgen.stars import make_stars
from ccviz.solvers.colgen.trials import Basis, Trial, best_trial, elsewhere, tried
from ccviz.solvers.colgen.zoned import advanced, begun, may_begin
from ccviz.solvers.colgen.zones import certificate
from ccviz.solvers.search.tree import Report, Task, cutoff, decided

_FEASIBILITY_S = 2.0  # what it cannot decide in this time, column generation will
_FEW_BLOCKS = 100  # up to here a semidefinite certificate costs next to nothing,
_MANY_BLOCKS = 400  # and up to here it is tried if clusters are large: pricing
_LARGE_CLUSTERS = 12  # of clusters of fewer blocks is quick to check
_SEMIDEFINITE_ROUNDS = 60
_SHARE = 0.9  # of the gap, which leaves something for rounding
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
    return _round(problem, settings, task, first_pool(problem, settings, task, state))


def _infeasible(reason: str, witness: tuple[int, ...]) -> Report:
    return Report("infeasible", np.inf, detail=reason, witness=witness)


def _open(problem: Problem, settings: NodeSettings, task: Task) -> Pool | Start | Report:
    """Return what the node begins with, or why it is infeasible."""
    feasible = check_feasibility(problem, _FEASIBILITY_S)
    if feasible.feasible is False:
        return _infeasible(feasible.reason, feasible.points)
    if isinstance(task.state, Pool):
        return child_pool(problem, settings, task, task.state)
    return Start(() if feasible.labels is None else (contract(problem).project(feasible.labels),))


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


def _round(problem: Problem, settings: NodeSettings, task: Task, pool: Pool) -> Report:
    s = pool.blocks.s
    if s == pool.blocks.k:
        return _only_clustering(problem, pool)
    pricer = pricer_of(problem, pool.blocks, task, settings.pricing)
    scatter = pool.blocks.scatter
    limit = cutoff(task.upper_bound, settings.tolerance) - scatter
    tolerance = _tolerance(task, settings, pool)
    if pool.zones is not None and pool.zones.zones:
        return _in_zones(problem, task, pool, pricer, tolerance, limit)
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
    if pool.zones is None or not pool.zones.zones:
        return {"duals": duals, "least": np.array([pool.least]), **taken}
    return {"duals": duals, "least": np.array([pool.zones.least]), **certificate(pool.zones, duals)}


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


def _tolerance(task: Task, settings: NodeSettings, pool: Pool) -> float:
    """Return the distance of bound and master at which column generation is done."""
    known = task.upper_bound
    if not np.isfinite(known):
        known = max(
            pool.blocks.scatter + pool.bound, float(pool.artificial_cost.sum()) / ARTIFICIAL
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
    """Branch on a place, or, below one, on a pair; without either go on, if columns are missing.

    A node without places is worked on in zones before.
    """
    if not generation.pricer.has_places and may_begin(generation.pool):
        setting = _setting(problem, generation.pool, generation.pricer, generation.tolerance, limit)
        return replace(report, state=begun(setting, generation.pool))
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
    points = turned(problem, pool.blocks)
    if not is_local(pool.blocks.s, k):
        likely = likely_places(instance, columns, pool.solution.weights, points)
        return replace(pool, trials=tuple(Trial(place, np.inf, np.inf) for place in likely[:1]))
    values = make_stars(instance, columns, duals).values(duals)
    basis = Basis(instance, columns, pool.solution, values, pool.artificial_cost, points, k)
    old = () if pool.spot is None else elsewhere(pool.trials, instance, points, pool.spot, k)
    new = tried(basis, limit - pool.bound, pool.spot, generation.stop)
    return replace(pool, trials=(*old, *new))


def _in_zones(
    problem: Problem, task: Task, pool: Pool, pricer: Pricer, tolerance: float, limit: float
) -> Report:
    """Open a zone, or split a case of one."""
    setting = _setting(problem, pool, pricer, tolerance, limit, task.stop)
    pool, entry = advanced(setting, pool)
    return Report(
        "bound" if pool.told >= limit else "go on",
        max(task.lower_bound, pool.told + pool.blocks.scatter),
        events=(_shown(task, pool, entry),),
        certificate=_certificate(pool),
        state=pool,
        iterations=pool.iteration,
    )


def _setting(
    problem: Problem,
    pool: Pool,
    pricer: Pricer,
    tolerance: float,
    limit: float,
    stop: Callable[[], bool] = never,
) -> Setting:
    """Return what all zones of a node have in common."""
    assert pool.duals is not None
    zones = max(1, len(pool.zones.zones)) if pool.zones is not None else 1
    return Setting(
        pricer.alternatives[0], pricer.method, pool.duals, -pool.least, pool.blocks.k,
        turned(problem, pool.blocks), problem.X.astype(np.float64),
        tolerance, (limit - pool.bound) / zones, stop,
    )  # fmt: skip


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
