"""One node of the branch-and-cut tree: open it, bound it a round at a time, close it or branch.

`advance` is a pure function of picklable values. A task is one round (some iterations of ADMM, then
separation), so a search can show, stop and prune between rounds; the report carries the node's
state. A round of a large root takes several tasks, and its first clustering proves a bound by
closed-form multipliers before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ContradictionError, ProblemError
from ccviz.events import CutsAdded, Event, RelaxationSolved, ResidualsUpdated
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import Blocks, contract, with_weight
from ccviz.problem.relaxed import Bounded
from ccviz.solvers.relaxation.admm import Iterate
from ccviz.solvers.relaxation.certificate import certify
from ccviz.solvers.relaxation.cuts import Cuts, no_cuts, rows_of
from ccviz.solvers.relaxation.engine import (
    WINDOW,
    AnyIterate,
    cold_start,
    inherit,
    is_stuck,
    iterate,
    renew_cuts,
    restart,
    solve_by_cvxpy,
)
from ccviz.solvers.relaxation.kernels import SEPARATOR, add_rows
from ccviz.solvers.relaxation.lifted import LiftedIterate, class_centers
from ccviz.solvers.relaxation.model import (
    Relaxation,
    branching_pair,
    multipliers_of,
    relax,
    row_sums_of,
)
from ccviz.solvers.relaxation.separators import block_graph
from ccviz.solvers.sdp.rounding import first_clustering, ipc_kmeans
from ccviz.solvers.sdp.settings import SPLITTING, NodeSettings
from ccviz.solvers.search.decisions import PairDecision, under_decisions
from ccviz.solvers.search.tree import Multipliers, Report, Task, cutoff


@dataclass(frozen=True, eq=False)
class NodeState:
    """State of a node, for its next round or its children."""

    blocks: Blocks  # Those of weight 0 too, which the relaxation does not have
    relaxation: Relaxation
    at: AnyIterate
    bounds: tuple[float, ...] = ()
    own: tuple[float, ...] = ()  # The bounds that the iterate alone gives, in the same rounds
    fresh: bool = False  # Whether this is the root before its first descent
    restarted: bool = False  # Whether it goes on with an earlier run's multipliers
    done: int = 0  # Iterations of a round that is under way


_AT_ONCE = 3e10
"""Iterations of a root between two events, times the cube of the blocks: some seconds."""
_FEASIBILITY_S = 4.0
"""Seconds of HiGHS that a node's feasibility may take."""

_TRIALS = 20
"""Further descents when a node closes or branches, the last chance of the node to improve.

A restarted node that closes goes without: the clustering it began with is within the gap.
"""
_TRIALS_BELOW = 2
"""The same below the root under sizes or soft links, where 20 took up to half of the time."""
_LIFTED_PATIENCE = 3.0
"""Factor of `patience` with a matrix for each size: its bound gains less in a round, and longer."""
_ROUNDS_UNKNOWN = 9
"""Rounds of a node with neighbours or sizes while no clustering is known: there may be none."""
_ROUNDS_BEHIND = 12
"""Rounds that a node has whose own bound is far below its parent's, before it may be branched."""
_DECIDED = 0.05
"""Rank that Y lacks to be that of a clustering, up to which blocks of weight 0 are decided."""
_SCS_ACCURACY = 1e-5  # Accuracy of SCS, as in the paper, section 4.1


def advance(problem: Bounded, settings: NodeSettings, task: Task) -> Report:
    """Work on a node for one round; the root's first two tasks only find clusterings."""
    if not task.opening:
        state: NodeState = task.state
        return _descended(settings, task, state) if state.fresh else _round(settings, task, state)
    opened = _open(problem, task)
    if isinstance(opened, Report):
        return opened
    state, labels = opened
    is_known = state.restarted and np.isfinite(task.upper_bound)
    if task.decisions or labels is None or is_known:
        return _round(settings, task, state)
    state = replace(state, fresh=True)
    return Report("go on", task.lower_bound, labels=labels, source="feasibility", state=state)


