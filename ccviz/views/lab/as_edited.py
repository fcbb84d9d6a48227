"""Which edits start a run by themselves, and what earlier runs have proved of the problem."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import param

from ccviz.arrays import IntArray
from ccviz.errors import ArchiveError, ParameterError
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.earlier import same_points, tightens
from ccviz.runs.run import Run
from ccviz.solvers import SOLVERS, Solver, make_solver
from ccviz.solvers.forecast import Forecast, forecast
from ccviz.views.draft import Draft
from ccviz.views.frames.card import after_edit
from ccviz.views.lab.notice import refusal
from ccviz.views.lab.player import Player, PlayerState

QUICK_S = 2.0
"""Longest time of a proof, in seconds, after which edits start runs by themselves."""

_MOST_PROOFS = 64
"""Largest number of proofs, and of bounds, that a session remembers."""

_MOST_RUNS = 20
"""Largest number of runs started by edits that are kept; the oldest is deleted first."""

_MOST_LABELS = 50_000
"""Largest number of points whose clusters are sent to a worker."""

_EXACT = frozenset(solver.name for solver in SOLVERS if solver.supports.exact)


@dataclass(frozen=True, eq=False)
class Proof:
    """A run that proved its optimum."""

    run_id: str
    problem: Problem
    labels: IntArray

    def answers(self, asked: Problem) -> bool:
        """Whether its clustering is proved optimal for a problem."""
        if self.problem.asks_the_same(asked):
            return True
        if not _bounds(self.problem, asked):
            return False
        found = Partition(asked, self.labels)
        cost = Partition(self.problem, self.labels).objective
        return found.violations.none_hard and found.objective <= cost


def bounds_hold(before: Problem, asked: Problem) -> bool:
    """Whether no clustering of a problem costs less than the optimum of an earlier one."""
    return before.asks_the_same(asked) or _bounds(before, asked)


def _bounds(before: Problem, asked: Problem) -> bool:
    return same_points(before, asked) and tightens(before, asked)


@dataclass(frozen=True, eq=False)
class Took:
    """Seconds of a run of an exact solver that has ended, with or without a proof."""

    run_id: str
    problem: Problem
    solver: Solver
    seconds: float
    proved: bool


class AsEdited(param.Parameterized):
    """Follows the runs of a session, and remembers its proofs.

    `compared`: Returns the runs that are drawn beside the one shown.
    """

    # Whether the last run shown to its end was a proof by an exact solver within `QUICK_S`.
    quick = param.Boolean(default=False)
    took = param.Parameter(default=())  # Runs that have ended, the newest last

    def __init__(
        self, archive: Archive, player: Player, compared: Callable[[], tuple[str, ...]]
    ) -> None:
        super().__init__()
        self._archive, self._player, self._compared = archive, player, compared
        self._proofs: deque[Proof] = deque(maxlen=_MOST_PROOFS)
        # The problem and the lower bound of runs, by their ids, the oldest first.
        self._bounds: dict[str, tuple[Problem, float]] = {}
        self._asked: Problem | None = None
        self._held: dict[str, bool] = {}  # Whether the bound of a run holds for this problem
        self._own: list[str] = []
        self._expects = False
        player.param.watch(self._on_shot, "shot")

    def expect(self) -> None:
        """Take the next run for one that an edit has started."""
        self._expects = True

    def is_own(self, run_id: str) -> bool:
        """Return whether a run, or with an empty id the next one, was started by an edit."""
        return run_id in self._own if run_id else self._expects

    def _on_shot(self, event: Any) -> None:
        shot = event.new
        if shot is None:
            return
        if self._expects:
            self._expects = False
            self._own.append(shot.info.id)
        while len(self._own) > _MOST_RUNS:
            self._forget(self._own.pop(0))
        self._remember_bound(shot)
        if shot.info.termination:
            self._judge(shot)

    def _remember_bound(self, shot: PlayerState) -> None:
        """Remember the highest bound of a run: an edit may end it at any time."""
        run_id = shot.info.id
        bound = max(shot.run.lower_bound, shot.info.lower_bound)
        known = self._bounds.get(run_id)
        if math.isfinite(bound) and (known is None or known[1] < bound):
            self._bounds[run_id] = shot.run.problem, bound
            if len(self._bounds) > _MOST_PROOFS:
                del self._bounds[next(iter(self._bounds))]

    def _forget(self, oldest: str) -> None:
        """Delete a run that an edit has started, unless a person has use for it."""
        with suppress(ArchiveError):  # it was deleted by hand, or has not ended
            info = self._archive.info(oldest)
            if info.name == oldest and not info.shared and oldest not in self._compared():
                self._archive.delete(oldest)

    def _judge(self, shot: PlayerState) -> None:
        """Remember a proof, and whether it was quick."""
        info = shot.info
        is_proof = info.status == "optimal" and info.solver in _EXACT
        if info.solver in _EXACT and all(each.run_id != info.id for each in self.took):
            with suppress(ParameterError):  # a solver of another version
                solver = make_solver(info.solver, **info.settings)
                took = Took(info.id, shot.run.problem, solver, info.time_s, is_proof)
                self.took = (*self.took[1 - _MOST_PROOFS :], took)
        self.quick = is_proof and info.time_s <= QUICK_S
        if is_proof and all(each.run_id != info.id for each in self._proofs):
            run = shot.run if shot.at_end else self._archive.load(info.id)
            if run.incumbent is not None:
                self._proofs.append(Proof(info.id, run.problem, run.incumbent.labels))

    def forecast(self, problem: Problem, solver: Solver) -> Forecast | None:
        """Return how long a proof may take, as the newest such run on these points has taken.

        None also for settings that were not measured, until there is such a run.
        """
        found = forecast(problem, solver.name)
        runs = (each for each in reversed(self.took) if _works_alike(each.solver, solver))
        took = next((each for each in runs if same_points(each.problem, problem)), None)
        before = None if took is None else forecast(took.problem, solver.name)
        if found is None or took is None or before is None:
            return found if _works_alike(make_solver(solver.name), solver) else None
        longer = max(took.seconds, 0.01) / before.middle
        if not took.proved and longer <= 1.0:  # it was stopped before the usual time
            return found
        spread = {name: longer * getattr(found, name) for name in ("low", "middle", "high")}
        return replace(found, is_least=not took.proved, **spread)

    def may_run(self, solver: Solver, draft: Draft) -> bool:
        """Return whether an edit starts a run by itself.

        Only where the same solver has just proved an optimum of these points and this k quickly,
        and supports the problem.
        """
        shot = self._player.shot
        if shot is None or not self.quick or shot.info.solver != solver.name:
            return False
        is_slow = not shot.info.termination and shot.info.time_s > QUICK_S
        if is_slow and not self.is_own(shot.info.id):  # such a run would answer no problem on show
            return False
        if not same_points(shot.run.problem, draft.problem):
            return False
        return not refusal(draft, solver)

    def proof_of(self, asked: Problem) -> str:
        """Return the newest run that proves the optimum of a problem; empty if there is none."""
        known = (each for each in reversed(self._proofs) if each.answers(asked))
        found = next((each for each in known if self._is_there(each.run_id)), None)
        return "" if found is None else found.run_id

    def bound_of(self, asked: Problem) -> float:
        """Return the highest lower bound that an earlier run has proved for a problem.

        Runs of the problem of the run shown count if that has ended without a bound: until then
        it shows what it proves itself.
        """
        run = self._player.shot.run if self._player.shot else None
        if run is None:
            return -math.inf
        if self._asked is not asked:
            self._asked, self._held = asked, {}
        none = run.finished is not None and not math.isfinite(run.lower_bound)
        for run_id, (before, _) in self._bounds.items():
            if run_id not in self._held:
                self._held[run_id] = bounds_hold(before, asked)
        known = (
            bound
            for run_id, (before, bound) in self._bounds.items()
            if self._held[run_id] and (none or not before.asks_the_same(run.problem))
        )
        return max(known, default=-math.inf)

    def _is_there(self, run_id: str) -> bool:
        """Whether a run has not been deleted."""
        try:
            self._archive.info(run_id)
        except ArchiveError:
            return False
        return True


def _works_alike(one: Solver, other: Solver) -> bool:
    """Whether two solvers have the same settings, but for what is shown."""
    kept = [asdict(each) | {"name": each.name, "show_relaxation": None} for each in (one, other)]
    return kept[0] == kept[1]


# --- The run that the next one may start from -----------------------------------------------------


def run_to_start_from(
    run: Run | None, run_id: str, archive: Archive, solver: Solver, problem: Problem
) -> str:
    """Return the id of the run shown if something of it holds for an edited problem; else nothing.

    Only an exact solver takes it, and only after an edit: the same problem is solved again from
    nothing.
    """
    if run is None or not solver.supports.exact:
        return ""
    if archive.is_in_library(run_id):
        return ""
    if run.finished is None:
        run = archive.load(run_id)  # it may have ended before the player has shown that
    if run.termination != "proved":
        return ""
    edited = after_edit(run, problem)
    return run_id if edited is not None and edited.holding != "nothing" else ""


def labels_to_start_from(
    shown: Partition | None, solver: Solver, problem: Problem
) -> Sequence[int]:
    """Return the clusters on show for an edited problem to start from, repaired or not, or none.

    As for runs only an exact solver takes them, and only after an edit.
    """
    if shown is None or not solver.supports.exact or problem.n > _MOST_LABELS:
        return ()
    is_repaired = shown.problem is problem
    is_edited = same_points(shown.problem, problem) and not shown.problem.asks_the_same(problem)
    return list(map(int, shown.labels)) if is_repaired or is_edited else ()
