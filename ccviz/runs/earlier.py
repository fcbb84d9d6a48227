"""What an earlier run leaves to a new one: a clustering, and a proof that still holds.

A constraint that is added leaves fewer clusterings. So every lower bound of the problem without it
holds with it, and so does every certificate; and if the best clustering keeps what was added, it
is the best one still. A constraint that is taken away leaves the clustering, and not the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from msgspec.structs import replace as replace_event

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError
from ccviz.events import (
    Event,
    IncumbentFound,
    Noted,
    PartBounded,
    PartsCut,
    ProofEvent,
    ProofKept,
    Started,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import is_within, keys
from ccviz.problem.sizes import Sizes
from ccviz.runs.archive import Archive
from ccviz.runs.kept_tree import Earlier, goes_on, kept_tree, summary
from ccviz.runs.run import Result, Run
from ccviz.solvers.base import Solver

# --- The parts of an earlier run of `divide`, for a run that goes on with them after an edit ------
#
# The cut stays: a block that a link joins to another one goes to that one's part. Each part is a
# problem of its own, over its blocks and the shared ones. So the bound of a part, or of merged
# parts, holds as it did unless its blocks have changed or a cannot-link among them was taken away.
# Sizes and limits on sums are in no bound. The other parts are bounded again.


Events = tuple[Event, ...]

_SHARED = -1
_LEAST = 0.5
"""Least share of the bounds that must hold; with less a new cut saves more time than it takes."""


def kept_parts(problem: Problem, solver: Solver, earlier: Earlier, bound: float) -> Events:
    """Return the events that a run begins with if the parts of an earlier one go on in it.

    `bound`: What the earlier run proved, if that holds for the new problem, otherwise -inf.
    Returns: The cut, the bounds that still hold, and a sentence; none if too few hold.
    """
    run = earlier.run
    is_same = run.started is not None and run.started.solver == solver.name == "divide"
    cut, bounds = _newest(earlier.events)
    if not is_same or cut is None or run.tree or not problem.masses.all():
        return ()
    if problem.is_soft or run.problem.is_soft:
        return ()
    old, new = contract(run.problem), contract(problem)
    part_of = _moved(cut.part_of, new.block_of)
    edit = _Edit(old, new, cut.part_of, part_of)
    held = [event for event in bounds if edit.holds(event)]
    stays, before = (sum(each.lower_bound for each in some) for some in (held, bounds))
    if stays < _LEAST * before or not held:
        return ()
    text = f"The parts go on: {len(held):,} of {len(bounds):,} bounds hold."
    ends = part_of[np.unique(new.block_of, return_index=True)[1]][new.conflicts]
    # The conflicts between two parts, which count for no bound.
    dropped = (ends != _SHARED).all(axis=1) & (ends[:, 0] != ends[:, 1])
    parts = PartsCut(parts=cut.parts, part_of=part_of, dropped=int(dropped.sum()))
    open_ones = [event for event in bounds if event.merged and not edit.holds(event)]
    # These parts stay merged, with no bound.
    void = [
        replace_event(each, lower_bound=0.0, rounds=0, certificate={}, leaves=())
        for each in open_ones
    ]
    events = (parts, *held, *void, Noted(text=text))
    again = len(bounds) - len(held)
    return summary(earlier, bound, len(bounds), again, len(events)), *events


def _newest(events: Iterable[Event]) -> tuple[PartsCut | None, list[PartBounded]]:
    """Return the last cut, and the last bound of each of its parts or merged parts."""
    cut: PartsCut | None = None
    bounds: list[PartBounded] = []
    for event in events:
        match event:
            case PartsCut():
                cut, bounds = event, []
            case PartBounded():
                taken = set(event.group)
                bounds = [each for each in bounds if not taken & set(each.group)] + [event]
    return cut, bounds


def _moved(part_of: IntArray, block_of: IntArray) -> IntArray:
    """Return the part of each point (n,): all points of a block go to that of its first one.

    A block with a shared point is shared.
    """
    first = np.unique(block_of, return_index=True)[1]
    of_block = part_of[first].astype(np.int64)
    of_block[block_of[part_of == _SHARED]] = _SHARED
    return of_block[block_of]


@dataclass(frozen=True, eq=False)
class _Edit:
    """Two problems' blocks and parts."""

    old: Blocks
    new: Blocks
    before: IntArray  # before, after, (n,): The part of each point
    after: IntArray

    def holds(self, event: PartBounded) -> bool:
        """Whether a bound holds as it did."""
        group = [*event.group, _SHARED]
        inside = np.isin(self.before, group)
        if not np.array_equal(inside, np.isin(self.after, group)):
            return False
        if not np.array_equal(self._numbered(self.old, inside), self._numbered(self.new, inside)):
            return False
        if not np.array_equal(self.before[inside] == _SHARED, self.after[inside] == _SHARED):
            return False
        old, new = (self._conflicts(blocks, inside) for blocks in (self.old, self.new))
        # The leaves of a part that was branched may contradict a link that was added.
        return np.array_equal(old, new) if event.leaves else bool(np.isin(old, new).all())

    def _numbered(self, blocks: Blocks, inside: np.ndarray) -> IntArray:
        """Return the number of each point's block among those of the part, in their order."""
        return np.unique(blocks.block_of[inside], return_inverse=True)[1]

    def _conflicts(self, blocks: Blocks, inside: np.ndarray) -> IntArray:
        """Return the conflicts between blocks of the part, a number for each."""
        place = np.full(blocks.s, -1)
        used = np.unique(blocks.block_of[inside])
        place[used] = np.arange(len(used))
        pairs = np.sort(place[blocks.conflicts].reshape(-1, 2), axis=1)
        return np.unique(keys(pairs[(pairs >= 0).all(axis=1)], len(self.before)))


