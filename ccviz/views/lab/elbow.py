"""How many clusters? One number after the other, each measured in a process of its own."""

from __future__ import annotations

import param

from ccviz.errors import UnfillableError, UnsupportedError
from ccviz.problem.problem import Problem
from ccviz.quota import Quota
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import Solver, make_solver
from ccviz.studies.elbow import Step, impossible, measure
from ccviz.views.draft import Draft
from ccviz.views.lab.queue import RunQueue, Ticket
from ccviz.views.lab.sandboxed_call import SandboxedCall
from ccviz.views.lab.suiting import unable

_QUICK = ("blp-kmeans", "bh-kmeans", "colgen")
"""Who finds the clusterings: the first that supports the problem."""

_MOST_TIME_S = 30.0  # for one clustering
_SPARE_S = 120.0  # to begin a process, to compile, and for uniform points
_REFERENCES = 3
_MOST_REFERRED = 20_000
"""Points beyond which nothing is compared with uniform ones."""


class Elbow(param.Parameterized):
    """The sweep of one session; every number waits in the server's queue like a run.

    Parameters
    ----------
    queue : RunQueue
    quota : Quota
    pool : WorkerPool, optional
        Its fork server forks the measuring processes.

    Attributes
    ----------
    steps : tuple of Step
        What is known so far, by k.
    at : int
        The k being measured; 0 while nothing is.
    """

    steps = param.Parameter(default=())
    at = param.Integer(default=0)

    def __init__(self, queue: RunQueue, quota: Quota, pool: WorkerPool | None = None) -> None:
        super().__init__()
        self._queue, self._quota, self._pool = queue, quota, pool
        self._ticket: Ticket | None = None
        self._call: SandboxedCall | None = None
        self._todo: list[tuple[Solver, Problem] | Step] = []
        self._bound_s = 0.0
        self._seed = 0

    @property
    def busy(self) -> bool:
        """Whether something is being measured, or waits for its turn."""
        return self.at > 0

    def start(self, draft: Draft, low: int, high: int, bound_s: float, seed: int = 0) -> None:
        """Measure a problem's points and links for each number of clusters; sizes are left aside.

        Parameters
        ----------
        draft : Draft
        low, high : int
            The least and the largest k.
        bound_s : float
            Seconds for each lower bound; 0 for none.
        seed : int

        Raises
        ------
        CcvizError
            If a number is out of range.
        """
        todo = [_asked(draft, k) for k in range(low, max(low, high) + 1)]
        self.stop()
        self._todo, self._bound_s, self._seed = todo, bound_s, seed
        self._ticket = self._queue.join()
        self.param.update(steps=(), at=low)

    def tick(self) -> None:
        """Look after the work: begin the next number, take what the last one found.

        Raises
        ------
        CcvizError
            If it was refused; the sweep is then over.
        """
        if self._call is not None and self._call.done:
            call, self._call = self._call, None
            try:
                self.steps = (*self.steps, call.answer())
            except BaseException:
                self.stop()
                raise
            if not self._todo:
                self.stop()
        if self._call is None and self._ticket is not None and self._ticket.waiting == 0:
            self._next()

    def _next(self) -> None:
        """Begin the next number; those that rules forbid need no measuring."""
        while self._todo:
            asked = self._todo.pop(0)
            if not isinstance(asked, Step):
                self._begin(*asked)
                return
            self.steps = (*self.steps, asked)
        self.stop()

    def _begin(self, solver: Solver, problem: Problem) -> None:
        self.at = problem.k
        quota = self._quota
        seconds = min(_MOST_TIME_S + self._bound_s + _SPARE_S, quota.run_s)
        references = _REFERENCES if problem.n <= _MOST_REFERRED else 0
        self._call = SandboxedCall(
            _measured, (problem, solver, self._seed, references, self._bound_s), seconds,
            quota.call_bytes, self._pool,
        )  # fmt: skip

    def stop(self) -> None:
        """End the sweep; its results stay."""
        if self._call is not None:
            self._call.close()
        if self._ticket is not None:
            self._ticket.release()
        self._call, self._ticket, self._todo = None, None, []
        self.at = 0

    close = stop


def _asked(draft: Draft, k: int) -> tuple[Solver, Problem] | Step:
    """Return who clusters what for a number of clusters, or that its rules cannot be kept."""
    free = draft.with_rules(()).with_k(k)
    try:
        ruled = free.with_rules(draft.rules)
    except UnfillableError:
        return impossible(k)
    solver = finder(ruled)
    return solver, ruled.problem_for(solver)


def finder(draft: Draft) -> Solver:
    """Return the solver that finds the clusterings of a sweep.

    Parameters
    ----------
    draft : Draft

    Raises
    ------
    UnsupportedError
        If none of the quick ones can have it.
    """
    cannot = unable(draft)
    able = [name for name in _QUICK if name not in cannot]
    if not able:
        raise UnsupportedError("no quick solver keeps all of this together; take something away.")
    return make_solver(able[0])


def _measured(problem: Problem, solver: Solver, seed: int, references: int, bound_s: float) -> Step:
    return measure(
        problem, solver, seed=seed, references=references, bound_time=bound_s,
        time_limit=_MOST_TIME_S,
    )  # fmt: skip
