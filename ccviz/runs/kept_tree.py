"""The tree of an earlier run, for a run that goes on with it after an edit of the problem.

The decisions of a tree cover all clusterings, whatever the constraints. So its nodes stay, and each
closed leaf is looked at. A certificate was made for some constraints; where all of these are still
given, or were not used, it proves its bound as before, without those that have come since. A leaf
stays closed if that bound suffices for the new problem's clustering, or if it had no clustering
and nothing was taken away. The others are opened again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from msgspec.structs import replace as replace_event

from ccviz.arrays import IntArray
from ccviz.events import Event, NodeBranched, NodeOpened, NodePruned, NodeReopened, Noted, TreeKept
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import WITHOUT, Lacking, is_within, keys, lacking_of, relaxed, shared
from ccviz.problem.sizes import Sizes
from ccviz.runs.run import Run
from ccviz.solvers.base import Solver
from ccviz.solvers.search.decisions import Decision, Margin, decision_of, margin_of, under_decisions
from ccviz.solvers.search.tree import cutoff

_SOLVERS = ("sdp", "colgen")
_MOST_AGAIN = 0.8
"""Share of a subtree's leaves that are open again from which it may be folded into its top."""
_MOST_MOMENTS = 2000
"""Largest number of earlier moments that are kept for the plot of the bounds."""


@dataclass(frozen=True, eq=False)
class Earlier:
    """An earlier run."""

    run: Run
    events: tuple[Event, ...] = ()  # Those of its proof in order, or none if they were not kept
    run_id: str = ""


def goes_on(problem: Problem, solver: Solver, earlier: Earlier) -> bool:
    """Return whether the tree of a run goes on in one of another problem."""
    run = earlier.run
    if run.started is None or run.started.solver != solver.name or solver.name not in _SOLVERS:
        return False
    if run.kept is not None or run.parts or problem.rules or run.problem.rules:
        return False
    if problem.outliers or run.problem.outliers:
        return False
    if problem.neighbors is not None or run.problem.neighbors is not None:
        return False
    return any(isinstance(event, NodeOpened) for event in earlier.events)


def kept_tree(
    problem: Problem, solver: Solver, earlier: Earlier, objective: float, lower_bound: float
) -> tuple[Event, ...]:
    """Return the events that a run begins with if the tree of an earlier run goes on in it.

    `objective`: Of the clustering that the new run begins with; infinity without one.
    `lower_bound`: What the earlier run proved, if that holds for the new problem, otherwise -inf.
    """
    enough = cutoff(objective, float(getattr(solver, "tolerance", 0.0)))
    old = _OldTree(problem, earlier.run.problem, enough)
    opened = {each.node: each for each in earlier.events if isinstance(each, NodeOpened)}
    branched = {each.node: each for each in earlier.events if isinstance(each, NodeBranched)}
    for node in opened.values():
        old.enter(node)
    leaves = {each.node: old.leaf(each) for each in earlier.events if isinstance(each, NodePruned)}
    reopened = sum(isinstance(event, NodeReopened) for event in leaves.values())
    branched, ends = _folded(opened, branched, leaves, enough)
    bound = "bound kept, " if math.isfinite(lower_bound) else ""
    said = f"The tree goes on: {bound}{reopened:,} of {len(leaves):,} leaves opened again."
    events = (*_in_order(opened, branched, ends), Noted(text=said))
    return summary(earlier, lower_bound, len(leaves), reopened, len(events)), *events


_Ends = dict[int, NodePruned | NodeReopened]


def _in_order(
    opened: dict[int, NodeOpened], branched: dict[int, NodeBranched], ends: _Ends
) -> Iterator[Event]:
    """Yield the nodes that the root leads to, each with what became of it."""
    for node in opened.values():
        if node.parent is None or node.parent in branched:
            yield node
            if node.node in branched:
                yield branched[node.node]
            elif node.node in ends:
                yield ends[node.node]


