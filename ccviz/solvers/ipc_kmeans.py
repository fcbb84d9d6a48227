"""IPC-k-means by itself: Algorithm 1 of Piccialli, Russo Russo and Sudoso 2022, with its gap.

The root's relaxation is tightened by cuts until it stalls; every few rounds its matrix gives the
centres from which exact assignments and means descend. The relaxation's bound says how good the
best clustering is at worst.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from ccviz.events import (
    TERMINATION_SENTENCES,
    BoundImproved,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
)
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting


@dataclass(frozen=True)
class IpcKMeans(Solver):
    """Constrained k-means started from the semidefinite relaxation."""

    name: ClassVar[str] = "ipc-kmeans"
    title: ClassVar[str] = "IPC-k-means"
    paper: ClassVar[str] = "Piccialli, Russo Russo and Sudoso (2022)"
    supports: ClassVar[Supports] = Supports(hard=True, bounds=True)
    most_blocks: ClassVar[float] = 4000

    tolerance: float = setting(1e-4, "Relative gap at which no more cuts are tried.", low=0.0)
    rounds: int = setting(20, "Most rounds of cuts.", low=1, label="Most rounds")

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield each round's cuts, bound and clustering."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.sdp.node import advance
        from ccviz.solvers.sdp.settings import NodeSettings
        from ccviz.solvers.tree import Task

        settings = NodeSettings(tolerance=self.tolerance, max_rounds=self.rounds)
        centred = problem.centred()
        task = Task(0, seed=context.seed)
        while not context.stop():
            report = advance(centred, settings, task)
            yield from report.events
            if report.verdict == "infeasible":
                yield InfeasibilityProved(reason=report.detail, points=report.witness)
                yield Finished(termination="proved", message=TERMINATION_SENTENCES["proved"])
                return
            if report.labels is not None:
                objective = Partition(problem, report.labels).wcss
                if objective < task.upper_bound:
                    task = replace(task, upper_bound=objective)
                    yield IncumbentFound(labels=report.labels, source=report.source)
            if report.lower_bound > task.lower_bound:
                task = replace(task, lower_bound=report.lower_bound)
                yield BoundImproved(lower_bound=min(task.lower_bound, task.upper_bound))
            if report.verdict != "go on":
                break
            task = replace(task, state=report.state, opening=False)
        if not context.stop():
            yield Finished(termination="converged", message=TERMINATION_SENTENCES["converged"])
