"""Small proofs of every kind that the format has: as solvers leave them, or made of those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from typing import Any

import msgspec
import numpy as np

from ccviz import Problem, solve, start
from ccviz.events import BoundImproved, Event, NodeBranched, NodeOpened, NodePruned
from ccviz.problem.rules import (
    Both,
    Either,
    MaxDiameter,
    MaxOverlap,
    MaxSize,
    MinDifference,
    SoftCannotLink,
)
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.verify import verify

SEMIDEFINITE = (
    "nonnegativity", "lifted", "owner", "points", "kind", "weights", "must_pairs", "must_prices",
    "cannot_rows", "cannot_members", "cannot_prices", "soft_pairs", "soft_prices",
)  # fmt: skip
RULES = (
    MaxDiameter(3.5),
    MinDifference((0, 1, 2), 7),
    Both((MaxSize(9), SoftCannotLink(((4, 5), (6, 7), (8, 9)), 1))),
    Either((MaxOverlap((0, 1, 2, 3), 2), MaxSize(6))),
)


@dataclass(frozen=True)
class Proof:
    """A finished run, and the gap within which it is one."""

    name: str
    kind: str
    problem: Problem
    events: list[Event]
    gap: float


@dataclass(frozen=True)
class Maker:
    """What makes a proof of a kind; the name says which it is."""

    kind: str
    seed: int

    @property
    def name(self) -> str:
        """The kind and the seed."""
        return f"{self.kind} {self.seed}"

    def __call__(self) -> Proof:
        return Proof(self.name, self.kind, *_KINDS[self.kind][0](self.seed))


def proofs() -> Iterator[Maker]:
    return (Maker(kind, seed) for kind, (_, count) in _KINDS.items() for seed in range(count))


def events_of(problem: Problem, solver: str, **settings: Any) -> list[Event]:
    if solver == "colgen":  # proofs by pricing, though the problems are small
        settings = {"listed": 0, **settings}
    return [record.event for record in start(problem, solver, **settings)]


def _drawn(seed: int, n: int, k: int, spread: float = 3.0) -> Problem:
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=n)
    X = spread * np.eye(3)[classes] + rng.normal(size=(n, 3))
    pairs = rng.integers(n, size=(int(rng.integers(2, 24)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


def _tree(solver: str, seed: int) -> tuple[Problem, list[Event], float]:
    rng = np.random.default_rng(100 + seed)
    spread = float(rng.choice([0.0, 1.0, 3.0]))
    problem = _drawn(seed, int(rng.integers(16, 32)), 2 + seed % 3, spread)
    return problem, events_of(problem, solver), 1e-4


def _duals(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a branched run of column generation with its duals alone."""
    rng = np.random.default_rng(seed)
    X, pairs = rng.normal(size=(30, 1 + seed % 2)), rng.choice(30, size=(60, 2))
    problem = Problem(X, 6, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])
    return problem, [*map(_bare, events_of(problem, "colgen"))], 1e-4


def _bare(event: Event) -> Event:
    """Return an event without its semidefinite certificate."""
    if not isinstance(event, NodePruned) or "duals" not in event.certificate:
        return event
    kept = {key: each for key, each in event.certificate.items() if key not in SEMIDEFINITE}
    return msgspec.structs.replace(event, certificate=kept)


def _ruled(seed: int) -> tuple[Problem, list[Event], float]:
    X = np.random.default_rng(2 + seed).normal(size=(18, 2))
    problem = Problem(X, 4, must_link=[(0, 1)], rules=(MaxSize(8), RULES[seed]))
    return problem, [*map(_bare, events_of(problem, "colgen"))], 1e-4


