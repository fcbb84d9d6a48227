"""`start` a run and step through it, one event at a time."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from numbers import Integral
from threading import Event as Flag
from typing import Any, ClassVar

from ccviz.bounds import OPTIMAL_GAP, is_closed
from ccviz.compiled import loading_measured
from ccviz.errors import ParameterError, WorkersLostError, quote
from ccviz.events import (
    Assigned,
    CentersMoved,
    ColumnsPriced,
    CutsAdded,
    DeadEnded,
    Event,
    Finished,
    GenerationEnded,
    Record,
    RelaxationSolved,
    ResidualsUpdated,
    Restarted,
    Started,
    Termination,
)
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.runs.earlier import NOTHING, Given, Start, start_from
from ccviz.runs.run import Result, Run, result_of
from ccviz.runs.stop import (
    Criterion,
    GapReached,
    Limits,
    NodeLimit,
    StopRequested,
    TimeLimit,
    first_reason,
)
from ccviz.solvers import Context, Solver, check, make_solver
from ccviz.solvers.search.workforce import check_workers

__all__ = ["Stepper", "check_request", "start"]

# --- The records of a run that no archive keeps, as many as fit into little memory ----------------


_MOST_BYTES = 16 << 20
_RECORD_BYTES = 300  # assumed size of an event without arrays

_PASSING: frozenset[type[Event]] = frozenset(
    {
        Assigned, CentersMoved, ColumnsPriced, CutsAdded, DeadEnded, GenerationEnded,
        RelaxationSolved, ResidualsUpdated, Restarted,
    }
)  # fmt: skip
"""Those that another of their kind replaces: a run is understood without some of them."""


class RecordBuffer:
    """The records of a run; of the passing ones every second goes where there are too many.

    `most_bytes`: What they may take, about.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._records: list[Record] = []
        self._bytes = 0
        self._lasting = 0

    def append(self, record: Record) -> None:
        """Keep one more record."""
        self._records.append(record)
        size = _RECORD_BYTES + record.event.array_bytes
        self._bytes += size
        if type(record.event) not in _PASSING:
            self._lasting += size
        # What lasts is as large as the run's own tree: only the rest is bounded.
        if self._bytes - self._lasting > self._most_bytes:
            self._thin()

    def _thin(self) -> None:
        kept, passing = [], 0
        for record in self._records:
            passing += type(record.event) in _PASSING
            if type(record.event) not in _PASSING or passing % 2 == 0:
                kept.append(record)
        self._records = kept
        self._bytes = sum(_RECORD_BYTES + each.event.array_bytes for each in kept)

    def records(self) -> list[Record]:
        """Return what is kept, in its order."""
        return list(self._records)