def _descended(settings: NodeSettings, task: Task, state: NodeState) -> Report:
    counted = with_weight(state.blocks)
    labels = first_clustering(counted, state.relaxation, task.seed, task.stop)
    state = replace(state, fresh=False)
    report = Report("go on", task.lower_bound, labels=labels, source="k-means", state=state)
    is_long = iterations_at_once(state.relaxation.s) < settings.round_iterations
    if labels is None or not is_long or not _is_plain(state.at) or task.stop():
        return report
    return _bounded_early(report, state, state.blocks.project(labels)[: counted.s])


def _is_plain(at: AnyIterate) -> TypeGuard[Iterate]:
    """Whether the relaxation has no soft links and is not lifted for sizes."""
    return isinstance(at, Iterate) and at.prices is None


def _bounded_early(report: Report, state: NodeState, labels: IntArray) -> Report:
    """Return the report with the bound that a clustering's closed-form multipliers prove.

    The iterate keeps its own bound, by which the node is judged.
    """
    relaxation = state.relaxation
    multipliers = multipliers_of(relaxation, labels)
    found = certify(relaxation, -multipliers, no_cuts(relaxation.k), np.empty(0))
    if found.lower_bound <= max(report.lower_bound, state.blocks.scatter):
        return report
    return replace(report, lower_bound=found.lower_bound, certificate=found.arrays())


def iterations_at_once(blocks: int) -> int:
    """Return the number of iterations of a root between two events."""
    return max(1, int(_AT_ONCE / blocks**3))


def _open(problem: Bounded, task: Task) -> Report | tuple[NodeState, IntArray | None]:
    try:
        problem = under_decisions(problem, task.decisions)
    except ContradictionError as contradiction:
        return _infeasible(str(contradiction), contradiction.chain)
    except ProblemError as too_few:  # blocks for k clusters
        return _infeasible(str(too_few), ())
    feasible = check_feasibility(problem, _FEASIBILITY_S)
    if feasible.feasible is False:
        return _infeasible(feasible.reason, feasible.points)
    blocks = contract(problem)
    relaxation = relax(blocks, row_sums_of(problem, blocks), block_graph(problem))
    blocks = replace(blocks, rules=())  # a descent need not keep the sums: it is mended then
    restarted = isinstance(task.state, Multipliers)
    at = _start(task, blocks, relaxation)
    state = NodeState(blocks, relaxation, at, restarted=restarted)
    return state, feasible.labels


def _infeasible(reason: str, witness: tuple[int, ...]) -> Report:
    return Report("infeasible", np.inf, detail=reason, witness=witness)


def _start(task: Task, blocks: Blocks, relaxation: Relaxation) -> AnyIterate:
    if isinstance(task.state, Multipliers):
        return restart(relaxation, blocks.block_of, task.state)
    parent: NodeState | None = task.state
    # Of a single clustering no multipliers prove more than none do: its cost.
    if parent is None or (relaxation.s == relaxation.k and relaxation.classes is None):
        return cold_start(relaxation)
    child_of = parent.blocks.project(blocks.block_of)[: parent.relaxation.s]
    return inherit(parent.at, child_of, parent.relaxation, relaxation)


def _round(settings: NodeSettings, task: Task, state: NodeState) -> Report:
    some = iterations_at_once(state.relaxation.s)
    is_splitting = settings.backend == "splitting"
    if is_splitting and not task.decisions and some < settings.round_iterations - state.done:
        return _part_of_round(task, state, some)
    state = _solved(settings, task, state)
    bound = state.bounds[-1]
    report = Report(
        "bound",
        bound,
        certificate=state.at.best.arrays() if state.at.best else {},
        iterations=settings.round_iterations * len(state.bounds),
    )
    limit = cutoff(task.upper_bound, settings.tolerance)
    if bound >= limit:
        return _rounded(report, task, state, 0 if state.restarted else _trials(task, state))
    if state.blocks.s == state.relaxation.k:
        only = _in_sizes(state.blocks)
        return replace(report, verdict="integral", labels=only, source="the only clustering")
    is_decided = state.relaxation.s == state.relaxation.k  # but for blocks of weight 0
    if is_decided or must_branch(state, limit, settings):
        pair = _pair_to_decide(state, limit - bound)
        if pair is not None:
            decision = PairDecision(*state.blocks.points_of(*pair), together=True)
            report = replace(report, verdict="branch", branch=decision, state=_packed(state))
            if is_decided:
                labels = with_weight(state.blocks).block_of
                return replace(report, labels=labels, source="the only clustering")
            return _rounded(report, task, state, _trials(task, state))
    state, event = _cut(settings, task, state)
    events = (event, *_shown(settings, task, state))
    report = replace(report, verdict="go on", events=events, state=state)
    rounds = len(state.bounds)
    is_time = rounds % 3 == 2 and (not task.decisions or rounds == 2)
    return _rounded(report, task, state) if is_time else report


