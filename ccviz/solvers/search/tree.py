"""Branch-and-bound over decisions on pairs and discs, shared by the exact solvers.

A node is the problem with the decisions on the way to it. A solver gives one pure function, which
takes a `Task` (work on this node for a while) and returns a `Report`: the node's bound so far, what
happened, and a verdict. The search picks nodes, hands tasks to a workforce and folds the
reports in the order in which the tasks were given out, so a run depends on its seed and its number
of workers but not on who finished first.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import (
    BoundImproved,
    Event,
    IncumbentFound,
    InfeasibilityProved,
    NodeBounded,
    NodeBranched,
    NodeLeft,
    NodeOpened,
    NodePruned,
    NodeReopened,
    PruneReason,
    Record,
    TreeKept,
)
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import lacking_of, relaxed
from ccviz.solvers.base import never
from ccviz.solvers.search.decisions import (
    Decision,
    Margin,
    branched_fields,
    children_of,
    decision_of,
    opened_fields,
    under_decisions,
)
from ccviz.solvers.search.workforce import Handle, Workforce, run_here

# --------------------------------------------------------------------------------------------------
# What the open nodes of a stopped search leave, so that a run that goes on keeps their bounds.

_LARGEST = 1 << 28  # Bytes of certificates after which further nodes are left without theirs


@dataclass(frozen=True, eq=False)
class ProvedNode:
    """An open node with a proved bound."""

    node: int
    lower_bound: float
    certificate: dict[str, np.ndarray]
    decisions: tuple[Decision, ...]


def left_nodes(problem: Problem, proved: Callable[[], Iterable[ProvedNode]]) -> Iterator[NodeLeft]:
    """Yield what open nodes leave, those with the lowest bounds first."""
    size = 0
    for each in sorted(proved(), key=lambda node: node.lower_bound):
        size += sum(array.nbytes for array in each.certificate.values())
        if size > _LARGEST:
            return
        yield NodeLeft(
            node=each.node,
            lower_bound=each.lower_bound,
            certificate=each.certificate,
            block_of=_block_of(problem, each),
        )


def _block_of(problem: Problem, node: ProvedNode) -> IntArray:
    made_for = relaxed(problem, lacking_of(node.certificate))
    return contract(under_decisions(made_for, node.decisions)).block_of


_GROWN = 4  # Number of open nodes from which other processes are started
_DETAILS: dict[PruneReason, str] = {
    "bound": "The bound reached the incumbent within the tolerance.",
    "integral": "Only one clustering is left.",
}  # of reports that give none
_ALL_INFEASIBLE = "every branch of the search tree is infeasible."

Order = Literal["best", "depth", "breadth"]
Verdict = Literal["go on", "branch", "bound", "infeasible", "integral"]


class StoppedError(Exception):
    """Raised by work that noticed that the run should end."""


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What closed a node in an earlier run, and starts it in this one."""

    certificate: dict[str, np.ndarray]
    block_of: IntArray  # (n,): The blocks that it is over


@dataclass(frozen=True, eq=False)
class Task:
    """Work on one node."""

    node: int
    decisions: tuple[Decision, ...] = ()
    # lower_bound, upper_bound: Proved bound of the node so far; objective of the incumbent.
    lower_bound: float = -math.inf
    upper_bound: float = math.inf
    # What the last report on this node left; on the first task what the parent's last report left,
    # `Multipliers` if an earlier run had closed the node, or None at the root and after a resume.
    state: Any = None
    opening: bool = True
    seed: int = 0
    # True once the run should end, where the work is done in the run's own process; work that takes
    # long looks at it and raises `StoppedError`.
    stop: Callable[[], bool] = never
    # (n,): The incumbent, where an earlier run left it and the node is open again.
    labels: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Report:
    """The result of a task."""

    # "go on" asks for another task; "branch" for two children; the others close the node.
    verdict: Verdict
    lower_bound: float  # Best proved bound of the node
    labels: IntArray | None = None  # (n,): A feasible clustering found
    source: str = ""
    events: tuple[Event, ...] = ()
    # The decision of the first child, together or occupied; the second child's is the opposite.
    branch: Decision | None = None
    detail: str = ""  # Why the node was closed, as a sentence
    witness: tuple[int, ...] = ()  # Points that show an infeasible node to be so
    certificate: dict[str, np.ndarray] = field(default_factory=dict)  # What proves the bound
    state: Any = None  # What the next task of this node, or its children's first, should be given
    iterations: int = 0  # Of the node's relaxation, so far


