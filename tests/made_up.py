"""Runs made by hand, which wait for no solver; what others leave; and problems hard to solve."""

import heapq
from itertools import count

import numpy as np

from ccviz import Partition, Problem, start
from ccviz.events import (
    BoundImproved,
    CutsAdded,
    Finished,
    IncumbentFound,
    NodeBounded,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Record,
    Started,
)
from ccviz.runs.run import Run

N, K = 40, 3
LABELS = np.arange(N) % K


def forty_points():
    """Return a problem: forty points around three places, by turns as in LABELS."""
    rng = np.random.default_rng(0)
    at = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])
    return Problem(at[LABELS] + rng.normal(scale=0.8, size=(N, 2)), K)


def stamped(problem, events):
    """Return events as the records of a run, ten milliseconds apart."""
    began = Started(
        solver="made up", settings={}, seed=0, n=problem.n, d=2, k=problem.k, n_blocks=problem.n
    )
    events = [began, *events, Finished(termination="proved")]
    return [Record(seq, 0.01 * seq, event) for seq, event in enumerate(events)]


def events_of(problem, solver, **settings):
    """Return the events of a run."""
    return [record.event for record in start(problem, solver, **settings)]


def played(problem, records):
    """Return a run that has taken records."""
    run = Run(problem)
    for record in records:
        run.apply(record)
    return run


def tree_events(problem, nodes, seed):
    """Yield the events of a best-first search of about a number of nodes."""
    rng = np.random.default_rng(seed)
    best = Partition(problem, LABELS).wcss
    numbers, heap = count(1), [(0.8 * best, 0, 0)]
    yield NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0)
    yield CutsAdded(
        node=0, round=1, lower_bound=0.8 * best, pair=2, triangle=40, clique=1, dropped=0, active=9
    )
    yield IncumbentFound(labels=LABELS)
    yield NodeBounded(node=0, lower_bound=0.8 * best)
    opened = 1
    while heap:
        bound, node, depth = heapq.heappop(heap)
        if opened + 2 > nodes or bound >= best:
            yield NodePruned(
                node=node, reason="bound", lower_bound=max(bound, best), detail="Done."
            )
        elif rng.random() < 0.05 and node:
            yield NodePruned(node=node, reason="infeasible", lower_bound=np.inf)
        else:
            pair = tuple(sorted(rng.choice(N, 2, replace=False).tolist()))
            yield NodeBranched(node=node, pair=pair, lower_bound=bound)
            for together in (True, False):
                child, opened = next(numbers), opened + 1
                raised = bound + best * 0.004 * rng.exponential()
                yield NodeOpened(
                    node=child, parent=node, depth=depth + 1, lower_bound=bound,
                    pair=pair, together=together,
                )  # fmt: skip
                yield NodeBounded(node=child, lower_bound=raised)
                heapq.heappush(heap, (raised, child, depth + 1))
            yield BoundImproved(lower_bound=heap[0][0])


def place_events():
    """Yield the events of a search that decides on a place, on a pair and on a place again.

    Each taken or together child is branched, the other one is closed.
    """
    yield NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0)
    yield IncumbentFound(labels=LABELS)
    parent = 0
    for depth, (pair, place) in enumerate((((5, 8), True), ((1, 2), False), ((7, 3), True)), 1):
        yield NodeBranched(node=parent, pair=pair, lower_bound=depth, place=place)
        for number, together in ((2 * depth - 1, True), (2 * depth, False)):
            yield NodeOpened(
                node=number, parent=parent, depth=depth, lower_bound=depth,
                pair=pair, together=together, place=place,
            )  # fmt: skip
        yield NodePruned(node=2 * depth, reason="infeasible", lower_bound=np.inf)
        parent = 2 * depth - 1


def noisy_problem(seed, n=24, k=3, links=30, hard=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    pairs = np.sort(rng.permuted(np.tile(np.arange(n), (links, 1)), axis=1)[:, :2], axis=1)
    weights = np.where(np.arange(links) < hard, np.inf, rng.uniform(0.1, 2.0, links))
    given = np.column_stack([pairs, weights])
    return Problem(X, k, must_link=given[1::2], cannot_link=given[::2])


def contradictory_problem():
    """Return a problem whose assignments HiGHS does not end: a dense net of contradicting links."""
    return noisy_problem(0, n=300, k=4, links=3000)
