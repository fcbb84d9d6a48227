"""The phase of a node under sizes or soft links: its columns, its duals and its bound.

Clusters partition the blocks, so duals have any sign, and every class of sizes has a dual of its
own. With duals d and the least reduced cost v_q of each class q of c_q clusters, the Lagrangian
bound is sum d + sum c_q v_q.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import ColumnsPriced, Event
from ccviz.problem.blocks import Blocks, BoundedBlocks, contract
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition
from ccviz.solvers.assignment.centers import block_costs
from ccviz.solvers.colgen.master.covering import choose, cluster_columns
from ccviz.solvers.colgen.partitioning.every_cluster import EveryCluster, every_cluster_of
from ccviz.solvers.colgen.partitioning.master import Master, Solution, best_partition
from ccviz.solvers.colgen.partitioning.pricer import Priced, Pricer, pricer_of
from ccviz.solvers.colgen.phases.settle import INTEGRAL, twice_proved_over
from ccviz.solvers.colgen.phases.start import clustering_from, counted_mass
from ccviz.solvers.colgen.state import ONE_CLUSTER, NodeInput
from ccviz.solvers.colgen.strong_branching import branching_pair
from ccviz.solvers.relaxation.exchange import exchange_blocks
from ccviz.solvers.relaxation.model import relax_to_search
from ccviz.solvers.search.decisions import PairDecision
from ccviz.solvers.search.tree import Multipliers, Report, cutoff

# --------------------------------------------------------------------------------------------------
# First columns of a node under sizes or soft links: clusters found, and clusters near them.


def improved(blocks: Blocks, labels: IntArray) -> IntArray:
    """Return the (s,) labels after moves and swaps that keep links and sizes, without rules."""
    if blocks.rules:
        return labels
    return exchange_blocks(blocks, relax_to_search(blocks), labels)


def first_columns(
    blocks: Blocks, pricer: Pricer, found: tuple[IntArray, ...]
) -> tuple[np.ndarray, FloatArray]:
    """Return (m, s) bool clusters, each permitted and once, and their costs.

    `found` (s,): Labels of clusterings, the best one first.
    """
    columns = [np.eye(blocks.s, dtype=bool), *map(cluster_columns, found)]
    if found:
        columns.append(_near(blocks, found[0]))
    unique = np.unique(np.concatenate(columns), axis=0)
    kept = unique[np.array([pricer.permits(column) for column in unique], dtype=bool)]
    return kept, pricer.costs_of(kept)


def _near(blocks: Blocks, labels: IntArray) -> np.ndarray:
    """Return the clusters of a clustering with one block more, one less, or one swapped.

    They say to the first master how much a block saves and adds, also where no move keeps sizes.
    """
    clusters = cluster_columns(labels)
    mass = clusters @ blocks.mass
    means = (clusters * blocks.mass) @ blocks.centroid / mass[:, None]
    costs = block_costs(blocks.centroid, blocks.mass, means)
    near = []
    for cluster, cost in zip(clusters, costs.T, strict=True):
        inside, outside = (np.flatnonzero(side).tolist() for side in (cluster, ~cluster))
        near += [_changed(cluster, b, None) for b in inside if len(inside) > 1]
        near += [_changed(cluster, None, b) for b in outside]
        if len(outside) == 0:
            continue
        worst, best = inside[np.argmax(cost[inside])], outside[np.argmin(cost[outside])]
        near += [_changed(cluster, a, best) for a in inside]
        near += [_changed(cluster, worst, b) for b in outside]
    return np.array(near, dtype=bool).reshape(-1, blocks.s)


def _changed(cluster: np.ndarray, out: int | None, into: int | None) -> np.ndarray:
    """Return the cluster without one block, with another."""
    changed = cluster.copy()
    if out is not None:
        changed[out] = False
    if into is not None:
        changed[into] = True
    return changed


def labels_of(blocks: Blocks, columns: np.ndarray) -> IntArray | None:
    """Return (s,) labels of k clusters that partition the blocks, numbered as sizes ask for it.

    None if they are no partition, or if no numbering gives every cluster its size.
    """
    if len(columns) != blocks.k or not (columns.sum(axis=0) == 1).all():
        return None
    number = np.arange(blocks.k)
    if blocks.sizes is not None:
        numbers = blocks.sizes.numbers_of(columns @ blocks.mass)
        if numbers is None:
            return None
        number = numbers
    return number[np.argmax(columns, axis=0)]


def rebuilt(blocks: Blocks, columns: np.ndarray) -> IntArray | None:
    """Return (s,) labels that k-means with exact assignments makes of the means of k clusters.

    None if there are fewer than k, or if an assignment failed. The mean of the largest cluster
    gets the largest size.
    """
    if len(columns) != blocks.k:
        return None
    mass = columns @ blocks.mass
    means = (columns * blocks.mass) @ blocks.centroid / mass[:, None]
    order = np.argsort(mass, kind="stable")
    if blocks.sizes is None:
        return clustering_from(blocks, means)
    centers = np.empty_like(means)
    by_size = np.argsort(blocks.sizes.lower + blocks.sizes.upper, kind="stable")
    centers[by_size] = means[order]
    return clustering_from(blocks, centers)


@dataclass(frozen=True, eq=False)
class ClassBound:
    """The best Lagrangian bound and its proof."""

    value: float = -np.inf  # Without the constant cost of the blocks
    duals: FloatArray | None = None
    # (q,): For each class a reduced cost that no cluster falls below.
    least: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class PartitionPhase:
    """A node's column generation, and what a branched node leaves to its children."""

    blocks: BoundedBlocks
    columns: np.ndarray
    costs: FloatArray
    # (s,): Cost of a block that is not covered once: a limit on its dual, raised where it is too
    # low.
    artificial_cost: FloatArray
    bound: ClassBound = field(default_factory=ClassBound)
    # (s,): Duals of the blocks and least reduced costs that smoothing keeps near.
    center: tuple[FloatArray, FloatArray] | None = None
    iteration: int = 0
    left: Multipliers | None = None  # What closed the node in an earlier run
    # Cost of the best clustering that was found here. It may keep less than the problem asks for.
    found: float = np.inf

    @property
    def constant(self) -> float:
        """Cost of the blocks by themselves: their scatter and the links broken inside them."""
        return self.blocks.scatter + self.blocks.penalty

    def raised(self, duals: FloatArray, least: FloatArray, counts: FloatArray) -> PartitionPhase:
        """Return the phase with the Lagrangian bound at these duals, if it is better."""
        value = float(duals.sum() + counts @ least)
        value -= 1e-13 * float(np.abs(duals).sum() + counts @ np.abs(least))
        if value <= self.bound.value:
            return self
        return replace(self, bound=ClassBound(value, duals, least), center=(duals, least))