class Stepper(Iterator[Record]):
    """A run that goes on one event at a time.

    Iterating yields records until the run has finished; `run` is the state after the last one.

    Parameters
    ----------
    seed : int
        Same seed and same number of workers, same events.
    workers : str
        Number of processes, or the tcp:// address of a Dask scheduler.
    criteria : sequence of Criterion
        When to stop; the first that has a reason is obeyed.
    history : sequence of Record
        The records of a run that is to go on; empty for a new one.
    begin : Start
        What a new run begins with.

    Raises
    ------
    UnsupportedError
        If the solver cannot handle the problem.
    ParameterError
        If the seed is no whole number in its range, or the workers are none.
    """

    plot: ClassVar[Any]

    def __init__(
        self,
        problem: Problem,
        solver: Solver,
        seed: int = 0,
        workers: str = "1",
        criteria: Sequence[Criterion] = (),
        history: Sequence[Record] = (),
        begin: Start = NOTHING,
    ) -> None:
        check_request(problem, solver, seed, workers)
        self.problem, self.solver, self.seed = problem, solver, int(seed)
        self.run = Run(problem)
        for record in history:
            if not isinstance(record.event, Finished):
                self.run.apply(record)
        self._flag = Flag()
        self._criteria: tuple[Criterion, ...] = (*criteria, StopRequested(self._flag))
        self._earlier = self.run.time_s
        self._born = time.perf_counter()
        self._waiting: deque[Event] = deque()
        if not history:
            begun: list[Any] = [self._started(), *begin.events()]
            self._waiting += begun
            if begin.tree:
                history = [Record(seq, 0.0, event) for seq, event in enumerate(begun)]
        elif self.run.kept is not None:
            begin = Start(proof=self.run.kept)
        floor = begin.proof.lower_bound if begin.proof else -math.inf
        self._context = Context(
            self.seed, workers, lambda: bool(self._reason()), tuple(history), begin.labels, floor
        )
        given = problem if solver.keeps_float32 else problem.widened()
        self._events = solver.steps(given, self._context)

    def __next__(self) -> Record:
        """Return the next record.

        Raises
        ------
        StopIteration
            After `ccviz.events.Finished`.
        """
        if self.run.finished is not None:
            raise StopIteration
        if self._waiting:
            return self._stamp(self._waiting.popleft())
        if self._holds_still():
            return self._stamp(Finished(termination=self._reached, message=_STILL_OPTIMAL))
        reason = self._reason()
        event = None if reason else self._next_event()
        if event is None:
            for leave in self._context.leaving:
                self._waiting.extend(leave())
            self._waiting.append(Finished.of(reason or self._reason() or "interrupted"))
            return self._stamp(self._waiting.popleft())
        return self._stamp(event)

    step = __next__

    @property
    def _reached(self) -> Termination:
        """What a closed gap is called: a proof only where the tolerance is that of one."""
        is_proof = float(getattr(self.solver, "tolerance", 0.0)) <= OPTIMAL_GAP
        return "proved" if is_proof else "gap"

    def _holds_still(self) -> bool:
        """Whether what the run began with is proved already, and nothing has come since."""
        run, tolerance = self.run, float(getattr(self.solver, "tolerance", 0.0))
        if run.kept_tree is not None:
            holds = run.kept_tree.reopened == 0
        else:
            holds = run.kept is not None and not run.tree and not run.parts
        return holds and is_closed(run.objective, run.lower_bound, tolerance)

    def _next_event(self) -> Event | None:
        try:
            with loading_measured(self.discount):
                return next(self._events, None)
        except WorkersLostError as lost:
            later = " and the run can go on" if self.solver.supports.resume else ""
            message = f"{lost} What was found before is kept{later}."
            return Finished(termination="failed", message=message)

    def stop(self) -> None:
        """Ask the run to end; it does at the solver's next look."""
        self._flag.set()

    def discount(self, seconds: float) -> None:
        """Exclude time from the run's age, in which the run was paused or loaded kernels."""
        self._born += seconds

    def close(self) -> None:
        """Give up the solver's resources; the run is left unfinished."""
        self._events.close()  # type: ignore[attr-defined]

    def result(self, watch: Callable[[Run], None] | None = None) -> Result:
        """Run to the end and sum up; ``watch`` is called with the run after each event."""
        tape = RecordBuffer() if self.run.seq < 0 else None  # not for a resumed run
        for record in self:
            if tape is not None:
                tape.append(record)
            if watch is not None:
                watch(self.run)
        return result_of(self.run, tape.records if tape is not None else tuple)

    def __repr__(self) -> str:
        return f"Stepper({self.run!r})"

    def _repr_html_(self) -> str:
        return self.run._repr_html_()

    def _started(self) -> Started:
        return Started(
            solver=self.solver.name,
            settings=asdict(self.solver),
            seed=self.seed,
            n=self.problem.n,
            d=self.problem.d,
            k=self.problem.k,
            n_blocks=contract(self.problem).s,
        )

    def _stamp(self, event: Any) -> Record:
        record = Record(self.run.seq + 1, self._age(), event)
        self.run.apply(record)
        if isinstance(event, Finished):
            self.close()
        return record

    def _age(self) -> float:
        return self._earlier + time.perf_counter() - self._born

    def _reason(self) -> Termination | None:
        return first_reason(self._criteria, self.run, self._age())