def _pair_to_decide(state: NodeState, gap: float) -> tuple[int, int] | None:
    """Return the pair of blocks to branch on: one of weight 0 where the others make clusters."""
    relaxation, Y = state.relaxation, state.at.Y
    if state.blocks.s == relaxation.s:
        return branching_pair(relaxation, Y, gap, _held(state))
    # The Y of a clustering is a projection of rank k.
    is_decided = relaxation.s == relaxation.k or relaxation.k - float((Y * Y).sum()) < _DECIDED
    return (
        None if is_decided else branching_pair(relaxation, Y, gap, _held(state))
    ) or _with_bridge(state)


def _with_bridge(state: NodeState) -> tuple[int, int] | None:
    """Return a block with weight and one of weight 0 that may be with it, neighbours if any are.

    Every cluster holds weight, and so each block of weight 0 is with one of the others in the end.
    """
    s, blocks, graph = state.relaxation.s, state.blocks, state.relaxation.graph
    apart = graph.apart if graph is not None else blocks.conflict_graph.toarray() > 0
    free = ~apart[s:, :s]
    if graph is not None:
        near = np.zeros_like(apart)
        near[np.repeat(np.arange(blocks.s), np.diff(graph.arcs.start)), graph.arcs.other] = True
        near = free & near[s:, :s]
        free = near if near.any() else free
    light = int(free.sum(axis=1).argmax())
    return (int(free[light].argmax()), s + light) if free[light].any() else None


def _in_sizes(blocks: Blocks) -> IntArray:
    """Return (n,) the block of each point, as a cluster numbered so that it has its own size."""
    numbers = None if blocks.sizes is None else blocks.sizes.numbers_of(blocks.count)
    return blocks.block_of if numbers is None else numbers[blocks.block_of]


def _part_of_round(task: Task, state: NodeState, iterations: int) -> Report:
    at = iterate(state.relaxation, state.at, iterations, task.stop, certifies=False)
    primal, dual = at.residuals
    event = ResidualsUpdated(
        iteration=at.iterations, primal_residual=primal, dual_residual=dual, rho=at.penalty
    )
    state = replace(state, at=at, done=state.done + iterations)
    return Report("go on", task.lower_bound, events=(event,), state=state)


def _solved(settings: NodeSettings, task: Task, state: NodeState) -> NodeState:
    at: AnyIterate | None = None
    if settings.backend != SPLITTING and _is_plain(state.at):
        at = solve_by_cvxpy(state.relaxation, state.at, settings.backend, _SCS_ACCURACY)
    if at is None:  # or the conic solver gave up
        rest = settings.round_iterations - state.done
        at = iterate(state.relaxation, state.at, rest, task.stop)
    # The scatter inside the blocks is a bound too, where the margin for rounding is larger.
    bound = max(task.lower_bound, at.lower_bound, state.blocks.scatter * (1.0 - 1e-9))
    own = (*state.own, at.lower_bound)
    return replace(state, at=at, bounds=(*state.bounds, float(bound)), own=own, done=0)