_NEGLIGIBLE = 1e-18
"""Least cost of one cluster of all blocks, as a share of the scatter inside the blocks."""


def first_phase(given: NodeInput, found: tuple[IntArray, ...]) -> PartitionPhase:
    """Return a root's phase, over the clusters of clusterings found."""
    blocks, pricer = blocks_of(given)
    better = [improved(blocks, labels) for labels in found]
    better.sort(key=lambda labels: Partition(given.problem, blocks.lift(labels)).objective)
    columns, costs = first_columns(blocks, pricer, tuple(better))
    mass = counted_mass(given.problem, blocks)
    spread = mass * ((blocks.centroid - mean_of(blocks)) ** 2).sum(axis=1)
    # Not 0 where all points coincide: duals between the caps have to prove that none fits.
    least = (max(float(spread.sum()), _NEGLIGIBLE * blocks.scatter) or 1.0) / float(mass.sum())
    caps = np.maximum(spread, least * mass) + pricer.models[0].cut
    return PartitionPhase(blocks, columns, costs, caps)


def child_phase(given: NodeInput, parent: PartitionPhase) -> PartitionPhase:
    """Return a child's phase: over its parent's columns that keep the decision."""
    blocks, pricer = blocks_of(given)
    child_of = parent.blocks.project(blocks.block_of)
    first = np.unique(child_of, return_index=True)[1]
    columns = parent.columns[:, first]
    whole = (columns[:, child_of] == parent.columns).all(axis=1)
    columns = np.unique(columns[whole], axis=0)
    kept = columns[np.array([pricer.permits(column) for column in columns], dtype=bool)]
    caps = np.bincount(child_of, parent.artificial_cost, blocks.s).astype(np.float64)
    center = parent.center
    if center is not None:
        # Parent's duals add up over merged blocks; its classes stay.
        center = (np.bincount(child_of, center[0], blocks.s).astype(np.float64), center[1])
    return PartitionPhase(blocks, kept, pricer.costs_of(kept), caps, center=center)


