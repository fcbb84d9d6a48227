"""A study of the run that is shown, made in a process of its own and kept with the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import param

from ccviz.errors import CcvizError, UnsupportedError
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.archive import Archive
from ccviz.runs.database import Study
from ccviz.runs.info import RunInfo
from ccviz.runs.run import Run
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver, check, make_solver
from ccviz.studies.how_sure import check_margins
from ccviz.studies.link_prices import check_priced
from ccviz.studies.margin_table import Margins, decode_margins
from ccviz.studies.price_table import Prices, decode_prices
from ccviz.studies.stored import margins_in_process, price_in_process
from ccviz.views.lab.player import Player
from ccviz.views.lab.queued_call import QueuedCall
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.sandboxed_call import SandboxedCall

WHOLE_S = 3600.0
"""Time in seconds after which no other proof begins."""


class BackgroundStudy(QueuedCall):
    """What a study knows of one run, which its process stores in the archive after each proof."""

    known = param.Parameter(default=None)
    study: ClassVar[Study]

    def __init__(
        self,
        archive: Archive,
        queue: RunQueue,
        quota: Quota,
        player: Player,
        pool: WorkerPool | None = None,
    ) -> None:
        super().__init__(quota, pool, queue)
        self._archive, self._player = archive, player
        self._run_id, self._seen = "", b""
        self._checked: tuple[Any, str] = (None, "")
        player.param.watch(self._on_shot, "shot")

    @property
    def may_start(self) -> bool:
        """Whether the run shown is a proof that the study can begin with."""
        return self._is_proof and not self.why_not

    @property
    def _is_proof(self) -> bool:
        shot = self._player.shot
        if shot is None or shot.info.status != "optimal":
            return False
        return not self._archive.is_in_library(shot.info.id) and self._has_matter(shot.run)

    @property
    def why_not(self) -> str:
        """Why the proof shown cannot be studied, as beside rules; empty if it can."""
        shot = self._player.shot
        if shot is None or not self._is_proof:
            return ""
        moment = shot.info.id, shot.seq
        if self._checked[0] != moment:
            self._checked = moment, self._refused(shot.run, shot.info)
        return self._checked[1]

    def _refused(self, run: Run, info: RunInfo) -> str:
        try:
            self._check(run, _prover(run.problem, info.solver, info.settings))
        except UnsupportedError as refused:
            return str(refused)
        except CcvizError:
            pass  # of a moment at which nothing is proved yet
        return ""

    def _has_matter(self, run: Run) -> bool:
        """Return whether a run has something to study."""
        raise NotImplementedError

    def _check(self, run: Run, solver: Solver) -> None:
        """Raise `CcvizError` if a run cannot be studied."""
        raise NotImplementedError

    def _work(self, budget_s: float) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
        """Return the function that studies a stored run, its last arguments, and its time limit."""
        raise NotImplementedError

    def _decoded(self, data: bytes, run: Run) -> Any:
        """Return what was stored of a run."""
        raise NotImplementedError

    def _begin_with(self) -> None:
        """Join the queue with the run shown, from where an earlier study of it ended."""
        shot = self._player.shot
        assert shot is not None
        run_id, run = shot.info.id, self._archive.load(shot.info.id)
        self._archive.check_owned(run_id)
        solver = _prover(run.problem, shot.info.solver, shot.info.settings)
        self._check(run, solver)
        self.stop()
        self._begin = run_id, solver
        work, args, seconds = self._work(min(self._quota.run_s, WHOLE_S))
        path = self._archive.path
        self._begin_call(work, (path, run_id, solver, *args), seconds, self._quota.call_bytes)

    def _look(self, call: SandboxedCall, done: bool) -> None:
        self._read()

    def _on_shot(self, event: Any) -> None:
        """Show what is known of another run; the study of the run before ends."""
        run_id = event.new.info.id if event.new is not None else ""
        if run_id != self._run_id:
            self.stop()
            self._run_id, self._seen = run_id, b""
            self.known = None
            if self.may_start:
                self._read()

    def _read(self) -> None:
        """Take what the archive has, if it is other than before."""
        data = self._archive.study(self._run_id, self.study) or b""
        if data != self._seen:
            self._seen = data
            self.known = self._decoded(data, self._archive.load(self._run_id))


def _prover(problem: Problem, name: str, settings: dict[str, Any]) -> Solver:
    """Return the solver of the proofs: sdp, or the run's own where sdp lacks a constraint."""
    solver = make_solver("sdp")
    try:
        check(solver, problem)
    except UnsupportedError:
        return make_solver(name, **settings)
    return solver


# --- Prices of the links of the run that is shown, proved in a process of their own ---------------


_PROOF_S = 60.0
"""Time limit of one proof, in seconds."""

MOST_LINKS = 1000
"""Largest number of links that are priced on the page."""


class Pricing(BackgroundStudy):
    """The prices of the links of one run; `known` has type `Prices`."""

    study: ClassVar[Study] = "prices"

    def start(self) -> None:
        """Prove the prices of the run shown, from where an earlier proof of them ended."""
        shot = self._player.shot
        if shot is None or not self.may_start:
            raise CcvizError(
                self.why_not or "Prices need a proven optimum under links: run an exact solver."
            )
        many = _links(shot.run)
        if many > MOST_LINKS:
            raise CcvizError(f"{many:,} links are more than the {MOST_LINKS:,} that are priced.")
        self._begin_with()

    def _has_matter(self, run: Run) -> bool:
        return _links(run) > 0

    def _check(self, run: Run, solver: Solver) -> None:
        check_priced(run, solver)

    def _work(self, budget_s: float) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
        return price_in_process, (_PROOF_S, budget_s), budget_s + 2 * _PROOF_S

    def _decoded(self, data: bytes, run: Run) -> Prices:
        return decode_prices(data, run)


def _links(run: Run) -> int:
    return len(run.problem.must_link) + len(run.problem.cannot_link)


# --- Margins of the points of the run that is shown, limited in a process of their own ------------


_BOUND_S = 120.0
"""Time in seconds that the last bound may take."""

MOST_POINTS = 1000
"""Largest number of points whose margins are limited on the page."""


class Sureness(BackgroundStudy):
    """The margins of the points of one run; `known` has type `Margins`."""

    study: ClassVar[Study] = "margins"

    def start(self) -> None:
        """Limit the margins of the run shown, from where an earlier study of them ended."""
        if not self.may_start:
            raise CcvizError(
                self.why_not
                or "How sure a point is follows from a proven optimum of at most "
                f"{MOST_POINTS:,} points: run an exact solver."
            )
        self._begin_with()

    def _has_matter(self, run: Run) -> bool:
        return run.problem.n <= MOST_POINTS and run.problem.k > 1

    def _check(self, run: Run, solver: Solver) -> None:
        check_margins(run, solver)

    def _work(self, budget_s: float) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
        return margins_in_process, (budget_s,), budget_s + _BOUND_S

    def _decoded(self, data: bytes, run: Run) -> Margins:
        return decode_margins(data, run)