def _folded(
    opened: dict[int, NodeOpened],
    branched: dict[int, NodeBranched],
    leaves: _Ends,
    enough: float,
) -> tuple[dict[int, NodeBranched], _Ends]:
    """Return the nodes that stay branched, and how the others begin.

    A subtree is folded into its top where nearly all of its leaves are open again, and lack more
    than branching had gained: its decisions were chosen for another optimum, and work on the top
    is done once.
    """
    stay, ends, below = dict(branched), dict(leaves), {node: [node] for node in leaves}
    for node in sorted(opened, reverse=True):
        parent = opened[node].parent
        if parent is not None:
            below.setdefault(parent, []).extend(below.get(node, [node]))
    for node in sorted(branched):
        if node != 0 and opened[node].parent not in stay:
            del stay[node]
            continue
        again = [ends[leaf] for leaf in below[node] if isinstance(leaves.get(leaf), NodeReopened)]
        if len(again) < _MOST_AGAIN * len(below[node]):
            continue
        hardest = min(again, key=lambda each: each.lower_bound)
        if enough - hardest.lower_bound > hardest.lower_bound - branched[node].lower_bound:
            ends[node] = replace_event(hardest, node=node, lower_bound=-math.inf)
            del stay[node]
    return stay, ends


def summary(
    earlier: Earlier, lower_bound: float, leaves: int, reopened: int, following: int
) -> TreeKept:
    """Return the event that says what goes on, with the bounds of the runs before.

    `lower_bound`: What the earlier run proved, if that holds for the new problem, otherwise -inf.
    `leaves`, `reopened`: Leaves of the tree, or parts, and those that are open again.
    """
    run, before = earlier.run, earlier.run.kept_tree
    moments = [
        (moment.time_s, float(moment.nodes), moment.upper_bound, moment.lower_bound)
        for moment in run.history
    ]
    if run.history:
        moments.append((run.time_s, float(len(run.tree)), *moments[-1][2:]))
    table = np.array(moments, dtype=np.float64).reshape(-1, 4)
    edits = np.zeros(0)
    if before is not None:
        first = np.stack([before.times, before.nodes, before.upper, before.lower], axis=1)
        table = np.concatenate([first, table])
        edits = np.append(before.edits, 0.0)
    times, nodes, upper, lower = table[-_MOST_MOMENTS:].T
    return TreeKept(
        lower_bound=lower_bound,
        leaves=leaves,
        reopened=reopened,
        following=following,
        run=earlier.run_id,
        times=times - run.time_s,
        nodes=nodes,
        upper=upper,
        lower=lower,
        edits=edits - run.time_s,
    )


@dataclass(frozen=True, eq=False)
class _Ground:
    """What leaves with equal constraints have in common."""

    made_for: Problem
    common: Problem  # With those of its constraints that the new problem has too
    lacking: Lacking  # What the new problem has beyond these
    is_whole: bool  # Whether nothing was taken away


@dataclass(eq=False)
class _OldTree:
    """The earlier tree, while its nodes are gone through."""

    problem: Problem
    before: Problem
    enough: float  # A leaf with this bound stays closed
    _decisions: dict[int, tuple[Decision, ...]] = field(default_factory=dict)
    _grounds: dict[bytes, _Ground] = field(default_factory=dict)

    def enter(self, event: NodeOpened) -> None:
        """Note the decisions of a node, whose parent is known."""
        path = () if event.parent is None else self._decisions[event.parent]
        newest = decision_of(event)
        self._decisions[event.node] = path if newest is None else (*path, newest)

    def leaf(self, event: NodePruned) -> NodePruned | NodeReopened:
        """Return what becomes of a closed leaf."""
        ground = self._ground(event.certificate)
        own = {name: value for name, value in event.certificate.items() if name not in WITHOUT}
        certificate = {**own, **ground.lacking.arrays()}
        if event.reason == "infeasible":
            if ground.is_whole and self._decisions[event.node]:
                return replace_event(event, certificate=certificate)
            return _reopened(event.node)
        owner = event.certificate.get("node")
        node = event.node if owner is None else int(owner[0])
        blocks = self._blocks(ground.made_for, node)
        bound = self._bound(event, ground, node, blocks)
        if bound >= self.enough:
            return NodePruned(
                node=event.node,
                reason=event.reason,
                lower_bound=bound,
                detail=event.detail,
                certificate=certificate,
            )
        known = certificate if math.isfinite(bound) else own
        return _reopened(event.node, bound, known, blocks.block_of)

    def _bound(self, event: NodePruned, ground: _Ground, node: int, blocks: Blocks) -> float:
        """Return the bound that a leaf's certificate still proves, -inf if it proves none."""
        if ground.is_whole:
            return event.lower_bound
        left = self._blocks(ground.common, node)
        if not _is_unused(event.certificate, blocks, left):
            return -math.inf
        # The earlier run's margin for rounding may have been wider, and it must not be lost.
        return self._margin.below(event.lower_bound)

    @cached_property
    def _margin(self) -> Margin:
        return margin_of(self.before)

    def _blocks(self, problem: Problem, node: int) -> Blocks:
        return contract(under_decisions(problem, self._decisions[node]))

    def _ground(self, certificate: dict[str, np.ndarray]) -> _Ground:
        key = b"".join(
            name.encode() + certificate[name].tobytes() for name in WITHOUT if name in certificate
        )
        if key not in self._grounds:
            made_for = relaxed(self.before, lacking_of(certificate))
            self._grounds[key] = _compared(made_for, self.problem)
        return self._grounds[key]