def blocks_of(given: NodeInput) -> tuple[BoundedBlocks, Pricer]:
    """Return the blocks of a node and what prices them."""
    blocks = contract(given.problem)
    settings, params = given.settings, given.params
    limited = _limited(blocks, given.task.upper_bound)
    if params.lists_clusters:
        listed = every_cluster_of(given.problem, limited)
        assert listed is not None
        return blocks, listed
    return blocks, pricer_of(given.problem, limited, settings.pricing, params.turns)


def _limited(blocks: Blocks, upper_bound: float) -> Blocks:
    """Return the blocks with soft links no heavier than a clustering better than the best can pay.

    No clustering costs more by it, so bounds hold; and heavier ones leave the costs no digits.
    """
    heaviest = max(upper_bound, squares_of(blocks))
    links = (blocks.soft_must, blocks.soft_cannot)
    must, cannot = (Links(each.pairs, np.minimum(each.weights, heaviest)) for each in links)
    return replace(blocks, soft_must=must, soft_cannot=cannot)


def class_counts(pricer: Pricer) -> FloatArray:
    """Return the number of clusters (q,) of each class of sizes."""
    return np.array([float(each.clusters) for each in pricer.classes])


def squares_of(blocks: Blocks) -> float:
    """Return the sum of squares of one cluster of all blocks, without their scatter."""
    return float(blocks.mass @ ((blocks.centroid - mean_of(blocks)) ** 2).sum(axis=1))


def mean_of(blocks: Blocks) -> FloatArray:
    """Return the mean of all points (d,)."""
    mean: FloatArray = blocks.mass @ blocks.centroid / blocks.mass.sum()
    return mean


# --------------------------------------------------------------------------------------------------
# Column generation at one node under sizes or soft links: master, pricing and bound in turn.

_RAISED = 10.0  # Factor of the artificial costs when the master needs them to the end
_NEEDED = 1e-6  # Weight of artificial columns, in all, that calls for that
_ENOUGH = 1e3
"""Multiple of the most that a clustering costs, beyond which no artificial cost is raised.

Rounding keeps them in use then, and the node is branched, or closed with the bound it has.
"""
_IN_USE = 0.02  # Weight of columns at whose means heuristic pricing begins
_WHOLE = 0.5  # Weight of a column that is in a clustering, where all weights are 0 or 1
_SHARE = 0.1  # Share of a node's tolerance for the errors of exact pricing


def advance_partition(given: NodeInput, phase: PartitionPhase) -> Report:
    """Work on a node for about a second."""
    if phase.blocks.s == phase.blocks.k:
        return _only_clustering(given, phase)
    return Generation(given, phase).report()


def _only_clustering(given: NodeInput, phase: PartitionPhase) -> Report:
    """Report on a node with as many blocks as clusters."""
    labels = labels_of(phase.blocks, np.eye(phase.blocks.s, dtype=bool))
    if labels is not None:
        partition = Partition(given.problem, phase.blocks.lift(labels))
        if partition.violations.none_hard:
            return Report(
                "integral",
                max(given.task.lower_bound, partition.objective * (1.0 - 1e-9)),
                labels=partition.labels,
                source="the only clustering",
            )
    return Report("infeasible", np.inf, detail="The only clustering left breaks a constraint.")


