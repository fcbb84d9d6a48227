"""The events that a solver yields: small, typed, in the past tense.

Everything reads this one stream: `ccviz.runs.run.Run` folds it, the archive stores it, the command
line, the app and the notebooks draw it, a stopped run goes on from it. Events carry no clock and
no run id; the driver stamps both on a `Record`. Same seed and workers, same events.

Events are frozen structs that compare by identity. Arrays in them are copies, set read-only;
numbers are Python's own, whatever the solver computed with.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np

Termination = Literal[
    "proved",
    "converged",
    "gap",
    "time_limit",
    "node_limit",
    "stalled",
    "interrupted",
    "failed",
]
"""Why a run ended. What is known at its end is its status, see `ccviz.runs.run`."""

TERMINATION_SENTENCES: dict[str, str] = {
    "proved": "The solver finished its proof.",
    "converged": "The method converged.",
    "gap": "The gap asked for was reached.",
    "time_limit": "The time limit was reached.",
    "node_limit": "The node limit was reached.",
    "stalled": "The method made no more progress.",
    "interrupted": "The run was stopped.",
    "failed": "The run broke off.",
}

PruneReason = Literal["bound", "infeasible", "integral"]
"""Why a node of a search tree needs no children."""


class Event(msgspec.Struct, frozen=True, eq=False, tag=True, kw_only=True):
    """Base of all events."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, np.ndarray | np.generic | dict):
                msgspec.structs.force_setattr(self, name, _snapshot(value))

    @property
    def array_bytes(self) -> int:
        """Bytes of the arrays that are its fields."""
        values = (getattr(self, name) for name in self.__struct_fields__)
        return sum(value.nbytes for value in values if isinstance(value, np.ndarray))


def _snapshot(value: Any) -> Any:
    """Return a read-only copy of a value that is an array or a dict of arrays.

    A scalar of NumPy's becomes a plain number: results are written from events, and not every
    format knows the former.
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: _snapshot(each) for name, each in value.items()}
    # A read-only array is shared, unless it is a view: its base may yet be written to.
    if not isinstance(value, np.ndarray) or (value.base is None and not value.flags.writeable):
        return value
    copy = value.copy()
    copy.setflags(write=False)
    return copy


class Started(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A run began. ``settings`` are the solver's parameters by name."""

    solver: str
    settings: dict[str, Any]
    seed: int
    n: int
    d: int
    k: int
    n_blocks: int