def _infeasible(seed: int) -> tuple[Problem, list[Event], float]:
    """Return no clustering: a clique, a wheel, an odd cycle, a rule."""
    X = np.random.default_rng(seed).normal(size=(9, 2))
    wheel = [(i, (i + 1) % 7) for i in range(7)] + [(i, 7) for i in range(7)]
    links = ([*combinations(range(4), 2)], wheel, [(0, 1), (1, 2), (0, 2)], [])[seed]
    rules = (MaxSize(4),) if seed == 3 else ()
    problem = Problem(X, 3 if seed < 2 else 2, cannot_link=links, rules=rules)
    return problem, events_of(problem, "colgen" if rules else "sdp"), 1e-4


def _flat(seed: int) -> tuple[Problem, list[Event], NodePruned]:
    """Return a run in the plane without links, its one leaf taken off."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [30.0, 1.0], [14.0, 20.0]])
    X = centers[np.arange(24) % 3] + rng.normal(size=(24, 2))
    problem = Problem(X, 5)
    events = [*map(_bare, events_of(problem, "colgen"))]
    (leaf,) = (event for event in events if isinstance(event, NodePruned))
    return problem, [e for e in events if not isinstance(e, NodePruned)], leaf


def _placed(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run whose root is branched on a place, and that on the empty side on another.

    The duals stay those of the root. The place has a small prize, which the least value pays for.
    """
    problem, events, leaf = _flat(seed)
    arrays, k = leaf.certificate, problem.k
    prize = 1e-4 * float(np.abs(arrays["least"][0]))
    places = [(0, 3), (1, 4)]
    told, bound, common = [], 0.0, {"depth": 1, "place": True, "lower_bound": 0.0}
    for node, parent, pair in ((1, 0, places[0]), (3, 2, places[1])):
        for child, together in ((node, True), (node + 1, False)):
            sides = {"node": child, "parent": parent, "pair": pair, "together": together}
            told.append(NodeOpened(**sides, **common))
    for node, taken in ((1, 1), (3, 1), (4, 0)):
        least = arrays["least"] - prize * taken
        scaled = 4.0 ** -float(arrays["unit"][0])
        shift = (taken * prize + k * (least - arrays["least"])[0]) * scaled
        bound = leaf.lower_bound + shift
        more = {"taken": np.full(taken, prize)} if taken else {}
        certificate = {**arrays, "least": least, **more, "node": np.array([node])}
        told.append(
            NodePruned(node=node, reason="bound", lower_bound=bound, certificate=certificate)
        )
    branched = [
        NodeBranched(node=node, pair=pair, lower_bound=0.0, place=True)
        for node, pair in ((0, places[0]), (2, places[1]))
    ]
    return problem, _before_the_end(events, [*branched, *told]), 5e-3