_STILL_OPTIMAL = (
    "The clustering keeps every constraint that was added, so that the earlier proof holds."
)


def check_request(problem: Problem, solver: Solver, seed: Any, workers: str = "1") -> None:
    """Check that a run can be started.

    Raises
    ------
    UnsupportedError
        If the solver cannot handle the problem.
    ParameterError
        If the seed is no whole number in its range, or the workers are none.
    """
    check(solver, problem)
    check_workers(workers)
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= int(seed) < 1 << 63:
        raise ParameterError(f"seed = {quote(seed)} is not a whole number from 0 to 2^63 - 1.")


def _chosen(problem: Any, solver: Any, settings: dict[str, Any]) -> Any:
    """Return the solver; refuse what is none, and what is no problem."""
    if isinstance(solver, str):
        solver = make_solver(solver, **settings)
    elif settings:
        names = ", ".join(settings)
        raise ParameterError(f"{names}: a solver that is given whole has its parameters already.")
    if not isinstance(problem, Problem):
        raise ParameterError(
            f"what is to be solved is a {type(problem).__name__}, not a ccviz.Problem(X, k)."
        )
    if not isinstance(solver, Solver):
        raise ParameterError(f"solver = {solver!r} is neither a solver's name nor a solver.")
    return solver


def start(
    problem: Problem,
    solver: str | Solver = "blp-kmeans",
    *,
    time_limit: float | None = None,
    gap: float | None = None,
    node_limit: int | None = None,
    seed: int = 0,
    workers: int | str = 1,
    history: Sequence[Record] = (),
    start: Given | None = None,
    **settings: Any,
) -> Stepper:
    """Start a run that the caller steps through, an iterator over records.

    Parameters
    ----------
    solver : str or Solver
        A registered name, or a solver with its parameters.
    time_limit : float, optional
        Seconds.
    gap : float, optional
        Stop once the relative gap is this small. It becomes an exact solver's ``tolerance``, so
        that the proof of this gap is whole and can be verified.
    node_limit : int, optional
        Nodes of the search tree.
    seed : int
        Same seed and same number of workers, same events: with more of them an exact solver takes
        its nodes in another order.
    workers : int or str
        Processes for exact solvers, or the address of a Dask scheduler.
    history : sequence of Record
        The records so far of a run that goes on; its age and limits go on too.
    start : Result, Run or (n,) labels, optional
        A clustering to begin with. From the result of an exact run the proof is kept too, as far
        as it holds: with constraints added its lower bound does, and if the clustering keeps them,
        the run ends at once. A tree of `sdp` or `colgen` goes on in the same solver: only leaves
        whose bounds do not suffice are opened again.
    **settings
        The solver's parameters, where ``solver`` is a name.

    Raises
    ------
    ParameterError
        If the solver or a parameter does not exist.
    UnsupportedError
        If the solver cannot handle the problem.
    """
    limits = Limits(time_limit, gap, node_limit)
    chosen = _chosen(problem, solver, settings)
    criteria: list[Criterion] = []
    if limits.time_limit is not None:
        criteria.append(TimeLimit(limits.time_limit))
    if limits.node_limit is not None:
        criteria.append(NodeLimit(limits.node_limit))
    if gap is not None and (chosen.supports.exact or gap < getattr(chosen, "tolerance", 0.0)):
        chosen = replace(chosen, tolerance=gap)
    elif gap is not None:
        criteria.append(GapReached(gap))
    begin = NOTHING if start is None else start_from(problem, chosen, start)
    return Stepper(problem, chosen, seed, str(workers), criteria, history, begin)