class Generation:
    """Column generation over one master."""

    def __init__(self, given: NodeInput, phase: PartitionPhase) -> None:
        self.given, self.phase = given, phase
        self.pricer = blocks_of(given)[1]
        self.counts = class_counts(self.pricer)
        self.master = Master(phase.blocks.mass, self.pricer.classes, phase.artificial_cost)
        self.master.add(phase.columns, phase.costs)
        self.events: list[Event] = []
        settings, task = given.settings, given.task
        self.limit = cutoff(task.upper_bound, settings.tolerance) - phase.constant
        self.tolerance = 0.25 * max(settings.tolerance, 1e-9) * self._known_cost()
        self.rng = np.random.default_rng((task.seed, task.node, phase.iteration))
        self.is_complete = False

    def _known_cost(self) -> float:
        known = self.given.task.upper_bound
        if np.isfinite(known):
            return known
        return max(float(self.phase.artificial_cost.sum()), np.finfo(float).tiny)

    def report(self) -> Report:
        """Iterate for a while and report: go on, close or branch."""
        solution = self.master.solve()
        for _ in range(self.given.settings.round_iterations):
            self._iterate(solution)
            if self.is_complete or self.phase.bound.value >= self.limit:
                break
            solution = self.master.solve()
        self.phase = replace(self.phase, columns=self.master.columns, costs=self.master.costs)
        report = self._rounded(self._reported(), solution)
        most = self._most_cost()
        if self.phase.bound.value > most:
            detail = "The bound passes the cost of a single cluster of all points."
            return replace(report, verdict="infeasible", lower_bound=np.inf, detail=detail)
        if self.phase.bound.value >= self.limit:
            report = replace(report, verdict="bound")
            return twice_proved_over(self.given, self.phase.blocks, report, self.phase.left)
        if not self.is_complete:
            return report
        if solution.artificial > _NEEDED and self.phase.artificial_cost.max() <= _ENOUGH * most:
            caps = self.phase.artificial_cost
            caps = np.maximum(_RAISED * caps, caps.mean())  # no block lags behind the others
            return replace(report, state=replace(self.phase, artificial_cost=caps))
        found = self._cost_of(report)
        if found < min(self.given.task.upper_bound, self.phase.found) * (1.0 - 1e-9):
            # Go on: the tolerance is finer then, if the clustering counts.
            return replace(report, state=replace(self.phase, found=found))
        return self._settled(report, solution)

    def _cost_of(self, report: Report) -> float:
        """Return the cost of a report's clustering, infinite without one."""
        if report.labels is None:
            return np.inf
        return Partition(self.given.problem, report.labels).objective

    def _iterate(self, solution: Solution) -> None:
        """Price at smoothed duals, and at the master's where that finds nothing new."""
        phase, before = self.phase, len(self.master.costs)
        self.phase = replace(phase, iteration=phase.iteration + 1)
        best = 0.0
        for duals, class_duals in self._points(solution):
            quick = self.pricer.heuristic(duals, class_duals, self._seeds(solution))
            best = min(best, self._add(quick, solution))
            if len(self.master.costs) > before and len(self.pricer.classes) * 4 < len(quick.costs):
                break
            priced = self._prove(duals, class_duals)
            best = min(best, self._add(priced, solution))
            if len(self.master.costs) > before:
                break
        gap = solution.objective - self.phase.bound.value
        self.is_complete = len(self.master.costs) == before or gap <= self.tolerance
        self._show(solution, best, len(self.master.costs) - before)

    def _points(self, solution: Solution) -> list[tuple[FloatArray, FloatArray]]:
        """Return duals to price at: between the best ones and the master's, then the master's."""
        own = (solution.duals, solution.class_duals)
        smoothing = self.given.settings.smoothing
        if self.phase.center is None or smoothing == 0.0:
            return [own]
        center = self.phase.center
        between = tuple(
            smoothing * near + (1.0 - smoothing) * far
            for near, far in zip(center, own, strict=True)
        )
        return [between, own]  # type: ignore[list-item]

    def _prove(self, duals: FloatArray, class_duals: FloatArray) -> Priced:
        """Price exactly and raise the bound."""
        slack = _SHARE * self.tolerance / float(self.counts.sum())
        priced = self.pricer.exact(duals, class_duals, slack, self.given.task.stop)
        self.phase = self.phase.raised(duals, priced.least, self.counts)
        return priced

    def _add(self, priced: Priced, solution: Solution) -> float:
        """Add the columns of negative reduced cost, the best first; return the least one."""
        if len(priced.costs) == 0:
            return 0.0
        reduced = priced.costs - priced.columns @ solution.duals
        reduced = reduced - self._class_duals(priced.columns, solution)
        params, k = self.given.params.pricing, self.phase.blocks.k
        order = np.argsort(reduced, kind="stable")
        order = order[reduced[order] < -_SHARE * self.tolerance / k]
        new = order[: max(params.new_at_least, params.new_per_cluster * k)]
        self.master.add(priced.columns[new], priced.costs[new])
        return float(reduced.min())

    def _class_duals(self, columns: np.ndarray, solution: Solution) -> FloatArray:
        """Return the largest dual of a class that each column fits."""
        size = columns @ self.phase.blocks.mass
        best = np.full(len(columns), -np.inf)
        for each, dual in zip(self.pricer.classes, solution.class_duals, strict=True):
            fits = (size >= each.lower) & (size <= each.upper)
            best[fits] = np.maximum(best[fits], dual)
        return best

    def _seeds(self, solution: Solution) -> FloatArray:
        """Return centres to descend from: of columns in use, and some blocks."""
        blocks, points = self.phase.blocks, self.pricer.points
        used = self.master.columns[: len(solution.weights)][solution.weights > _IN_USE]
        weight = used * blocks.mass
        means = weight @ points / weight.sum(axis=1)[:, None]
        params = self.given.params.pricing
        count = min(blocks.s, params.least_seeds, params.most_seeds)
        some = self.rng.choice(blocks.s, count, replace=False)
        return np.concatenate([means, points[some]])

    def _show(self, solution: Solution, best: float, new: int) -> None:
        phase = self.phase
        bound = max(self.given.task.lower_bound, phase.bound.value + phase.constant)
        self.events.append(
            ColumnsPriced(
                node=self.given.task.node,
                iteration=phase.iteration,
                columns=new,
                pool=len(self.master.costs),
                best_reduced_cost=best,
                exact=self.is_complete,
                master_objective=solution.objective + phase.constant,
                lower_bound=bound,
                duals=solution.duals,
                center=None if phase.center is None else phase.center[0],
            )
        )

    def _reported(self) -> Report:
        phase, bound = self.phase, self.phase.bound
        certificate: dict[str, np.ndarray] = {}
        if bound.duals is not None and bound.least is not None:
            certificate = {"duals": bound.duals, "least": bound.least}
            if isinstance(self.pricer, EveryCluster):  # the bound counts every rule
                certificate["listed"] = np.array([len(self.pricer.clusters.costs)])
        known = max(self.given.task.lower_bound, phase.constant * (1.0 - 1e-9))
        return Report(
            "go on",
            max(known, bound.value + phase.constant),
            events=tuple(self.events),
            certificate=certificate,
            state=phase,
            iterations=phase.iteration,
        )

    def _most_cost(self) -> float:
        """Return an upper bound on the cost of any clustering."""
        blocks = self.phase.blocks
        # Links against each other on one pair cost both weights, not their difference.
        soft = float(blocks.soft_must.weights.sum() + blocks.soft_cannot.weights.sum())
        return (squares_of(blocks) + 2.0 * soft) * ONE_CLUSTER

    def _settled(self, report: Report, solution: Solution) -> Report:
        """Close a node whose solution is a clustering; branch the others on a pair."""
        columns = self.master.columns[: len(solution.weights)]
        pair = branching_pair(self.phase.blocks, columns, solution.weights)
        if pair is None:
            report = replace(report, verdict="integral", detail=INTEGRAL)
            return twice_proved_over(self.given, self.phase.blocks, report, self.phase.left)
        chosen = best_partition(self.master, self.given.settings.cover_nodes, self.given.task.stop)
        if chosen is not None:
            report = self._with_clustering(report, self.master.columns[chosen])
        return replace(report, verdict="branch", branch=PairDecision(*pair, together=True))

    def _rounded(self, report: Report, solution: Solution) -> Report:
        """Add the clustering that the heaviest columns make, if they make one."""
        columns = self.master.columns[: len(solution.weights)]
        whole = np.unique(columns[solution.weights > _WHOLE], axis=0)
        report = self._with_clustering(report, whole)
        if self.given.params.lists_clusters:
            return report
        chosen = columns[choose(columns, solution.weights, self.phase.blocks.k)]
        return self._with_labels(report, rebuilt(self.phase.blocks, chosen))

    def _with_clustering(self, report: Report, columns: np.ndarray) -> Report:
        """Add the clustering that some columns make, if it is better than the report's."""
        return self._with_labels(report, labels_of(self.phase.blocks, columns))

    def _with_labels(self, report: Report, labels: IntArray | None) -> Report:
        if labels is None:
            return report
        problem, blocks = self.given.problem, self.phase.blocks
        partition = Partition(problem, blocks.lift(improved(blocks, labels)))
        if partition.objective >= self._cost_of(report) or not partition.violations.none_hard:
            return report
        return replace(report, labels=partition.labels, source="columns")
