"""A study of the run that is shown, made in a process of its own and kept with the run."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from ccviz.errors import UnsupportedError
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.runs.schema import Study
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver, check, make_solver
from ccviz.views.lab.player import Player
from ccviz.views.lab.queue import RunQueue, Ticket
from ccviz.views.lab.sandboxed_call import SandboxedCall

WHOLE_S = 3600.0
"""Time in seconds after which no other proof begins."""


class BackgroundStudy(param.Parameterized):
    """What a study knows of one run, which its process stores in the archive after each proof.

    Parameters
    ----------
    archive : Archive
    queue : RunQueue
    quota : Quota
    player : Player
        Shows the run that is studied.
    pool : WorkerPool, optional
        Its fork server forks the process.

    Attributes
    ----------
    known : object or None
        What is known of the run shown.
    busy : bool
        Whether the study goes on, or waits for its turn.
    """

    known = param.Parameter(default=None)
    busy = param.Boolean(default=False)
    study: ClassVar[Study]

    def __init__(
        self,
        archive: Archive,
        queue: RunQueue,
        quota: Quota,
        player: Player,
        pool: WorkerPool | None = None,
    ) -> None:
        super().__init__()
        self._archive, self._queue, self._quota, self._pool = archive, queue, quota, pool
        self._player = player
        self._run_id, self._seen = "", b""
        self._ticket: Ticket | None = None
        self._call: SandboxedCall | None = None
        player.param.watch(self._on_shot, "shot")

    @property
    def may_start(self) -> bool:
        """Whether the run shown is a proof that the study can begin with."""
        shot = self._player.shot
        if shot is None or shot.info.status != "optimal":
            return False
        return not self._archive.is_in_library(shot.info.id) and self._has_matter(shot.run)

    def _has_matter(self, run: Run) -> bool:
        """Return whether a run has something to study."""
        raise NotImplementedError

    def _check(self, run: Run, solver: Solver) -> None:
        """Raise `CcvizError` if a run cannot be studied."""
        raise NotImplementedError

    def _work(self, run_id: str, solver: Solver, budget_s: float) -> SandboxedCall:
        """Return the call that studies a stored run."""
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
        self._ticket = self._queue.join()
        self._begin = (run_id, solver)
        self.busy = True

    def tick(self) -> None:
        """Start the process when its turn comes, and take what it has stored.

        Raises
        ------
        CcvizError
            If the process was refused or has failed; what it stored before is kept.
        """
        if self._ticket is not None and self._call is None and self._ticket.waiting == 0:
            self._call = self._work(*self._begin, min(self._quota.run_s, WHOLE_S))
        if self._call is None:
            return
        done = self._call.done
        self._read()
        if done:
            call, self._call = self._call, None
            self.stop()
            call.answer()

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

    def stop(self) -> None:
        """End the process; what is proved stays."""
        if self._call is not None:
            self._call.close()
        if self._ticket is not None:
            self._ticket.release()
        self._call, self._ticket = None, None
        self.busy = False

    close = stop


def _prover(problem: Problem, name: str, settings: dict[str, Any]) -> Solver:
    """Return the solver of the proofs: sdp, or the run's own where sdp lacks a constraint."""
    solver = make_solver("sdp")
    try:
        check(solver, problem)
    except UnsupportedError:
        return make_solver(name, **settings)
    return solver