@dataclass(eq=False)
class _Node:
    task: Task
    depth: int
    certificate: dict[str, np.ndarray]


def _nothing() -> None:
    return None


@dataclass(eq=False)
class Search:
    """The tree while it is searched."""

    work: Callable[[Task], Report]  # Takes a `Task`, returns a `Report`; picklable
    objective_of: Callable[[IntArray], float]
    tolerance: float  # Relative gap at which a node is as good as solved
    order: Order = "best"
    # Called once, before the first task: a feasible clustering to begin with, or None.
    first: Callable[[], IntArray | None] = field(default=_nothing)
    seed: int = 0
    labels: IntArray | None = None  # (n,): The best clustering known
    # A bound on the whole that the run proves without the tree. The search ends if it suffices. It
    # is not the bound of a node, since no node's certificate proves it.
    floor: float = -math.inf
    upper_bound: float = math.inf
    lower_bound: float = -math.inf
    # Largest effect of rounding on the nodes' bounds and the incumbent's objective.
    margin: Margin = field(default_factory=Margin)
    infeasible: bool = False
    _waiting: dict[int, _Node] = field(default_factory=dict)
    _running: deque[tuple[_Node, Handle[Report]]] = field(default_factory=deque)
    _open_nodes: dict[int, _Node] = field(default_factory=dict)  # neither closed nor branched
    _decisions: dict[int, tuple[Decision, ...]] = field(default_factory=dict)  # of all nodes
    _unsaid: deque[Event] = field(default_factory=deque)
    _closed_bound: float = math.inf
    _count: int = 0
    _grown: bool = False

    @property
    def cutoff(self) -> float:
        """A node with this bound can be closed."""
        return cutoff(self.upper_bound, self.tolerance)

    def steps(
        self, workforce: Workforce, stop: Callable[[], bool], history: tuple[Record, ...] = ()
    ) -> Iterator[Event]:
        """Search until no node is left or ``stop`` says so; continue a ``history`` if given."""
        yield from self._restore(history) if history else self._begin()
        if self._is_empty:
            yield self._infeasible(_ALL_INFEASIBLE, ())
        labels = self.first() if self._waiting else None
        if labels is not None:
            yield from self.add_incumbent(labels, "start")
        with suppress(StoppedError):
            while (self._waiting or self._running) and not (self._is_proved or stop()):
                while self._waiting and len(self._running) < workforce.size:
                    yield from self._give_out(workforce, stop)
                if self._running:
                    report = self._collect(workforce, stop)
                    if report is None:
                        return
                    yield from self._fold(*report)

    @property
    def _is_empty(self) -> bool:
        """Whether every node is closed as infeasible."""
        return not self._open_nodes and math.isinf(min(self._closed_bound, self.upper_bound))

    @property
    def _is_proved(self) -> bool:
        return math.isfinite(self.floor) and self.floor >= self.cutoff

    def add_incumbent(self, labels: IntArray, source: str) -> Iterator[Event]:
        """Take a clustering if it is better than the best."""
        if self._is_better(labels):
            yield IncumbentFound(labels=labels, source=source, objective=self.upper_bound)
            yield from self._raise_bound()

    def _is_better(self, labels: IntArray) -> bool:
        """Keep a clustering if it is better than the best."""
        objective = self.objective_of(labels)
        is_better = objective < self.upper_bound
        if is_better:
            self.labels, self.upper_bound = labels, objective
        return is_better

    def _begin(self) -> Iterator[Event]:
        yield self._open(Task(0, seed=self.seed), None, {})

    def _open(
        self, task: Task, parent: _Node | None, certificate: dict[str, np.ndarray]
    ) -> NodeOpened:
        depth = 0 if parent is None else parent.depth + 1
        self._await(_Node(task, depth, certificate))
        newest = task.decisions[-1] if task.decisions else None
        return NodeOpened(
            node=task.node,
            parent=None if parent is None else parent.task.node,
            depth=depth,
            lower_bound=max(0.0, task.lower_bound),
            **opened_fields(newest),
        )

    def _restore(self, history: tuple[Record, ...]) -> Iterator[Event]:
        decisions: dict[int, tuple[Decision, ...]] = {}
        branched: list[NodeBranched] = []
        for event in (record.event for record in history):
            match event:
                case NodeOpened():
                    self._reopen(event, decisions)
                case NodeReopened() | NodeLeft() | TreeKept() | BoundImproved():
                    self._go_on(event)
                case NodeBranched():
                    branched.append(event)
                case NodePruned():
                    self._forget(event.node)
                    if event.reason != "infeasible":
                        self._closed_bound = min(self._closed_bound, event.lower_bound)
                case IncumbentFound():
                    self._is_better(event.labels)
        if not decisions:
            yield from self._begin()
        for event in branched:
            yield from self._reopen_children(event, set(decisions.values()))
        yield from self._raise_bound()

    def _reopen_children(
        self, event: NodeBranched, known: set[tuple[Decision, ...]]
    ) -> Iterator[Event]:
        """Open what the run had not opened when it ended."""
        parent = self._waiting[event.node]
        for decision in children_of(event):
            if (*parent.task.decisions, decision) not in known:
                yield self._open_child(parent, decision)
        self._forget(event.node)

    def _reopen(self, event: NodeOpened, decisions: dict[int, tuple[Decision, ...]]) -> None:
        before = () if event.parent is None else decisions[event.parent]
        newest = decision_of(event)
        path = before if newest is None else (*before, newest)
        decisions[event.node] = path
        # The parent's multipliers ended with the process: the node's bound is proved again.
        task = Task(event.node, path, seed=self.seed)
        self._await(_Node(task, event.depth, {}))

    def _go_on(self, event: NodeReopened | NodeLeft | TreeKept | BoundImproved) -> None:
        """Take the bound of an earlier run, or give a node what proved its bound there."""
        if isinstance(event, TreeKept | BoundImproved):
            self.lower_bound = max(self.lower_bound, event.lower_bound)
            return
        node = self._waiting[event.node]
        state = Multipliers(event.certificate, event.block_of) if event.block_of.size else None
        node.task = replace(node.task, lower_bound=event.lower_bound, state=state)
        node.certificate = event.certificate if math.isfinite(event.lower_bound) else {}

    def _await(self, node: _Node) -> None:
        number = node.task.node
        self._waiting[number] = node
        self._open_nodes[number] = node
        self._decisions[number] = node.task.decisions
        self._count = max(self._count, number + 1)

    def _forget(self, number: int) -> None:
        self._waiting.pop(number, None)
        self._open_nodes.pop(number)

    def proved(self) -> Iterator[ProvedNode]:
        """Yield the open nodes that have a bound with a certificate."""
        for node in self._open_nodes.values():
            task, owner = node.task, node.certificate.get("node")
            if owner is not None and int(owner[0]) in self._decisions:
                made_for = self._decisions[int(owner[0])]
                yield ProvedNode(task.node, task.lower_bound, node.certificate, made_for)

    def _give_out(self, workforce: Workforce, stop: Callable[[], bool]) -> Iterator[Event]:
        node = self._waiting.pop(self._choose())
        if node.task.lower_bound >= self.cutoff:
            yield from self._close(
                node, "bound", "The bound of its parent suffices.", node.certificate
            )
            return
        self._submit(node, workforce, stop)

    def _choose(self) -> int:
        key: dict[str, Callable[[int], tuple[float, int]]] = {
            "best": lambda i: (self._waiting[i].task.lower_bound, i),
            "depth": lambda i: (-self._waiting[i].depth, i),
            "breadth": lambda i: (self._waiting[i].depth, i),
        }
        fresh = [i for i in self._waiting if self._waiting[i].task.opening]
        started = [i for i in self._waiting if not self._waiting[i].task.opening]
        return min(started or fresh, key=key[self.order])

    def _submit(self, node: _Node, workforce: Workforce, stop: Callable[[], bool]) -> None:
        known = self.labels if isinstance(node.task.state, Multipliers) else None
        task = replace(node.task, upper_bound=self.upper_bound, labels=known)
        # Workers are woken once a tree has grown; a lone node is worked on here even then.
        nodes = 1 + len(self._waiting) + len(self._running)
        self._grown = self._grown or nodes >= _GROWN
        if workforce.is_local or not self._grown or nodes == 1:
            handle = run_here(self.work, replace(task, stop=stop))
        else:
            handle = workforce.submit(self.work, task)
        self._running.append((node, handle))

    def _collect(
        self, workforce: Workforce, stop: Callable[[], bool]
    ) -> tuple[_Node, Report] | None:
        node, handle = self._running[0]
        report = workforce.result(handle, stop)
        if report is None:
            return None
        self._running.popleft()
        return node, report

    def _fold(self, node: _Node, report: Report) -> Iterator[Event]:
        yield from report.events
        if report.labels is not None:
            yield from self.add_incumbent(report.labels, report.source)
        if report.verdict == "infeasible":
            yield from self._close_infeasible(node, report)
            return
        if report.lower_bound > node.task.lower_bound:
            owner = np.array([node.task.node], dtype=np.int64)
            node.certificate = {**report.certificate, "node": owner}
            node.task = replace(node.task, lower_bound=report.lower_bound)
            yield NodeBounded(
                node=node.task.node, lower_bound=report.lower_bound, iterations=report.iterations
            )
        if report.verdict in ("bound", "integral") or node.task.lower_bound >= self.cutoff:
            reason: PruneReason = "integral" if report.verdict == "integral" else "bound"
            detail = report.detail or _DETAILS[reason]
            yield from self._close(node, reason, detail, node.certificate)
        elif report.verdict == "branch":
            yield from self._branch(node, report)
        else:
            node.task = replace(node.task, state=report.state, opening=False)
            self._waiting[node.task.node] = node
            yield from self._raise_bound()

    def _close(
        self, node: _Node, reason: PruneReason, detail: str, certificate: dict[str, np.ndarray]
    ) -> Iterator[Event]:
        self._closed_bound = min(self._closed_bound, node.task.lower_bound)
        self._forget(node.task.node)
        yield NodePruned(
            node=node.task.node,
            reason=reason,
            lower_bound=node.task.lower_bound,
            detail=detail,
            certificate=certificate,
        )
        yield from self._raise_bound()

    def _close_infeasible(self, node: _Node, report: Report) -> Iterator[Event]:
        self._forget(node.task.node)
        yield NodePruned(
            node=node.task.node,
            reason="infeasible",
            lower_bound=math.inf,
            detail=report.detail,
            certificate={**report.certificate, "witness": np.array(report.witness, dtype=np.int64)},
        )
        if not node.task.decisions:
            yield self._infeasible(report.detail, report.witness)
        elif self._is_empty:
            yield self._infeasible(_ALL_INFEASIBLE, ())
        yield from self._raise_bound()

    def _infeasible(self, reason: str, points: tuple[int, ...]) -> InfeasibilityProved:
        self.infeasible = True
        return InfeasibilityProved(reason=reason, points=points)

    def _branch(self, node: _Node, report: Report) -> Iterator[Event]:
        assert report.branch is not None
        node.task = replace(node.task, state=report.state)
        sides = report.branch, report.branch.opposite
        self._unsaid.extend([self._open_child(node, side) for side in sides])
        self._forget(node.task.node)
        yield NodeBranched(
            node=node.task.node, lower_bound=node.task.lower_bound, **branched_fields(report.branch)
        )
        yield from self._say()
        yield from self._raise_bound()

    def _say(self) -> Iterator[Event]:
        while self._unsaid:
            yield self._unsaid.popleft()

    def unsaid(self) -> tuple[Event, ...]:
        """Return the openings of children that the events lack if a run stops at their parent."""
        return tuple(self._unsaid)

    def _open_child(self, node: _Node, decision: Decision) -> NodeOpened:
        decisions = (*node.task.decisions, decision)
        task = replace(node.task, node=self._count, decisions=decisions, opening=True)
        return self._open(task, node, node.certificate)

    def _raise_bound(self) -> Iterator[Event]:
        bounds = (node.task.lower_bound for node in self._open_nodes.values())
        least = min(*bounds, self._closed_bound, self.upper_bound)
        bound = self.margin.below(least)
        if math.isfinite(bound) and bound > self.lower_bound:
            self.lower_bound = bound
            yield BoundImproved(lower_bound=bound)


def cutoff(upper_bound: float, tolerance: float) -> float:
    """Return the bound from which a node is within the tolerance of the incumbent."""
    return upper_bound - tolerance * upper_bound if math.isfinite(upper_bound) else math.inf