def _zoned(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run whose leaf has zones about two far groups, each of two cases."""
    problem, events, leaf = _flat(seed)
    arrays = leaf.certificate
    change = 1e-4 * float(np.abs(arrays["least"][0]))
    more = {
        "case_zone": np.array([0, 0, 1, 1]),
        "case_places": np.array([[0, 0, 3, 1], [1, 0, 3, 0], [2, 1, 4, 1], [3, 1, 4, 0]]),
        "case_prizes": np.array([change, 0.0, change, 0.0]),
        "case_blocks": np.array([[0, 0], [1, 0], [2, 1], [3, 1]]),
        "case_changes": np.array([-change, change, -change, change]),
        "least": arrays["least"] - 2.0 * change,
    }
    rise = min(0.0, change) * 2.0 - 2.0 * problem.k * change
    bound = leaf.lower_bound + rise * 4.0 ** -float(arrays["unit"][0])
    changed = msgspec.structs.replace(leaf, lower_bound=bound, certificate={**arrays, **more})
    return problem, _before_the_end(events, [changed]), 5e-3


def _before_the_end(events: list[Event], more: list[Event]) -> list[Event]:
    return [*events[:-1], *more, events[-1]]


def _divided(seed: int) -> tuple[Problem, list[Event], float]:
    problem = _drawn(seed, 150, 3, 6.0)
    return problem, events_of(problem, "divide", part_size=50), 5e-3


def _branched_parts(seed: int) -> tuple[Problem, list[Event], float]:
    """Return parts that were merged and branched, with a share of a point in each."""
    rng = np.random.default_rng(7 + seed)
    X, pairs = rng.normal(size=(60, 2)), rng.choice(60, size=(100, 2))
    X[0] = 9.0
    problem = Problem(X, 3, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])
    settings = {"part_size": 15, "largest_part": 29, "tolerance": 0.05}
    events = events_of(problem, "divide", **settings)
    verdict = verify(problem, events, 1.0)
    return problem, events, 1.05 * verdict.gap


def _sized(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run under sizes: equal ones, two classes of them, or ranges."""
    n, sizes = ((18, [6, 6, 6]), (16, [4, 4, 8]), (18, ([4, 5, 3], [9, 8, 7])))[seed % 3]
    drawn = _drawn(seed, n, 3, 1.5)
    problem = Problem(drawn.X, 3, cannot_link=[(0, 1)], must_link=[(2, 3)], sizes=sizes)
    return problem, [*map(_bare, events_of(problem, "sdp"))], 1e-4


_SIZES = (None, [4, 4, 4], [3, 3, 6], ([3, 4, 2], [6, 5, 4]))


def _softened(seed: int) -> Problem:
    """Draw a problem with soft links, hard ones among them, without sizes or under sizes."""
    rng = np.random.default_rng(200 + seed)
    classes = rng.integers(3, size=12)
    X = 1.5 * np.eye(3)[classes] + rng.normal(size=(12, 3))
    pairs = rng.permutation([*combinations(range(12), 2)])[:10]
    same = (classes[pairs[:, 0]] == classes[pairs[:, 1]]) ^ (rng.random(10) < 0.2)
    weighted = np.column_stack([pairs, np.round(rng.exponential(1.5, 10), 2) + 0.01])
    weighted[:2, 2] = np.inf
    sizes = _SIZES[seed % 4]
    return Problem(X, 3, must_link=weighted[same], cannot_link=weighted[~same], sizes=sizes)


def _soft(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run whose certificates have prices of soft links."""
    problem = _softened(seed)
    return problem, events_of(problem, "sdp"), 1e-4


def _classes(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run with duals alone under sizes or soft links; the last has no clustering."""
    if seed == 8:
        X = np.random.default_rng(0).normal(size=(9, 2))
        problem = Problem(X, 3, sizes=[3, 3, 3], rules=(MaxDiameter(1.0),))
    else:
        problem = _softened(seed)
    if seed in (5, 6, 7):
        problem = Problem(problem.X, 3, cannot_link=[(0, 1)], sizes=problem.sizes)
    return problem, [*map(_bare, events_of(problem, "colgen"))], 1e-4


def _weighted(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run with weights of points, some of them 0, of each solver."""
    rng = np.random.default_rng(300 + seed)
    if seed == 5:
        drawn = _drawn(seed, 150, 3, 6.0)
        weights = rng.integers(1, 4, 150)
        problem = Problem(drawn.X, 3, cannot_link=drawn.cannot_link, weights=weights)
        return problem, events_of(problem, "divide", part_size=50), 5e-3
    drawn = _softened(4 * seed)
    weights = np.where(rng.random(12) < 0.2, 0.0, rng.exponential(1.0, 12))
    links = {}
    for kind in ("must_link", "cannot_link"):
        table = getattr(drawn, kind)
        hard = np.full(len(table), np.inf)
        rows = np.column_stack([table.pairs, hard if seed % 2 else table.weights])
        links[kind] = rows[(weights[table.pairs] > 0.0).all(axis=1)]
    if seed % 2:
        links["must_link"] = links["must_link"][:1]
    problem = Problem(drawn.X, 3, weights=weights, **links)
    return problem, [*map(_bare, events_of(problem, "sdp" if seed < 2 else "colgen"))], 1e-4


def _weighted_rules(seed: int) -> tuple[Problem, list[Event], float]:
    """Return duals alone of points with weights under rules."""
    rng = np.random.default_rng(2 + seed)
    X, weights = rng.normal(size=(18, 2)), rng.exponential(1.0, 18) + 0.1
    problem = Problem(X, 4, must_link=[(0, 1)], rules=(MaxSize(8), RULES[seed]), weights=weights)
    return problem, [*map(_bare, events_of(problem, "colgen"))], 1e-4


def _two_sides(seed: int) -> tuple[Problem, list[Event], float]:
    """Return two clusters, where cannot-links make blocks of two sides: duals alone, or not."""
    drawn = _drawn(40 + seed, 24, 2, 1.0)
    problem = Problem(drawn.X, 2, cannot_link=[(0, 1), (1, 2), (3, 4), (5, 6)])
    events = events_of(problem, ("sdp", "colgen")[seed % 2])
    return problem, [*map(_bare, events)], 1e-4


def _unfillable(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run that proves that links and sizes leave no clustering."""
    X = np.random.default_rng(seed).normal(size=(9, 2))
    pairs = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)]
    problem = Problem(X, 3, must_link=pairs, sizes=[3, 3, 3])
    return problem, events_of(problem, "sdp"), 1e-4


def _kept(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run that keeps the proof of another with fewer constraints: a tree, or parts."""
    before = _drawn(seed, 150, 3, 6.0) if seed % 2 else _drawn(seed, 30, 3)
    solver, settings, gap = ("sdp", {}, 1e-4)
    if seed % 2:
        solver, settings, gap = ("divide", {"part_size": 50}, 5e-3)
    earlier = solve(before, solver, **settings)
    same = np.flatnonzero(earlier.labels == earlier.labels[0])
    must = [*map(tuple, before.must_link.pairs.tolist()), (int(same[0]), int(same[-1]))]
    counts = np.bincount(earlier.labels)
    sizes = (np.maximum(counts - 2, 1), counts + 2) if seed == 2 else None
    problem = Problem(
        before.X, 3, must_link=must, cannot_link=before.cannot_link.pairs, sizes=sizes
    )
    solver = "divide" if seed % 2 else "colgen"
    return problem, events_of(problem, solver, start=earlier, **settings), gap


def _kept_tree(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run that goes on with the tree of another, after a link is added and one removed."""
    before = _drawn(seed, 30, 3)
    earlier = solve(before, "sdp", cuts="none")
    other = np.flatnonzero(earlier.labels != earlier.labels[0])
    must = [*map(tuple, before.must_link.pairs.tolist()), (0, int(other[seed]))]
    sizes = ([1, 1, 1], [28, 28, 28]) if seed == 1 else None
    problem = Problem(before.X, 3, must, before.cannot_link.pairs[seed % 2 :], sizes=sizes)
    return problem, events_of(problem, "sdp", start=earlier, cuts="none"), 1e-4


def _summed(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run under limits on sums of a column: lower, upper or both; the last divided."""
    rng = np.random.default_rng(400 + seed)
    n, k = (150, 3) if seed == 6 else (9, 3)
    column = rng.integers(0, 9, n) / (1 + 9 * (seed % 2))
    share = column.sum() / k
    lower, upper = MinSum(tuple(column), 0.7 * share), MaxSum(tuple(column), 1.3 * share)
    rules = ((lower,), (upper,), (lower, upper))[seed % 3]
    if seed == 6:
        problem = Problem(_drawn(seed, n, k, 6.0).X, k, rules=rules)
        return problem, *_run(problem, "divide", 5e-3)
    links = {"cannot_link": [(0, 1)]} if seed % 2 else {"must_link": [(0, 1)]}
    problem = Problem(rng.normal(size=(n, 2)), k, rules=rules, **links)
    return problem, *_run(problem, "sdp" if seed < 3 else "colgen", 1e-4)


def _weights_and_sizes(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run under sizes of points with weights; the last divided."""
    rng = np.random.default_rng(500 + seed)
    n, k = (150, 3) if seed == 4 else (9, 3)
    X = _drawn(seed, n, k, 6.0).X if seed == 4 else rng.normal(size=(n, 2))
    sizes = ([n // k - 1] * k, [n // k + 1] * k) if seed % 2 else [n // k] * k
    links = {} if seed == 4 else {"cannot_link": [(0, 1)], "must_link": [(2, 3, 0.4)]}
    problem = Problem(X, k, sizes=sizes, weights=10.0 ** rng.uniform(-1, 1, n), **links)
    if seed == 4:
        return problem, *_run(problem, "divide", 0.03)
    return problem, *_run(problem, "sdp" if seed < 2 else "colgen", 1e-4)


def _run(problem: Problem, solver: str, gap: float) -> tuple[list[Event], float]:
    settings = {"part_size": 50} if solver == "divide" else {}
    return [*map(_bare, events_of(problem, solver, **settings))], gap


def _made_without(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run with leaves that were made without links, soft links or sizes that came later.

    Two points of different clusters that are near each other are must-linked in each edit.
    """
    X = np.random.default_rng(600 + seed).normal(size=(12 if seed < 4 else 16, 2))
    weight, must, cannot = (0.1,) if seed % 2 else (), [], [(0, 1), (2, 3)]
    problem = Problem(X, 3, must, cannot)
    result, settings = None, {"cuts": "none", "tolerance": 1e-6}
    for edit in range(2):
        result = solve(problem, "sdp", start=result, **settings)
        labels = result.labels
        free = [i for i in range(6, len(X)) if i not in {*chain(*must)}]
        apart = [(i, j) for i, j in combinations(free, 2) if labels[i] != labels[j]]
        near = min(apart, key=lambda pair: float(np.linalg.norm(X[pair[0]] - X[pair[1]])))
        must = [*must, (*near, *weight)]
        limits = (np.full(3, 2), np.full(3, len(X) - 4)) if edit and seed % 3 == 0 else None
        problem = Problem(X, 3, must, [*cannot, (4, 5)][: 2 + edit], sizes=limits)
    return problem, events_of(problem, "sdp", start=result, **settings), 1e-4


def _stopped(seed: int) -> tuple[Problem, list[Event], float]:
    """Return a run that was stopped, at its root or below it; the proof is within its own gap."""
    X = np.random.default_rng(700 + seed).normal(size=(9, 2))
    price = (0.5,) if seed % 3 == 1 else ()
    sizes = ([2] * 3, [5] * 3) if seed % 3 == 2 else None
    problem = Problem(X, 3, [(0, 1)], [(2, 3, *price), (4, 5, *price)], sizes=sizes)
    solver, settings = ("sdp", {"cuts": "none"}) if seed < 6 else ("colgen", {})
    stepper, events = start(problem, solver, tolerance=1e-9, **settings), []
    for record in stepper:
        events.append(record.event)
        if isinstance(record.event, (BoundImproved, NodeBranched)[seed % 2]):
            stepper.stop()
    return problem, events, 1.1 * stepper.result().gap + 1e-6


_KINDS = {
    "sdp": (partial(_tree, "sdp"), 8),
    "colgen": (partial(_tree, "colgen"), 6),
    "duals": (_duals, 4),
    "rules": (_ruled, 4),
    "infeasible": (_infeasible, 4),
    "places": (_placed, 4),
    "zones": (_zoned, 4),
    "divide": (_divided, 4),
    "sizes": (_sized, 6),
    "infeasible sizes": (_unfillable, 2),
    "soft links": (_soft, 8),
    "duals under sizes or soft links": (_classes, 9),
    "weights": (_weighted, 6),
    "weights under rules": (_weighted_rules, 4),
    "two sides": (_two_sides, 4),
    "kept": (_kept, 4),
    "kept tree": (_kept_tree, 3),
    "sums": (_summed, 7),
    "weights and sizes": (_weights_and_sizes, 5),
    "made without": (_made_without, 6),
    "tree of parts": (_branched_parts, 2),
    "stopped": (_stopped, 8),
}
