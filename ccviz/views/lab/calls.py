"""Work for the page in a process of its own: a map, a repair, the nearest clustering, reasons."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import param

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import CcvizError
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.links import adjacency
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.earlier import same_points
from ccviz.runs.worker_pool import WorkerPool
from ccviz.studies.least_change import least_change, said_of
from ccviz.views.draft import Draft
from ccviz.views.frames.projection import keep_layout, lay_out, map_of
from ccviz.views.lab.notice import Verdict, verdict
from ccviz.views.lab.player import Player
from ccviz.views.lab.queued_call import QueuedCall
from ccviz.views.lab.runner import Runner

# --- The map of the points, laid out in a process of its own while its first sketch is shown ------


class Mapping(QueuedCall):
    """The layout of one session."""

    _draft: Draft | None = None

    def start(self, draft: Draft, then: Callable[[], None]) -> None:
        """Lay the points of a draft out, unless that is done or under way.

        `then`: Called once the map of these points is another one.
        """
        if not map_of(draft.data, draft.scaling, draft.X).is_sketch:
            return
        if self._draft is not None and self._draft.has_points_of(draft):
            return
        self.stop()
        self._draft, self._then = draft, then
        self._begin_call(lay_out, (draft.X,), self._quota.run_s)

    def _take(self, answer: FloatArray) -> None:
        draft, then = self._draft, self._then
        assert draft is not None
        self._draft = None
        keep_layout(draft.data, draft.scaling, draft.X, answer)
        then()

    def stop(self) -> None:
        """Abandon what is under way."""
        super().stop()
        self._draft = None


# --- The clustering nearest to the one shown before, made in a process of its own after a run -----


_MOST_STAY_S = 60.0
"""Time limit of a search for the nearest clustering, in seconds."""


@dataclass(frozen=True, eq=False)
class _Answer:
    """The answer of a run, or what was shown in its place."""

    run_id: str
    problem: Problem | None  # None where labels followed their points by name to another table
    labels: IntArray  # -1 for new points


class Staying(QueuedCall):
    """After a run, shows the clustering that keeps all constraints and moves few points."""

    wanted = param.Boolean(default=False)  # Whether groups are to be kept as they are
    most = param.Integer(default=None, allow_None=True, bounds=(0, None))  # Most points that move
    found = param.Parameter(default=None)  # What is shown in place of the run's answer
    # The answer of the last run, or where its points are in another table.
    now = param.ClassSelector(class_=_Answer, default=None, allow_None=True)

    def __init__(self, quota: Quota, player: Player, pool: WorkerPool | None = None) -> None:
        super().__init__(quota, pool)
        self._before: _Answer | None = None
        self._last: IntArray = np.zeros(0, dtype=np.int64)
        player.param.watch(self._on_shot, "shot")
        self.param.watch(self._begin, ["wanted", "most"])

    def _on_shot(self, event: Any) -> None:
        """Follow the answers of runs, one after the other."""
        shot = event.new
        if shot is None or self.now is None or shot.info.id != self.now.run_id:
            self.stop()
        if shot is None or shot.run.finished is None or shot.run.incumbent is None:
            return
        if self.now is not None and self.now.run_id == shot.info.id:
            return
        self._before = self._shown
        self.now = _Answer(shot.info.id, shot.run.problem, shot.run.incumbent.labels)
        self._last = self.now.labels
        self._begin()

    def can_keep(self, problem: Problem) -> bool:
        """Whether there is a clustering of these points to keep."""
        return self.now is not None and _has_points_of(self.now, problem)

    @property
    def _shown(self) -> _Answer | None:
        """What was shown last: the answer, or what replaced it."""
        return None if self.now is None else replace(self.now, labels=self._last)

    def _begin(self, *_: Any) -> None:
        """Look for the nearest clustering, if it is wanted and there are two answers."""
        self.stop()
        before, now = self._before, self.now
        if not self.wanted or before is None or now is None or now.problem is None:
            return
        if not _has_points_of(before, now.problem) or _old(before, now).max(initial=-1) < 0:
            return
        if Partition(now.problem, now.labels).violations.none_hard:
            self._begin_call(
                _nearest, (now.problem, now.labels, _old(before, now), self.most),
                min(_MOST_STAY_S, self._quota.run_s),
            )  # fmt: skip

    def _take(self, answer: IntArray) -> None:
        labels = np.asarray(answer, dtype=np.int64)
        before, now = self._before, self.now
        if before is not None and now is not None and now.problem is not None:
            self._last = labels
            self.found = said_of(now.problem, labels, _old(before, now), np.inf)

    def follow(self, rows: IntArray) -> None:
        """Keep the clusters of points in another table, by the earlier rows of its points."""
        if self.now is not None and -1 < rows.max() < len(self._last):
            self._last = np.where(rows >= 0, self._last[rows], -1)
            self.now = _Answer("", None, self._last)

    def stop(self) -> None:
        """End the process, and show the run's own answer."""
        super().stop()
        self.found = None


