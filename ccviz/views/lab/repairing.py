"""A clustering that keeps an edited problem, made at once from the one that is shown."""

from __future__ import annotations

from contextlib import suppress

import param

from ccviz.arrays import IntArray
from ccviz.errors import CcvizError
from ccviz.problem.descent import quick_repair
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.earlier import same_points
from ccviz.runs.run import Run
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.lab.player import Shot
from ccviz.views.lab.sandboxed_call import SandboxedCall

_MOST_S = 20.0
"""Time limit of a repair, in seconds."""


class Repair(param.Parameterized):
    """Repairs the clustering shown where an edit breaks it: at once, or in a process of its own.

    Parameters
    ----------
    quota : Quota
    pool : WorkerPool, optional
        Its fork server forks the process.

    Attributes
    ----------
    partition : Partition or None
        The repaired clustering of the current problem.
    """

    partition = param.Parameter(default=None)

    def __init__(self, quota: Quota, pool: WorkerPool | None = None) -> None:
        super().__init__()
        self._quota, self._pool = quota, pool
        self._problem: Problem | None = None
        self._call: SandboxedCall | None = None

    @property
    def busy(self) -> bool:
        """Whether a clustering is being repaired."""
        return self._call is not None

    def begin(self, run: Run | None, problem: Problem, only_at_once: bool = False) -> None:
        """Repair the clustering of a run, if an edited problem with hard links only breaks it.

        Parameters
        ----------
        run : Run or None
            The run shown.
        problem : Problem
            The current one.
        only_at_once : bool
            Begin no process: a run of the problem is about to start.
        """
        self.close()
        if run is None or run.incumbent is None or problem.is_soft or problem.rules:
            return
        if not same_points(run.problem, problem):
            return
        labels = run.incumbent.labels
        if Partition(problem, labels).violations.none_hard:
            return
        found = quick_repair(problem, labels)
        if found is not None:
            self.partition = Partition(problem, found)
        if found is not None or only_at_once:
            return
        quota = self._quota
        self._problem = problem
        self._call = SandboxedCall(
            _repaired, (problem, labels), min(_MOST_S, quota.run_s),
            quota.call_bytes, self._pool,
        )  # fmt: skip

    def tick(self) -> None:
        """Take the repaired clustering once it is there; where none is found, nothing changes."""
        if self._call is None or not self._call.done:
            return
        call, self._call = self._call, None
        with suppress(CcvizError):
            labels = call.answer()
            if labels is not None and self._problem is not None:
                partition = Partition(self._problem, labels)
                self.partition = partition if partition.violations.none_hard else None

    def give_way(self, shot: Shot | None) -> None:
        """Forget the repaired clustering as soon as a run of its problem has one of its own."""
        asked = self._problem if self.partition is None else self.partition.problem
        if shot is None or asked is None or shot.run.labels is None:
            return
        if shot.run.problem.asks_the_same(asked):
            self.close()

    def close(self) -> None:
        """End the process, and forget the repaired clustering."""
        if self._call is not None:
            self._call.close()
        self._call = self._problem = None
        self.partition = None


def _repaired(problem: Problem, labels: IntArray) -> IntArray | None:
    # Imported here: compiled code is not for the process that only draws.
    from ccviz.solvers.sdp.rounding import repaired

    return repaired(problem, labels)
