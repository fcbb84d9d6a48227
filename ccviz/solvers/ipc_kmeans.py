"""IPC-k-means by itself: Algorithm 1 of Piccialli, Russo Russo and Sudoso 2022, with its gap.

The root's relaxation is tightened by cuts until it stalls; every few rounds its matrix gives the
centres from which exact assignments and means descend. The relaxation's bound says how good the
best clustering is at worst.

By default several centres are tried, exchanges and shaken descents follow, and the relaxation's
cuts stop once the gap is closed. ``algorithm="printed"`` is Algorithm 1 and no more: from the
matrix that the last round leaves, one k-means over its rows, then assignments and means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import (
    BoundImproved,
    Event,
    Finished,
    IncumbentFound,
)
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import proved_infeasible

if TYPE_CHECKING:
    from ccviz.solvers.sdp.node import NodeState


@dataclass(frozen=True)
class IpcKMeans(Solver):
    """Constrained k-means started from the semidefinite relaxation."""

    name: ClassVar[str] = "ipc-kmeans"
    title: ClassVar[str] = "IPC-k-means"
    paper: ClassVar[str] = "Piccialli, Russo Russo and Sudoso (2022)"
    supports: ClassVar[Supports] = Supports(hard=True, weights=True, bounds=True)
    most_blocks: ClassVar[float] = 4000

    tolerance: float = setting(1e-4, "Relative gap at which no more cuts are tried.", low=0.0)
    algorithm: str = setting(
        "improved",
        "Several starts with shaken descents, or Algorithm 1 as printed, once and at the end.",
        choices=("improved", "printed"),
    )
    rounds: int = setting(20, "Most rounds of cuts.", low=1, label="Most rounds")

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield each round's cuts, bound and clustering."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.sdp.node import advance
        from ccviz.solvers.sdp.settings import NodeSettings
        from ccviz.solvers.search.decisions import margin_of
        from ccviz.solvers.search.tree import StoppedError, Task
        from ccviz.solvers.search.workforce import SerialExecutor

        settings = NodeSettings(tolerance=self.tolerance, max_rounds=self.rounds)
        centred, margin = problem.centred(), margin_of(problem)
        task = Task(0, seed=context.seed, stop=context.stop)
        here = SerialExecutor()
        printed, last = self.algorithm == "printed", None
        while not context.stop():
            try:
                report = here.submit(advance, centred, settings, task).result()
            except StoppedError:
                return
            yield from report.events
            if report.verdict == "infeasible":
                yield from proved_infeasible(report.detail, report.witness)
                return
            if report.labels is not None and not printed:
                objective = Partition(problem, report.labels).wcss
                if objective < task.upper_bound:
                    task = replace(task, upper_bound=objective)
                    yield IncumbentFound(labels=report.labels, source=report.source)
            if report.lower_bound > task.lower_bound:
                task = replace(task, lower_bound=report.lower_bound)
                least = min(task.lower_bound, task.upper_bound)
                yield BoundImproved(lower_bound=margin.below(least))
            last = report.state or last
            if report.verdict != "go on":
                break
            task = replace(task, state=report.state, opening=False)
        if printed and not context.stop():
            # A relaxation that needed no round leaves the only clustering and no matrix.
            found = report.labels if last is None else _as_printed(last, context)
            yield from _one_answer(found, self.name)
        elif not context.stop():
            yield Finished.of("converged")


def _as_printed(last: NodeState, context: Context) -> IntArray | None:
    from ccviz.solvers.sdp.rounding import algorithm_1

    Y = last.at.Y.astype(np.float64)
    return algorithm_1(last.blocks, last.relaxation, Y, context.seed, context.stop)


def _one_answer(labels: IntArray | None, source: str) -> Iterator[Event]:
    if labels is None:
        message = "No feasible assignment was found; one may exist."
        yield Finished(termination="stalled", message=message)
        return
    yield IncumbentFound(labels=labels, source=source)
    yield Finished.of("converged")
