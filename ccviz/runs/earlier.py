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

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError
from ccviz.events import Event, IncumbentFound, ProofEvent, ProofKept, Started
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import is_within, keys
from ccviz.problem.sizes import Sizes
from ccviz.runs.archive import Archive
from ccviz.runs.kept_parts import kept_parts
from ccviz.runs.kept_tree import Earlier, goes_on, kept_tree
from ccviz.runs.run import Result, Run
from ccviz.solvers.base import Solver

_PROOF = get_args(ProofEvent)
_PROVERS = ("sdp", "colgen", "divide")


@dataclass(frozen=True, eq=False)
class Start:
    """What a run begins with.

    Attributes
    ----------
    labels : (n,) int64 or None
        A clustering that keeps every hard constraint.
    proof : ProofKept or None
        A lower bound with its proof.
    tree : tuple of Event
        A tree that goes on, or the parts of a divided run.
    """

    labels: IntArray | None = None
    proof: ProofKept | None = None
    tree: tuple[Event, ...] = ()

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
    """Return a stored run to start from.

    Parameters
    ----------
    archive : Archive
    run_id : str

    Raises
    ------
    ArchiveError
        If there is no such run.
    """
    records = archive.records(run_id, kinds=[kind.__name__ for kind in _PROOF])
    return Earlier(archive.load(run_id), tuple(each.event for each in records), run_id)


def start_from(problem: Problem, solver: Solver, given: Given) -> Start:
    """Return what a run of a problem may begin with.

    Parameters
    ----------
    problem : Problem
        Of the new run.
    solver : Solver
        Of the new run.
    given : Start, Earlier, Result, Run or (n,) int
        An earlier run with the same points and k, or labels. Only a `Result` whose records were
        kept leaves its proof.

    Raises
    ------
    CcvizError
        If the labels are not a cluster for each point, or the earlier run had other points or
        another k.
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
    if problem.rules or problem.is_soft:
        return None
    # Imported here: compiled code is not for the process that only draws.
    from ccviz.solvers.sdp.rounding import repaired

    return repaired(problem, labels)


def kept_proof(problem: Problem, run: Run, events: Iterable[Event]) -> ProofKept | None:
    """Return the proof of an earlier run as a proof for a problem; None where there is none.

    Parameters
    ----------
    problem : Problem
    run : Run
    events : iterable of Event
        Of the earlier run.
    """
    before, kept = run.problem, run.kept
    # The bounds of parts add up whenever a run ends.
    is_done = run.termination in ("proved", "gap") or (run.parts and not run.tree)
    if not is_done or before.rules or not tightens(before, problem):
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
    return ProofKept(
        lower_bound=run.lower_bound,
        must_link=hard[0],
        cannot_link=hard[1],
        lower=None if sizes is None else sizes.lower,
        upper=None if sizes is None else sizes.upper,
        added=_added(problem, hard),
        events=own,
    )


def _is_proof(own: tuple[ProofEvent, ...], kept: ProofKept | None) -> bool:
    """Return whether the events hold a proof, or lean on one that was kept."""
    started = next((each for each in own if isinstance(each, Started)), None)
    return started is not None and started.solver in _PROVERS and (len(own) > 1 or kept is not None)


def _added(problem: Problem, hard: tuple[IntArray, IntArray]) -> int:
    now = (problem.must_link.hard.pairs, problem.cannot_link.hard.pairs)
    n = problem.n
    pairs = zip(now, hard, strict=True)
    return sum(len(np.setdiff1d(keys(new, n), keys(old, n))) for new, old in pairs)


def same_points(one: Problem, other: Problem) -> bool:
    """Return whether two problems have the same points, weights and k.

    Parameters
    ----------
    one, other : Problem
    """
    if one.k != other.k or one.X.shape != other.X.shape:
        return False
    if not np.array_equal(one.masses, other.masses):
        return False
    return one.X is other.X or bool((one.widened().X == other.widened().X).all())


def tightens(before: Problem, after: Problem) -> bool:
    """Return whether every clustering of a problem was one of another, and cost no more there.

    Parameters
    ----------
    before, after : Problem
        With the same points and k.
    """
    for old, new in (before.must_link, after.must_link), (before.cannot_link, after.cannot_link):
        if not _outweighs(new, old, after.n):
            return False
    if any(all(rule is not other for other in after.rules) for rule in before.rules):
        return False
    return is_within(after.sizes, before.sizes)


def _outweighs(new: Links, old: Links, n: int) -> bool:
    """Return whether all links are among others, with weights that are not larger there."""
    mine, theirs = keys(old.pairs, n), keys(new.pairs, n)
    if not np.isin(mine, theirs).all():
        return False
    return bool((new.weights[np.searchsorted(theirs, mine)] >= old.weights).all())
