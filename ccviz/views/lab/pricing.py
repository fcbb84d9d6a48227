"""Prices of the links of the run that is shown, proved in a process of their own."""

from __future__ import annotations

from typing import Any

import param

from ccviz.errors import CcvizError, UnsupportedError
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.archive import Archive
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver, check, make_solver
from ccviz.studies.link_prices import check_priced
from ccviz.studies.stored_prices import price_in_process, stored_prices
from ccviz.views.lab.player import Player
from ccviz.views.lab.queue import RunQueue, Ticket
from ccviz.views.lab.sandboxed_call import SandboxedCall

_PROOF_S = 60.0
"""Time limit of one proof, in seconds."""

_WHOLE_S = 3600.0
"""Time in seconds after which no other proof begins."""

MOST_LINKS = 1000
"""Largest number of links that are priced on the page."""


class Pricing(param.Parameterized):
    """The prices of one run, which its process stores in the archive after each proof.

    Parameters
    ----------
    archive : Archive
    queue : RunQueue
    quota : Quota
    player : Player
        Shows the run whose links are priced.
    pool : WorkerPool, optional
        Its fork server forks the process.

    Attributes
    ----------
    known : Prices or None
        What is known of the run shown.
    busy : bool
        Whether prices are being proved, or wait for their turn.
    """

    known = param.Parameter(default=None)
    busy = param.Boolean(default=False)

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
        """Whether the run shown is a proof under links that can be priced."""
        shot = self._player.shot
        if shot is None or shot.info.status != "optimal":
            return False
        if self._archive.is_in_library(shot.info.id):
            return False
        return len(shot.run.problem.must_link) + len(shot.run.problem.cannot_link) > 0

    def start(self) -> None:
        """Prove the prices of the run shown, from where an earlier proof of them ended.

        Raises
        ------
        CcvizError
            If there is no proof, or its links cannot be priced.
        """
        shot = self._player.shot
        if shot is None or not self.may_start:
            raise CcvizError("Prices need a proven optimum under links: run an exact solver.")
        run_id, run = shot.info.id, self._archive.load(shot.info.id)
        many = len(run.problem.must_link) + len(run.problem.cannot_link)
        if many > MOST_LINKS:
            raise CcvizError(f"{many:,} links are more than the {MOST_LINKS:,} that are priced.")
        self._archive.check_owned(run_id)
        solver = _prover(run.problem, shot.info.solver, shot.info.settings)
        check_priced(run, solver)
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
            self._launch(*self._begin)
        if self._call is None:
            return
        done = self._call.done
        self._read()
        if done:
            call, self._call = self._call, None
            self.stop()
            call.answer()

    def _launch(self, run_id: str, solver: Solver) -> None:
        quota, path = self._quota, self._archive.path
        budget = min(quota.run_s, _WHOLE_S)
        self._call = SandboxedCall(
            price_in_process, (path, run_id, solver, _PROOF_S, budget), budget + 2 * _PROOF_S,
            quota.call_bytes, self._pool, writes=str(path.parent),
        )  # fmt: skip

    def _on_shot(self, event: Any) -> None:
        """Show the prices of another run; those of the run before are no longer proved."""
        run_id = event.new.info.id if event.new is not None else ""
        if run_id != self._run_id:
            self.stop()
            self._run_id, self._seen = run_id, b""
            self.known = None
            if self.may_start:
                self._read()

    def _read(self) -> None:
        """Take the prices that the archive has, if they are others than before."""
        data = self._archive.study(self._run_id, "prices") or b""
        if data != self._seen:
            self._seen = data
            run = self._archive.load(self._run_id)
            self.known = stored_prices(self._archive, self._run_id, run)

    def stop(self) -> None:
        """End the process; the prices that are proved stay."""
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
