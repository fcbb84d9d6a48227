"""A run: the state that a stream of events adds up to.

`Run` knows events, not solvers. The same fold serves a live run, a replay and Back: seeking to a
moment is folding the records up to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from ccviz.bounds import OPTIMAL_GAP, is_closed, relative_gap
from ccviz.events import (
    Assigned,
    BoundImproved,
    CentersMoved,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    NodeBounded,
    NodeBranched,
    NodeOpened,
    NodePruned,
    NodeReopened,
    Noted,
    PartBounded,
    PartsCut,
    ProofKept,
    Record,
    RelaxationSolved,
    Started,
    Termination,
    TreeKept,
)
from ccviz.numbers import bound_rows, card
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.nodes import FOLD, Node

Status = Literal["optimal", "feasible", "infeasible", "unknown"]
"""What is known: a proof of optimality, an answer, a proof that none exists, or neither."""

STATUS_SENTENCES: dict[str, str] = {
    "optimal": "This clustering is proved optimal within the gap shown.",
    "feasible": "This clustering keeps every hard constraint; it is not proved optimal.",
    "infeasible": "It is proved that no clustering keeps every hard constraint.",
    "unknown": "No clustering was found, and none was proved impossible.",
}
_FREE = "This clustering is not proved optimal."


@dataclass(frozen=True)
class Moment:
    """A point of the run's history: when either bound changed.

    Attributes
    ----------
    time_s : float
        Seconds since the run began.
    nodes : int
        Nodes of the tree so far.
    upper_bound, lower_bound : float
        Sums of squares; infinite while unknown.
    """

    time_s: float
    nodes: int
    upper_bound: float
    lower_bound: float


Rank = tuple[int, float]
"""How many hard constraints a clustering breaks, then its objective: the less the better."""
WORST: Rank = (1 << 60, math.inf)


def status_sentence(run: Run) -> str:
    """Return what is known; that an answer keeps constraints only where there are some."""
    free = run.status == "feasible" and not run.problem.must_keep
    return _FREE if free else STATUS_SENTENCES[run.status]


def judged(problem: Problem, event: IncumbentFound) -> Partition:
    """Return the clustering that a solver found, the same one each time: its cost is work."""
    known = _JUDGED.get(event)
    if known is None or known.problem is not problem:
        known = _JUDGED[event] = Partition(problem, event.labels)
    return known


_JUDGED: WeakKeyDictionary[IncumbentFound, Partition] = WeakKeyDictionary()


def rank_of(found: Partition, event: IncumbentFound) -> Rank:
    """Return the rank of a clustering that a solver found."""
    broken = found.violations
    own = found.objective if event.objective is None else event.objective
    return broken.hard + broken.sizes + broken.rules, own


@dataclass(eq=False, repr=False)
class Run:
    """The fold of a run's records over its problem.

    Attributes
    ----------
    started : Started or None
        The first event, with the solver's name, settings and seed.
    incumbent : Partition or None
        Best answer so far, recomputed from its labels.
    labels, centers : arrays or None
        The newest assignment and centres, incumbent or not.
    lower_bound : float
        Best proved lower bound on the objective, ``-inf`` at first.
    parts : int
        Parts that the points were cut into, 0 where they were not.
    parts_done : set of int
        Those that have a bound.
    relaxation : RelaxationSolved or None
        The newest relaxation that the solver showed.
    seq : int
        Number of the last record, -1 before the first.
    time_s : float
        Its time.
    incumbent_source : str
        What found the incumbent.
    iteration : int
        Of the newest assignment.
    nodes_done : int
        Nodes that are closed or branched.
    notes : list of str
        What the solver remarked, a sentence each.
    kept : ProofKept or None
        The proof of an earlier run that still holds.
    kept_tree : TreeKept or None
        The tree of an earlier run that goes on in this one.
    finished : Finished or None
        The last event.
    """

    plot: ClassVar[Any]  # pictures, which ccviz.notebook attaches: a run knows nothing of them

    problem: Problem
    started: Started | None = None
    incumbent: Partition | None = None
    incumbent_source: str = ""
    labels: np.ndarray | None = None
    centers: np.ndarray | None = None
    iteration: int = 0
    lower_bound: float = -math.inf
    tree: dict[int, Node] = field(default_factory=dict)
    nodes_done: int = 0
    parts: int = 0
    parts_done: set[int] = field(default_factory=set)
    relaxation: RelaxationSolved | None = None
    history: list[Moment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    infeasible: InfeasibilityProved | None = None
    kept: ProofKept | None = None
    kept_tree: TreeKept | None = None
    finished: Finished | None = None
    seq: int = -1
    time_s: float = 0.0
    _rank: Rank = WORST

    def apply(self, record: Record) -> None:
        """Fold the next record in."""
        self.seq, self.time_s = record.seq, record.time_s
        handler = _HANDLERS.get(type(record.event))
        if handler is not None:
            handler(self, record.event)

    @property
    def objective(self) -> float:
        """WCSS of the incumbent plus the weights of the soft links it breaks; inf without one."""
        if self.incumbent is None:
            return math.inf
        return self.incumbent.objective

    @property
    def gap(self) -> float:
        """Relative gap of the incumbent to the lower bound."""
        return relative_gap(self.objective, self.lower_bound)

    @property
    def termination(self) -> Termination | None:
        """Why the run ended; None while it goes on."""
        return self.finished.termination if self.finished else None

    @property
    def status(self) -> Status:
        """What is known now."""
        if self.infeasible is not None:
            return "infeasible"
        if self.incumbent is None:
            return "unknown"
        if not self.incumbent.violations.none_hard:
            return "unknown"
        return "optimal" if self.termination == "proved" else "feasible"

    def __repr__(self) -> str:
        name = "not started" if self.started is None else self.started.solver
        state = "goes on" if self.finished is None else self.termination
        return f"Run({name}, {state}, {self.status}, {len(self.history)} moments)"

    def _repr_html_(self) -> str:
        title = "Run" if self.started is None else f"Run of {self.started.solver}"
        state = "goes on" if self.finished is None else "has ended"
        rows = [
            ("state", f"{state} after {self.time_s:.2f} s: {self.status}"),
            *bound_rows(self.objective, self.lower_bound, self.gap),
        ]
        if self.tree:
            rows.append(("nodes", f"{len(self.tree):,}"))
        return card(title, rows, self.notes)

    def _remember(self) -> None:
        self.history.append(Moment(self.time_s, len(self.tree), self.objective, self.lower_bound))

    def _start(self, event: Started) -> None:
        self.started = event

    def _note(self, event: Noted) -> None:
        self.notes.append(event.text)

    def _assign(self, event: Assigned) -> None:
        self.labels, self.iteration = event.labels, event.iteration

    def _move_centers(self, event: CentersMoved) -> None:
        self.centers = event.centers

    def _improve_incumbent(self, event: IncumbentFound) -> None:
        found = judged(self.problem, event)
        rank = rank_of(found, event)
        if rank < self._rank:
            self._rank, self.incumbent, self.incumbent_source = rank, found, event.source
            self.labels, self.centers = found.labels, found.centers
            self._remember()

    def _improve_bound(self, event: BoundImproved | ProofKept) -> None:
        if event.lower_bound > self.lower_bound:
            self.lower_bound = event.lower_bound
            self._remember()

    def _prove_infeasible(self, event: InfeasibilityProved) -> None:
        self.infeasible = event

    def _fold_node(self, event: NodeOpened | NodeBounded | NodeReopened) -> None:
        FOLD[type(event)](self.tree, event)

    def _finish_node(self, event: NodeBranched | NodePruned) -> None:
        FOLD[type(event)](self.tree, event)
        self.nodes_done += 1

    def _show_relaxation(self, event: RelaxationSolved) -> None:
        self.relaxation = event

    def _keep_proof(self, event: ProofKept) -> None:
        self.kept = event
        self._improve_bound(event)

    def _keep_tree(self, event: TreeKept) -> None:
        self.kept_tree = event
        self.lower_bound = max(self.lower_bound, event.lower_bound)

    def _cut_parts(self, event: PartsCut) -> None:
        self.parts, self.parts_done = event.parts, set()

    def _bound_part(self, event: PartBounded) -> None:
        self.parts_done.update(event.group)

    def _finish(self, event: Finished) -> None:
        self.finished = event
        if event.termination != "proved" or self.infeasible or self.incumbent is None:
            return
        # The clustering, at its recomputed objective, is to be as near as optimality asks.
        settings = self.started.settings if self.started else {}
        tolerance = min(OPTIMAL_GAP, float(settings.get("tolerance", OPTIMAL_GAP)))
        if not is_closed(self.objective, self.lower_bound, tolerance):
            message = f"The solver finished, but its bounds leave a gap of {self.gap:.2g}."
            self.finished = Finished(termination="stalled", message=message)


_HANDLERS: dict[type[Event], Any] = {
    Started: Run._start,
    Noted: Run._note,
    Assigned: Run._assign,
    CentersMoved: Run._move_centers,
    IncumbentFound: Run._improve_incumbent,
    BoundImproved: Run._improve_bound,
    InfeasibilityProved: Run._prove_infeasible,
    NodeOpened: Run._fold_node,
    NodeBounded: Run._fold_node,
    NodeBranched: Run._finish_node,
    NodePruned: Run._finish_node,
    RelaxationSolved: Run._show_relaxation,
    PartsCut: Run._cut_parts,
    ProofKept: Run._keep_proof,
    TreeKept: Run._keep_tree,
    NodeReopened: Run._fold_node,
    PartBounded: Run._bound_part,
    Finished: Run._finish,
}

FOLDED = frozenset(kind.__name__ for kind in _HANDLERS)
"""Names of the events that change a run's state."""