def _has_points_of(answer: _Answer, problem: Problem) -> bool:
    if answer.problem is None:
        return len(answer.labels) == problem.n
    return same_points(answer.problem, problem)


def _old(before: _Answer, now: _Answer) -> IntArray:
    """Return the clusters before, -1 for points that had none or one that is no more."""
    k = 0 if now.problem is None else now.problem.k
    return np.where(before.labels < k, before.labels, -1)


def _nearest(problem: Problem, best: IntArray, old: IntArray, most: int | None) -> IntArray:
    return least_change(problem, best, old, np.inf, most).partition.labels


# --- A short descent from a clustering that breaks links, in numpy: for answers at once -----------
#
# Blocks take their nearest centre. Those with conflicts choose one after the other, the ones with
# the most to lose first, among the clusters that their partners have left. Means follow, as in
# k-means. Solvers have stronger ways, whose compiled code takes half a second to load.


_ITERATIONS = 20
_MOST_WORK = 5_000_000
"""Blocks times clusters times features up to which an iteration takes some milliseconds."""

_MOST_CONFLICTS = 2_000
"""Conflicts up to which the choices of an iteration take some milliseconds."""


def quick_repair(problem: Problem, labels: IntArray) -> IntArray | None:
    """Return a clustering near to a given one that keeps all links.

    `problem`: With hard links only, and without sizes and rules. Returns: None where the problem is
    too large or has other constraints, or no clustering was found.
    """
    if problem.sizes is not None or problem.rules or problem.is_soft:
        return None
    blocks = contract(problem)
    if blocks.s * blocks.k * problem.d > _MOST_WORK or len(blocks.conflicts) > _MOST_CONFLICTS:
        return None
    centers = Partition(problem, labels).centers
    best, least = None, np.inf
    for _ in range(_ITERATIONS):
        if not np.isfinite(centers).all():
            break
        found = _assigned(blocks, centers)
        if found is None:
            break
        partition = Partition(problem, blocks.lift(found))
        if not partition.violations.none_hard or partition.wcss >= least:
            break
        best, least, centers = partition.labels, partition.wcss, partition.centers
    return best


def _assigned(blocks: Blocks, centers: FloatArray) -> IntArray | None:
    """Return (s,) clusters that keep the conflicts; None where a block has none left."""
    points = blocks.centroid.astype(np.float64, copy=False)
    square = (centers**2).sum(axis=1) - 2.0 * points @ centers.T
    labels = square.argmin(axis=1).astype(np.int64)
    partners = adjacency(blocks.conflicts.tolist())
    if not partners:
        return labels
    two = np.partition(square[list(partners)], 1, axis=1)[:, :2]
    loss = dict(zip(partners, blocks.mass[list(partners)] * (two[:, 1] - two[:, 0]), strict=True))
    placed: dict[int, int] = {}
    for block in sorted(partners, key=lambda each: -loss[each]):
        taken = [placed[other] for other in partners[block] if other in placed]
        cost = square[block].copy()
        cost[taken] = np.inf
        placed[block] = int(cost.argmin())
        if not np.isfinite(cost[placed[block]]):
            return None
    labels[list(placed)] = list(placed.values())
    return labels


# --- A clustering that keeps an edited problem, made at once from the one that is shown -----------


_MOST_REPAIR_S = 20.0
"""Time limit of a repair, in seconds."""