def must_branch(state: NodeState, limit: float, settings: NodeSettings) -> bool:
    """Return whether the node gains too little.

    A decision disturbs ADMM for some rounds. If the node's own bound is below its parent's by more
    than the gap, its children would begin from that bound, so it is not branched yet, unless its
    own bound would not get there either. The more rounds a node had, the more its children would
    need, so `patience` grows with them.
    """
    bounds = state.bounds
    if len(bounds) >= settings.max_rounds:
        return True
    is_lifted = isinstance(state.at, LiftedIterate)
    if not np.isfinite(limit):
        may_be_none = is_lifted or state.relaxation.graph is not None
        return may_be_none and len(bounds) >= _ROUNDS_UNKNOWN
    factor = _LIFTED_PATIENCE if is_lifted else 1.0
    patience = max(factor * settings.patience, len(bounds) / WINDOW)
    if bounds[-1] - state.at.lower_bound > limit - bounds[-1]:
        return len(bounds) > _ROUNDS_BEHIND and is_stuck(state.own, bounds[-1], patience)
    return is_stuck(bounds, limit, patience)


def _held(state: NodeState) -> FloatArray | None:
    """Return (s, s) how much the separators rest on each entry; None without neighbours."""
    relaxation, at = state.relaxation, state.at
    if relaxation.graph is None:
        return None
    held = np.zeros((relaxation.s, relaxation.s))
    if isinstance(at, Iterate):
        is_path = at.cuts.kind == SEPARATOR
        rows = rows_of(at.cuts.where(is_path), relaxation)
        add_rows(held, at.weights[is_path] * rows.norm, rows)
    return np.maximum(held, 0.0)


def _trials(task: Task, state: NodeState) -> int:
    """Return the number of further descents when the node closes or branches."""
    is_quick = state.blocks.sizes is None and _is_plain(state.at)
    return _TRIALS if is_quick or not task.decisions else _TRIALS_BELOW


def _packed(state: NodeState) -> NodeState:
    """Return the state for children, in single precision: a tree keeps many of them."""
    return NodeState(state.blocks, state.relaxation, state.at.packed())


def _rounded(report: Report, task: Task, state: NodeState, trials: int = 0) -> Report:
    labels = ipc_kmeans(
        with_weight(state.blocks),
        state.relaxation,
        state.at.Y,
        task.seed,
        trials,
        task.stop,
        _starts_by_size(state, task.seed),
    )
    return report if labels is None else replace(report, labels=labels, source="ipc-kmeans")


def _starts_by_size(state: NodeState, seed: int) -> list[FloatArray]:
    """Return first centres from the matrices of the sizes; none without a `LiftedIterate`."""
    if not isinstance(state.at, LiftedIterate):
        return []
    assert state.blocks.sizes is not None
    by_size = class_centers(state.relaxation, state.at, seed)
    centers = np.empty_like(by_size)
    centers[np.argsort(state.blocks.sizes.lower, kind="stable")] = by_size
    return [centers]


def _cut(settings: NodeSettings, task: Task, state: NodeState) -> tuple[NodeState, Event]:
    at, new, dropped = renew_cuts(settings.rounds, state.relaxation, state.at)
    event = CutsAdded(
        node=task.node,
        round=at.rounds,
        lower_bound=state.bounds[-1],
        **new.counts(),
        dropped=dropped,
        active=at.cut_count - len(new),
        separator=_separator(state.blocks, new),
    )
    return replace(state, at=at), event


def _separator(blocks: Blocks, new: Cuts) -> tuple[int, ...]:
    """Return the points of the deepest separator: one on each side, the set's between them."""
    of_kind = new.points[new.kind == SEPARATOR]
    if not len(of_kind):
        return ()
    first, last, *between = of_kind[0][of_kind[0] >= 0].tolist()
    points = [int(each) for block in between if block != last for each in blocks.members(block)]
    return (int(blocks.members(first)[0]), *points, int(blocks.members(last)[-1]))


def _shown(settings: NodeSettings, task: Task, state: NodeState) -> tuple[Event, ...]:
    if not settings.show_relaxation:
        return ()
    Z = np.pad(state.relaxation.to_z(state.at.Y), (0, state.blocks.s - state.relaxation.s))
    return (RelaxationSolved(node=task.node, Z=Z, block_of=state.blocks.block_of),)