def _compared(made_for: Problem, problem: Problem) -> _Ground:
    n, is_whole = problem.n, True
    links: dict[str, Links] = {}
    lacking: dict[str, IntArray] = {}
    for name in ("must_link", "cannot_link"):
        old, new = getattr(made_for, name), getattr(problem, name)
        stay = shared(old, new, n)
        links[name] = Links(old.pairs[stay], old.weights[stay])
        lacking[name] = new.pairs[~shared(new, links[name], n)]
        is_whole &= bool(stay.all())
    sizes = None
    if is_within(problem.sizes, made_for.sizes):
        sizes = made_for.sizes
    else:
        is_whole = False
    return _Ground(
        made_for,
        replace(
            made_for, must_link=links["must_link"], cannot_link=links["cannot_link"], sizes=sizes
        ),
        Lacking(lacking["must_link"], lacking["cannot_link"], _instead(problem, sizes)),
        is_whole,
    )


def _instead(problem: Problem, sizes: Sizes | None) -> IntArray | None:
    """Return the sizes that replace the problem's in a certificate, None if they are its own."""
    now = problem.sizes
    if now is None:
        return None
    if sizes is None:
        return np.empty((0, problem.k), dtype=np.int64)
    if is_within(sizes, now):
        return None
    return np.stack([sizes.lower, sizes.upper])


def _is_unused(certificate: dict[str, np.ndarray], blocks: Blocks, left: Blocks) -> bool:
    """Return whether a certificate proves as much without the constraints taken away.

    The blocks must be the same, and so must the sizes and the soft links. A conflict is used only
    where its multiplier is below zero.
    """
    if not np.array_equal(blocks.block_of, left.block_of):
        return False
    if (blocks.sizes is None) != (left.sizes is None) or not _same_soft(blocks, left):
        return False
    gone = np.setdiff1d(keys(blocks.conflicts, blocks.s), keys(left.conflicts, blocks.s))
    if not len(gone):
        return True
    # The constants of soft links depend on the conflicts.
    has_soft = len(blocks.soft_must) or len(blocks.soft_cannot)
    if has_soft or "lifted" in certificate or "duals" in certificate:
        return False
    if "nonnegativity" not in certificate:
        return True
    i, j = np.divmod(gone, blocks.s)
    at = i * blocks.s - i * (i - 1) // 2 + j - i
    return bool((certificate["nonnegativity"][at] >= 0.0).all())


def _same_soft(blocks: Blocks, left: Blocks) -> bool:
    if blocks.penalty != left.penalty:
        return False
    pairs = ((blocks.soft_must, left.soft_must), (blocks.soft_cannot, left.soft_cannot))
    return all(
        np.array_equal(old.pairs, new.pairs) and np.array_equal(old.weights, new.weights)
        for old, new in pairs
    )


def _reopened(
    node: int,
    bound: float = -math.inf,
    certificate: dict[str, np.ndarray] | None = None,
    block_of: IntArray | None = None,
) -> NodeReopened:
    return NodeReopened(
        node=node,
        lower_bound=bound,
        certificate=certificate or {},
        block_of=np.empty(0, dtype=np.int64) if block_of is None else block_of,
    )