_PROOF = get_args(ProofEvent)
PROVERS = ("sdp", "colgen", "divide")
"""Solvers whose proofs `ccviz verify` can check."""


@dataclass(frozen=True, eq=False)
class Start:
    """What a run begins with."""

    labels: IntArray | None = None  # (n,): A clustering that keeps every hard constraint
    proof: ProofKept | None = None
    tree: tuple[Event, ...] = ()  # A tree that goes on, or the parts of a divided run

    def events(self) -> Iterable[Event]:
        """Yield the events that a run begins with.

        The clustering comes first: leaves of the tree are closed by it, and a run that was stopped
        before it had the whole tree would not find it again.
        """
        if self.labels is not None:
            yield IncumbentFound(labels=self.labels, source="start")
        yield from self.tree
        if self.proof is not None:
            yield self.proof


Given = Start | Earlier | Result | Run | Sequence[int] | IntArray
"""What a run may be started from."""

NOTHING = Start()
"""A run that begins with nothing."""


def stored_run(archive: Archive, run_id: str) -> Earlier:
    """Return a stored run to start from."""
    records = archive.records(run_id, kinds=[kind.__name__ for kind in _PROOF])
    return Earlier(archive.load(run_id), tuple(each.event for each in records), run_id)


def start_from(problem: Problem, solver: Solver, given: Given) -> Start:
    """Return what a run of a problem may begin with.

    `given` (n,): An earlier run with the same points and k, or labels. Only a `Result` whose
    records were kept leaves its proof. Raises `CcvizError` if the labels are not a cluster for each
    point, or the earlier run had other points or another k.
    """
    if isinstance(given, Start):
        return given
    if isinstance(given, Result):
        given = Earlier(given.run, tuple(each.event for each in given.records()))
    if isinstance(given, Run):
        given = Earlier(given)
    if isinstance(given, Earlier):
        return _start_from_run(problem, solver, given)
    try:
        labels = np.asarray(given, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError("the labels to start from are no whole numbers, one a point.") from None
    return Start(_feasible(problem, labels))


def _start_from_run(problem: Problem, solver: Solver, earlier: Earlier) -> Start:
    run, events = earlier.run, earlier.events
    if not same_points(problem, run.problem):
        raise ProblemError("the run to start from has other points, other weights or another k.")
    labels = None if run.incumbent is None else run.incumbent.labels
    found = None if labels is None else _feasible(problem, labels)
    if any(each.fixed and each.limits_sizes for each in (problem, run.problem)):
        return Start(found)  # prices of given centres prove the bounds of their problem alone
    if goes_on(problem, solver, earlier):
        objective = math.inf if found is None else Partition(problem, found).objective
        bound = run.lower_bound if tightens(run.problem, problem) else -math.inf
        return Start(found, None, kept_tree(problem, solver, earlier, objective, bound))
    proof = kept_proof(problem, run, events)
    if found is None:
        return Start(None, proof)
    bound = -math.inf if proof is None else proof.lower_bound
    return Start(found, proof, kept_parts(problem, solver, earlier, bound))


def _feasible(problem: Problem, labels: IntArray) -> IntArray | None:
    """Return labels that keep every hard constraint: these, or these repaired, or None."""
    if Partition(problem, labels).violations.none_hard:
        return labels
    if problem.rules or problem.is_soft or problem.neighbors is not None or problem.fixed:
        return None
    # Imported here: compiled code is not for the process that only draws.
    from ccviz.solvers.sdp.rounding import repaired

    return repaired(problem, labels)


def kept_proof(problem: Problem, run: Run, events: Iterable[Event]) -> ProofKept | None:
    """Return the proof of an earlier run as a proof for a problem; None where there is none."""
    before, kept = run.problem, run.kept
    # The bounds of parts add up whenever a run ends.
    is_done = run.termination in ("proved", "gap") or (run.parts and not run.tree)
    if not is_done or before.rules or before.neighbors is not None:
        return None
    if not tightens(before, problem):
        return None
    if before.is_soft or problem.is_soft:
        return None
    own = tuple(each for each in events if isinstance(each, _PROOF))
    if not _is_proof(own, kept):
        return None
    if kept is not None and kept.lower_bound >= run.lower_bound:
        own, hard = kept.events, (kept.must_link, kept.cannot_link)
        sizes = None if kept.lower is None or kept.upper is None else Sizes(kept.lower, kept.upper)
    else:
        hard = (before.must_link.hard.pairs, before.cannot_link.hard.pairs)
        sizes = before.sizes
    n, now = problem.n, (problem.must_link.hard.pairs, problem.cannot_link.hard.pairs)
    pairs = zip(now, hard, strict=True)
    return ProofKept(
        lower_bound=run.lower_bound,
        must_link=hard[0],
        cannot_link=hard[1],
        lower=None if sizes is None else sizes.lower,
        upper=None if sizes is None else sizes.upper,
        added=sum(len(np.setdiff1d(keys(new, n), keys(old, n))) for new, old in pairs),
        events=own,
    )


def _is_proof(own: tuple[ProofEvent, ...], kept: ProofKept | None) -> bool:
    """Return whether the events hold a proof, or lean on one that was kept."""
    started = next((each for each in own if isinstance(each, Started)), None)
    return started is not None and started.solver in PROVERS and (len(own) > 1 or kept is not None)


def same_points(one: Problem, other: Problem) -> bool:
    """Return whether two problems have the same points, weights and k."""
    if one.k != other.k or one.X.shape != other.X.shape:
        return False
    if not np.array_equal(one.masses, other.masses):
        return False
    return one.X is other.X or bool((one.widened().X == other.widened().X).all())


def tightens(before: Problem, after: Problem) -> bool:
    """Return whether every clustering of a problem was one of another, and cost no more there."""
    for old, new in (before.must_link, after.must_link), (before.cannot_link, after.cannot_link):
        if not _outweighs(new, old, after.n):
            return False
    if any(all(rule is not other for other in after.rules) for rule in before.rules):
        return False
    if before.neighbors is not None:
        if after.neighbors is None:
            return False
        now, known = (keys(each.pairs, each.n) for each in (after.neighbors, before.neighbors))
        if not np.isin(now, known).all():
            return False
    return is_within(after.sizes, before.sizes)


def _outweighs(new: Links, old: Links, n: int) -> bool:
    """Return whether all links are among others, with weights that are not larger there."""
    mine, theirs = keys(old.pairs, n), keys(new.pairs, n)
    if not np.isin(mine, theirs).all():
        return False
    return bool((new.weights[np.searchsorted(theirs, mine)] >= old.weights).all())
