"""The clustering nearest to the one shown before, made in a process of its own after a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import param

from ccviz.arrays import IntArray
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.earlier import same_points
from ccviz.runs.worker_pool import WorkerPool
from ccviz.studies.least_change import least_change, said_of
from ccviz.views.lab.player import Player
from ccviz.views.lab.sandboxed_call import SandboxedCall

SLACK = 0.01
"""Share by which the cost may exceed the best one."""

_MOST_S = 60.0
"""Time limit of a search for the nearest clustering, in seconds."""


@dataclass(frozen=True, eq=False)
class _Answer:
    """The answer of a run, or what was shown in its place."""

    run_id: str
    problem: Problem
    labels: IntArray


class Staying(param.Parameterized):
    """After a run, shows the clustering within a share of its cost that moves few points.

    Parameters
    ----------
    quota : Quota
    player : Player
    pool : WorkerPool, optional
        Its fork server forks the process.

    Attributes
    ----------
    wanted : bool
        Whether as little as possible is to change.
    found : LeastChange or None
        What is shown in place of the run's answer.
    """

    wanted = param.Boolean(default=False)
    found = param.Parameter(default=None)

    def __init__(self, quota: Quota, player: Player, pool: WorkerPool | None = None) -> None:
        super().__init__()
        self._quota, self._player, self._pool = quota, player, pool
        self._before: _Answer | None = None
        self._last: IntArray = np.zeros(0, dtype=np.int64)
        self._now: _Answer | None = None
        self._call: SandboxedCall | None = None
        player.param.watch(self._look, "shot")
        self.param.watch(self._begin, "wanted")

    @property
    def busy(self) -> bool:
        """Whether the nearest clustering is being looked for."""
        return self._call is not None

    def _look(self, event: Any) -> None:
        """Follow the answers of runs, one after the other."""
        shot = event.new
        if shot is None or self._now is None or shot.info.id != self._now.run_id:
            self.close()
        if shot is None or shot.run.finished is None or shot.run.incumbent is None:
            return
        if self._now is not None and self._now.run_id == shot.info.id:
            return
        self._before = self._shown
        self._now = _Answer(shot.info.id, shot.run.problem, shot.run.incumbent.labels)
        self._last = self._now.labels
        self._begin()

    @property
    def _shown(self) -> _Answer | None:
        """What was shown last: the answer, or what replaced it."""
        return None if self._now is None else replace(self._now, labels=self._last)

    def _begin(self, *_: Any) -> None:
        """Look for the nearest clustering, if it is wanted and there are two answers."""
        self.close()
        before, now = self._before, self._now
        if not self.wanted or before is None or now is None or not _comparable(before, now):
            return
        quota = self._quota
        self._call = SandboxedCall(
            _nearest, (now.problem, now.labels, before.labels, SLACK), min(_MOST_S, quota.run_s),
            quota.call_bytes, self._pool,
        )  # fmt: skip

    def tick(self) -> None:
        """Take the nearest clustering once it is there.

        Raises
        ------
        CcvizError
            If the process was refused or has failed.
        """
        if self._call is None or not self._call.done:
            return
        call, self._call = self._call, None
        labels = np.asarray(call.answer(), dtype=np.int64)
        before, now = self._before, self._now
        if before is not None and now is not None:
            self._last = labels
            allowed = Partition(now.problem, now.labels).objective * (1.0 + SLACK)
            self.found = said_of(now.problem, labels, before.labels, allowed)

    def close(self) -> None:
        """End the process, and show the run's own answer."""
        if self._call is not None:
            self._call.close()
        self._call = None
        self.found = None


def _comparable(before: _Answer, now: _Answer) -> bool:
    if not same_points(before.problem, now.problem):
        return False
    return Partition(now.problem, now.labels).violations.none_hard


def _nearest(problem: Problem, best: IntArray, old: IntArray, slack: float) -> IntArray:
    return least_change(problem, best, old, slack).partition.labels