REPLACED = frozenset({"Assigned", "CentersMoved", "RelaxationSolved"})
"""Those of which only the newest counts: a jump to a moment may leave out the others."""


@dataclass(frozen=True, eq=False)
class Result:
    """What a finished run leaves.

    Attributes
    ----------
    termination : str
        Why the run ended, see `ccviz.events.Termination`.
    message : str
        Both as a sentence.
    partition : Partition or None
        The answer; None where there is none.
    objective, lower_bound, gap : float
        Sum of squares (plus soft penalties), proved bound, relative gap; ``inf`` where unknown.
    nodes : int
        Nodes of the search tree.
    time_s : float
        Seconds.
    run : Run
        The state that this sums up, for pictures and for the history of both bounds.
    records : callable
        Returns the records that led here, for `save_html`; none if they were not kept.
    """

    plot: ClassVar[Any]
    link_prices: ClassVar[Any]
    how_sure: ClassVar[Any]
    why: ClassVar[Any]
    least_change: ClassVar[Any]
    model: ClassVar[Any]
    save_html: ClassVar[Any]
    save_tree: ClassVar[Any]

    solver: str
    status: Status
    termination: Termination
    message: str
    partition: Partition | None
    objective: float
    lower_bound: float
    gap: float
    nodes: int
    time_s: float
    seed: int
    n_blocks: int
    run: Run = field(repr=False)
    records: Callable[[], Sequence[Record]] = field(repr=False, default=tuple)

    def _repr_html_(self) -> str:
        rows = bound_rows(self.objective, self.lower_bound, self.gap)
        if self.partition is not None:
            sizes = ", ".join(map(str, self.partition.kept_sizes.tolist()))
            rows.append(("cluster sizes", sizes))
        if self.nodes:
            rows.append(("nodes", f"{self.nodes:,}"))
        rows.append(("time", f"{self.time_s:.2f} s, seed {self.seed}"))
        return card(f"{self.solver}: {self.status}", rows, [self.message])

    @property
    def labels(self) -> np.ndarray | None:
        """(n,) int64 labels of the answer, -1 for points left out; None where there is none.

        Given centres have none; their clusters come first, in their order.
        """
        return self.partition.shown if self.partition else None


def result_of(run: Run, records: Callable[[], Sequence[Record]] = tuple) -> Result:
    """Sum up a run that has finished; ``records`` returns those that led there."""
    assert run.started is not None
    assert run.finished is not None
    known = status_sentence(run)
    if run.infeasible:
        message = f"{known.removesuffix('.')}: {run.infeasible.reason}"
    else:
        message = f"{known} {run.finished.message}".rstrip()
    return Result(
        solver=run.started.solver,
        status=run.status,
        termination=run.finished.termination,
        message=message,
        partition=run.incumbent.in_order() if run.incumbent else None,
        objective=run.objective,
        lower_bound=run.lower_bound,
        gap=run.gap,
        nodes=len(run.tree),
        time_s=run.time_s,
        seed=run.started.seed,
        n_blocks=run.started.n_blocks,
        run=run,
        records=records,
    )