class Repair(QueuedCall):
    """Repairs the clustering shown where an edit breaks it: at once, or in a process of its own."""

    partition = param.Parameter(default=None)

    def __init__(self, quota: Quota, player: Player, pool: WorkerPool | None = None) -> None:
        super().__init__(quota, pool)
        self._problem: Problem | None = None
        player.param.watch(self._discard_if_answered, "shot")

    def begin(self, shown: Partition | None, problem: Problem, only_at_once: bool = False) -> None:
        """Repair the clustering shown, if an edited problem with hard links only breaks it.

        `only_at_once`: Begin no process: a run of the problem is about to start.
        """
        self.stop()
        if shown is None or problem.is_soft or problem.rules:
            return
        if not same_points(shown.problem, problem):
            return
        labels = shown.labels
        if Partition(problem, labels).violations.none_hard:
            return
        found = quick_repair(problem, labels)
        if found is not None:
            self.partition = Partition(problem, found)
        if found is not None or only_at_once:
            return
        self._problem = problem
        seconds = min(_MOST_REPAIR_S, self._quota.run_s)
        self._begin_call(_repaired, (problem, labels), seconds)

    def _take(self, answer: IntArray | None) -> None:
        if answer is not None and self._problem is not None:
            partition = Partition(self._problem, answer)
            self.partition = partition if partition.violations.none_hard else None

    def _fail(self, failed: CcvizError) -> None:
        """Change nothing where none is found."""

    def _discard_if_answered(self, event: Any) -> None:
        """Forget the repaired clustering once a run of its problem has one that costs no more.

        At its end, or where it has none yet that keeps all, the run is shown as it is.
        """
        shot, repaired = event.new, self.partition
        asked = self._problem if repaired is None else repaired.problem
        if shot is None or asked is None or shot.run.labels is None:
            return
        goes = shot.run.incumbent is not None and shot.run.finished is None
        if repaired is not None and goes and shot.run.objective > repaired.objective:
            return
        if shot.run.problem.asks_the_same(asked):
            self.stop()

    def stop(self) -> None:
        """End the process, and forget the repaired clustering."""
        super().stop()
        self._problem = self.partition = None


def _repaired(problem: Problem, labels: IntArray) -> IntArray | None:
    # Imported here: compiled code is not for the process that only draws.
    from ccviz.solvers.sdp.rounding import repaired

    return repaired(problem, labels)


# --- Why a run finds no clustering, looked for in a process of its own beside the run -------------


_PATIENCE_S = 2.0
"""Seconds of a run without a clustering after which its constraints are looked into."""

_CHECK_S, _EXPLAIN_S, _MOST_LOOK_S = 2.0, 4.0, 60.0
"""Time limits of the check, of the reasons, and of the process, in seconds."""


class LookingInto(QueuedCall):
    """Says while a run has found no clustering whether there is one, and what to change.

    `runner`: Drives the run. `draft`: Returns the problem as it is. `say`: Shows a verdict.
    """

    def __init__(
        self,
        quota: Quota,
        runner: Runner,
        player: Player,
        draft: Callable[[], Draft],
        say: Callable[[Verdict], None],
        pool: WorkerPool | None = None,
    ) -> None:
        super().__init__(quota, pool)
        self._runner, self._player, self._draft, self._say = runner, player, draft, say
        self._run_id, self._began_at, self._is_done = "", 0.0, False

    def tick(self) -> None:
        """Begin once a run has found nothing for some seconds, and take the verdict."""
        super().tick()
        if self._runner.run_id != self._run_id:
            self.stop()
            self._run_id, self._began_at = self._runner.run_id, time.monotonic()
            self._is_done = False
        late = time.monotonic() >= self._began_at + _PATIENCE_S
        if self._is_done or not late or self._runner.state != "running" or not self._is_open:
            return
        self._is_done = True
        problem = self._draft().problem
        if problem.must_keep:
            args = (problem, _CHECK_S, _EXPLAIN_S)
            self._begin_call(verdict, args, min(_MOST_LOOK_S, self._quota.run_s))

    @property
    def _is_open(self) -> bool:
        """Whether the run is one of the problem as it is, and has found no clustering."""
        shot = self._player.shot
        if shot is None or shot.info.id != self._run_id or shot.run.incumbent is not None:
            return False
        return shot.run.finished is None and shot.run.problem.asks_the_same(self._draft().problem)

    def _take(self, answer: Verdict) -> None:
        if self._is_open:
            self._say(answer)

    def _fail(self, failed: CcvizError) -> None:
        """Say nothing where the time was too short."""
