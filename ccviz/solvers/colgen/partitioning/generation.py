"""Column generation at one node under sizes or soft links: master, pricing and bound in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import ColumnsPriced, Event
from ccviz.problem.partition import Partition
from ccviz.solvers.colgen.branching.pairs import branching_pair
from ccviz.solvers.colgen.master.rounding import choose
from ccviz.solvers.colgen.partitioning.master import Master, Solution, best_partition
from ccviz.solvers.colgen.partitioning.phase import PartitionPhase, blocks_of, class_counts, mean_of
from ccviz.solvers.colgen.partitioning.pricer import Priced
from ccviz.solvers.colgen.partitioning.start import improved, labels_of, rebuilt
from ccviz.solvers.colgen.phases.context import ONE_CLUSTER, NodeInput
from ccviz.solvers.colgen.phases.reports import twice_proved_over
from ccviz.solvers.search.decisions import PairDecision
from ccviz.solvers.search.tree import Report, cutoff

_RAISED = 10.0
"""Factor of the artificial costs when the master needs them to the end."""
_NEEDED = 1e-6
"""Weight of artificial columns, in all, that calls for that."""
_IN_USE = 0.02
"""Weight of columns at whose means heuristic pricing begins."""
_WHOLE = 0.5
"""Weight of a column that is in a clustering, where all weights are 0 or 1."""
_SHARE = 0.1
"""Share of a node's tolerance for the errors of exact pricing."""


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
    """Column generation over one master.

    Parameters
    ----------
    given : NodeInput
    phase : PartitionPhase
    """

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
            return twice_proved_over(
                self.given, self.phase.blocks, replace(report, verdict="bound"), self.phase.left
            )
        if not self.is_complete:
            return report
        if solution.artificial > _NEEDED:
            caps = _RAISED * self.phase.artificial_cost
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
        certificate = {}
        if bound.duals is not None and bound.least is not None:
            certificate = {"duals": bound.duals, "least": bound.least}
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
        model, blocks = self.pricer.models[0], self.phase.blocks
        squares = float(blocks.mass @ ((blocks.centroid - mean_of(blocks)) ** 2).sum(axis=1))
        soft = float(np.abs(model.weight).sum())
        return (squares + soft) * ONE_CLUSTER

    def _settled(self, report: Report, solution: Solution) -> Report:
        """Close a node whose solution is a clustering; branch the others on a pair."""
        columns = self.master.columns[: len(solution.weights)]
        pair = branching_pair(self.phase.blocks, columns, solution.weights)
        if pair is None:
            detail = "The relaxation's solution is a clustering."
            return twice_proved_over(
                self.given,
                self.phase.blocks,
                replace(report, verdict="integral", detail=detail),
                self.phase.left,
            )
        chosen = best_partition(self.master, self.given.settings.cover_nodes, self.given.task.stop)
        if chosen is not None:
            report = self._with_clustering(report, self.master.columns[chosen])
        return replace(report, verdict="branch", branch=PairDecision(*pair, together=True))

    def _rounded(self, report: Report, solution: Solution) -> Report:
        """Add the clustering that the heaviest columns make, if they make one."""
        columns = self.master.columns[: len(solution.weights)]
        whole = np.unique(columns[solution.weights > _WHOLE], axis=0)
        report = self._with_clustering(report, whole)
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