class Noted(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A notice for people, one sentence."""

    text: str


class Restarted(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A heuristic began another of its starts, counted from 0."""

    restart: int


class Assigned(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """Points were assigned to clusters: ``labels`` (n,) int64, -1 for not assigned.

    ``objective`` is what the step minimised, ``moved`` how many points changed cluster.
    """

    iteration: int
    labels: np.ndarray
    objective: float
    moved: int


class CentersMoved(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """Centres were recomputed: ``centers`` (k, d) float64."""

    iteration: int
    centers: np.ndarray


class DeadEnded(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A greedy assignment found no cluster for ``point``; this says nothing about feasibility."""

    iteration: int
    point: int


class IncumbentFound(Event, frozen=True, eq=False, tag=True, kw_only=True, weakref=True):
    """A new incumbent, the best clustering so far: ``labels`` (n,) int64.

    ``source`` names the part of the solver that found it. ``objective`` is set only by solvers
    that minimise something else than WCSS plus the broken soft links' weights.
    """

    labels: np.ndarray
    source: str = ""
    objective: float | None = None


class BoundImproved(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """The whole problem's lower bound rose."""

    lower_bound: float


class InfeasibilityProved(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """No clustering keeps the hard constraints. ``points`` are the witness, may be empty."""

    reason: str
    points: tuple[int, ...] = ()


class NodeOpened(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A node joined the tree.

    The root has neither parent nor pair. ``pair`` holds two points and ``together`` says whether
    the branch links them or keeps them apart. Of a ``place``, the disc about the first point that
    reaches to the second, it says whether some cluster has its mean there or none has.
    """

    node: int
    parent: int | None
    depth: int
    lower_bound: float
    pair: tuple[int, int] | None = None
    together: bool = False
    place: bool = False


class NodeBounded(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A node's own lower bound was computed or improved."""

    node: int
    lower_bound: float
    iterations: int = 0


class CutsAdded(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A round of cutting planes at a node: how many inequalities of each kind were violated.

    A connected cluster of the first point of ``separator`` and the last holds one of those between:
    the inequality on neighbours that was violated most.
    """

    node: int
    round: int
    lower_bound: float
    pair: int
    triangle: int
    clique: int
    dropped: int
    active: int
    wider: int = 0
    rows: int = 0
    separators: int = 0
    separator: tuple[int, ...] = ()


class RelaxationSolved(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """The relaxation's matrix at a node: ``Z`` (s, s) over blocks, ``block_of`` (n,).

    Rows of blocks of weight 0 are zero.
    """

    node: int
    Z: np.ndarray
    block_of: np.ndarray


class NodeBranched(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A node was branched on a pair of points, or on a disc (``place``) that the pair defines."""

    node: int
    pair: tuple[int, int]
    lower_bound: float
    place: bool = False


class NodePruned(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A node was closed.

    ``certificate`` holds named arrays that prove the bound, in the form of the solver's module.
    """

    node: int
    reason: PruneReason
    lower_bound: float
    detail: str = ""
    certificate: dict[str, np.ndarray] = msgspec.field(default_factory=dict)


class ColumnsPriced(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A pricing round of column generation.

    ``duals`` (s,) one a block, ``exact`` whether the round could prove that no column is missing.
    """

    node: int
    iteration: int
    columns: int
    pool: int
    best_reduced_cost: float
    exact: bool
    master_objective: float
    lower_bound: float
    duals: np.ndarray
    center: np.ndarray | None = None


class ResidualsUpdated(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """An iteration of a splitting method.

    ``x`` is the relaxed assignment (n, k) where the solver shows it; ``fractional`` the mean
    distance of its entries to 0 or 1; ``violations`` the links its rounding breaks.
    """

    iteration: int
    primal_residual: float
    dual_residual: float
    rho: float
    objective: float = float("nan")
    fractional: float = float("nan")
    violations: int = 0
    x: np.ndarray | None = None


class GenerationEnded(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A generation of a population: objectives (p,), replaced[i] the parent that offspring i beat.

    ``replaced`` (p,) int64 is the member that each offspring replaced, -1 for none.
    ``diversity`` is the sum of the differences between all pairs of objectives; ``iterations``
    counts the iterations of the ``local_searches`` so far.
    """

    generation: int
    objectives: np.ndarray
    diversity: float
    replaced: np.ndarray
    local_searches: int = 0
    iterations: int = 0


class PartsCut(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """The points were cut into parts, whose optima add up to a lower bound.

    ``part_of`` (n,) int64 is the part of each point, -1 for those that every part has, each with
    one in ``parts`` of their weight. ``dropped`` counts pairs of blocks with a cannot-link that
    went to different parts. Parts of an earlier cut are void.
    """

    parts: int
    part_of: np.ndarray
    dropped: int = 0


class PartBounded(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A part of the newest cut was bounded, or its bound was improved.

    Both bounds are on what a clustering costs within the part, without the scatter inside blocks.
    ``certificate`` holds the multipliers that prove the lower one; none where it is zero. The parts
    of ``merged`` are taken together with it as one; earlier bounds of any of them are void. A part
    that was branched has a certificate for each of its ``leaves`` instead, with its decisions.
    """

    part: int
    lower_bound: float
    upper_bound: float
    rounds: int
    certificate: dict[str, np.ndarray] = msgspec.field(default_factory=dict)
    merged: tuple[int, ...] = ()
    leaves: tuple[dict[str, np.ndarray], ...] = ()

    @property
    def group(self) -> tuple[int, ...]:
        """The parts of the cut that the bound is of."""
        return (self.part, *self.merged)


ProofEvent = Started | NodeOpened | NodeBranched | NodePruned | PartsCut | PartBounded
"""Events that make up a proof, apart from its clustering."""


class ProofKept(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """An earlier run's proof that still holds: its problem had fewer constraints or the same.

    ``must_link`` and ``cannot_link`` (m, 2) are the hard links that its problem had, ``lower`` and
    ``upper`` (k,) its sizes if any; every clustering that this run may find kept those too. So
    ``events`` prove ``lower_bound`` for this run as they did for the earlier one. ``added`` counts
    the constraints that have come since.
    """

    lower_bound: float
    must_link: np.ndarray
    cannot_link: np.ndarray
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    added: int = 0
    events: tuple[ProofEvent, ...] = ()


class TreeKept(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """An earlier run's tree goes on, after an edit of its problem; its nodes follow as events.

    ``lower_bound`` is what the earlier run proved, if that holds for this problem, else -inf. Of
    ``leaves`` closed ones, ``reopened`` are open again; ``following`` events bring the nodes.
    ``run`` names the earlier run if it is stored. ``times``, ``nodes``, ``upper`` and ``lower``
    (m,) are the bounds that it and those before it went through, in seconds before the edit, and
    ``edits`` when their problems were edited.
    """

    lower_bound: float
    leaves: int
    reopened: int
    following: int = 0
    run: str = ""
    times: np.ndarray
    nodes: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    edits: np.ndarray


class NodeReopened(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A closed node of an earlier run is open again.

    ``certificate`` holds the multipliers that closed it, over the blocks ``block_of`` (n,). Where
    they still prove a bound, it is ``lower_bound``, otherwise -inf.
    """

    node: int
    lower_bound: float
    certificate: dict[str, np.ndarray]
    block_of: np.ndarray


class NodeLeft(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A node is open at the end of a run that was stopped; the fields are those of `NodeReopened`.

    A run that goes on begins the node with these multipliers and this bound.
    """

    node: int
    lower_bound: float
    certificate: dict[str, np.ndarray]
    block_of: np.ndarray


class QuestionAsked(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """A strategy asked whether two points belong together, as question ``number``."""

    number: int
    pair: tuple[int, int]
    strategy: str


class QuestionAnswered(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """An oracle answered whether two points belong together, None for *I don't know*.

    ``confidence`` is the probability that it is right, ``implied`` the number of pairs that follow
    from all answers so far without having been asked.
    """

    pair: tuple[int, int]
    together: bool | None
    confidence: float
    implied: int


class Finished(Event, frozen=True, eq=False, tag=True, kw_only=True):
    """The run ended; no event follows."""

    termination: Termination
    message: str = ""

    @classmethod
    def of(cls, termination: Termination) -> Finished:
        """Return the end of a run with its usual sentence."""
        return cls(termination=termination, message=TERMINATION_SENTENCES[termination])


AnyEvent = (
    Started
    | Noted
    | Restarted
    | Assigned
    | CentersMoved
    | DeadEnded
    | IncumbentFound
    | BoundImproved
    | InfeasibilityProved
    | NodeOpened
    | NodeBounded
    | CutsAdded
    | RelaxationSolved
    | NodeBranched
    | NodePruned
    | ColumnsPriced
    | ResidualsUpdated
    | GenerationEnded
    | PartsCut
    | PartBounded
    | ProofKept
    | TreeKept
    | NodeReopened
    | NodeLeft
    | QuestionAsked
    | QuestionAnswered
    | Finished
)
"""All kinds of events, for the codec."""


class Record(msgspec.Struct, frozen=True, eq=False):
    """An event with the driver's stamp: its number in the run and seconds since the start."""

    seq: int
    time_s: float
    event: AnyEvent
