"""Checks of the leaves of a tree, one function a kind of proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ccviz.errors import CcvizError, ProblemError
from ccviz.events import ProofKept
from ccviz.problem.problem import Problem
from ccviz.problem.sums import ImpliedMax, ImpliedMin, MaxSum, MinSum, SumLimit
from ccviz.proof.blocks import PlainBlocks
from ccviz.proof.connection import are_joined
from ccviz.proof.reading import Clustering, FlawError, Leaf, Opened, Proof
from ccviz.proof.rounding import Unit, gamma, rescaled, scatter_above
from ccviz.proof.soft import penalty_above
from ccviz.proof.verdict import Budget

# --- A problem with fewer constraints, in which bounds and certificates are proved ----------------
# Every clustering that a problem allows is allowed with fewer constraints, and costs no more
# there. So a bound that is proved with fewer holds, and a leaf that is infeasible with fewer is.
# The solvers leave constraints out by code of their own; nothing of it is used here.


def as_bounded(problem: Problem) -> Problem:
    """Return the problem as bounds know it: of sums upper ones, and no sizes beside weights."""
    rules = tuple(
        rule for rule in problem.rules if isinstance(rule, MaxSum) or not isinstance(rule, SumLimit)
    )
    sizes = None if problem.weights is not None else problem.sizes
    if len(rules) == len(problem.rules) and sizes is problem.sizes:
        return problem
    return replace(problem, rules=rules, sizes=sizes)


def check_implied(problem: Problem) -> None:
    """Check that implied limits on sums follow from others: from a total that k clusters share."""
    sums = [rule for rule in problem.rules if isinstance(rule, SumLimit)]
    for rule in sums:
        if not isinstance(rule, ImpliedMax | ImpliedMin):
            continue
        total = sum(map(Fraction, rule.values))
        sign, kind = (1, MinSum) if isinstance(rule, ImpliedMax) else (-1, MaxSum)
        follows = (
            sign * (total - (problem.k - 1) * Fraction(other.limit) - Fraction(rule.limit)) <= 0
            for other in sums
            if type(other) is kind and other.values == rule.values
        )
        if problem.outliers or not any(follows):
            raise FlawError("a limit on sums does not follow from the others")


def has_only_sums(problem: Problem) -> bool:
    """Return whether all rules of a problem are limits on sums."""
    return all(isinstance(rule, SumLimit) for rule in problem.rules)


def without_lacking(problem: Problem, certificate: dict[str, np.ndarray]) -> Problem:
    """Return the problem without what a certificate says that it was made without.

    `certificate`: ``without_must`` and ``without_cannot``, (m, 2) links of the problem;
    ``with_sizes``, (2, k) sizes that the problem's are within, or (0, k) for none. Raises
    `FlawError` if the problem lacks such links, or its sizes are not within those.
    """
    changed: dict[str, object] = {}
    for kind in ("must", "cannot"):
        if f"without_{kind}" in certificate:
            links = getattr(problem, f"{kind}_link")
            out = set(map(tuple, certificate[f"without_{kind}"].tolist()))
            pairs = list(map(tuple, links.pairs.tolist()))
            if not out <= set(pairs):
                raise FlawError("is made without what is not there: links of another problem")
            stays = np.array([pair not in out for pair in pairs], dtype=bool)
            changed[f"{kind}_link"] = type(links)(links.pairs[stays], links.weights[stays])
    if "with_sizes" in certificate:
        changed["sizes"] = _wider(problem, certificate["with_sizes"])
    try:
        return replace(problem, asked=None, **changed) if changed else problem  # type: ignore[arg-type]
    except CcvizError as wrong:
        raise FlawError(f"is made for no problem: {wrong}") from None


def _wider(problem: Problem, table: np.ndarray) -> object:
    now = problem.sizes
    if now is None or table.shape not in {(0, problem.k), (2, problem.k)}:
        raise FlawError("is made with sizes that do not fit the problem's")
    if not len(table):
        return None
    if (table[0] > now.lower).any() or (table[1] < now.upper).any():
        raise FlawError("is made with sizes that the problem's are not within")
    return type(now)(*table)


# --- A check under way, and the comparison of what a run claims with what is recomputed -----------


_AGREE = 1e-8  # largest relative difference by rounding between a claim and its recomputation


@dataclass(eq=False)
class Check:
    """A check under way."""

    problem: Problem
    proof: Proof
    unit: Unit
    budget: Budget  # Work that searches may still take
    upper_bound: float = math.inf  # What the best clustering costs
    enough: float = -math.inf  # Bounds from here on suffice for the gap
    trusted: int = 0  # Leaves whose search was longer than the budget allows

    @cached_property
    def bounded(self) -> Problem:
        """The problem as bounds know it."""
        return as_bounded(self.problem)


def compare(check: Check, claimed: float, bound: float) -> None:
    """Raise a `FlawError` if a claimed bound is not the one that is proved."""
    if not agree(check, claimed, bound):
        raise FlawError(
            f"claims the bound {check.unit.back(claimed):.9g}, "
            f"but its certificate proves {check.unit.back(bound):.9g}"
        )


def agree(check: Check, claimed: float, found: float) -> bool:
    """Whether a claim agrees with the recomputed value up to rounding.

    No accepted bound depends on this: it finds runs that claim more than they prove.
    """
    plain = float(((4.0 * np.finfo(float).eps * check.unit.X) ** 2).sum())
    size = max(abs(found), check.unit.norm**2)
    return abs(found - claimed) <= _AGREE * size + check.unit.scaled(plain)


# --- Upper bound on a clustering's cost, and the check that it keeps every hard constraint --------


def check_clustering(problem: Problem, unit: Unit, found: Clustering) -> float:
    """Return an upper bound on the cost of a clustering, once its hard constraints hold.

    Raises `FlawError` if it breaks a hard link, a size or a rule, or a cluster falls apart.
    """
    labels = found.labels
    for links, together in ((problem.must_link.hard, True), (problem.cannot_link.hard, False)):
        i, j = links.pairs[:, 0], links.pairs[:, 1]
        broken = (labels[i] == labels[j]) != together
        if broken.any():
            at = int(np.flatnonzero(broken)[0])
            raise FlawError(f"a clustering breaks the link {i[at]}-{j[at]}")
    weight = np.bincount(labels, problem.masses, problem.k)
    if not (weight > 0.0).all():
        raise FlawError("a clustering has a cluster without weight")
    if problem.sizes is not None:
        of_points, of_centers = np.split(labels, [problem.n_points])
        size = np.bincount(of_points, minlength=problem.k)
        wrong = (size < problem.sizes.lower) | (size > problem.sizes.upper)
        if wrong.any() or (of_centers != np.arange(problem.fixed)).any():
            raise FlawError("a clustering breaks the sizes")
    clusters = [np.flatnonzero(labels == c) for c in range(problem.k)]
    if not keeps_rules(problem, clusters):
        raise FlawError("a clustering breaks a rule")
    if not are_joined(problem, clusters):
        raise FlawError("a clustering has a cluster that falls apart")
    squares = scatter_above(unit, labels, weight)
    penalty = penalty_above(problem, unit, labels)
    return squares if penalty == 0.0 else (squares + penalty) * (1.0 + gamma(2))


def keeps_rules(problem: Problem, clusters: list[np.ndarray]) -> bool:
    """Whether every cluster, given by its points, keeps every rule."""
    try:
        return all(rule.allows(problem, each) for rule in problem.rules for each in clusters)
    except ProblemError as wrong:
        raise FlawError(str(wrong).removesuffix(".")) from None


# --- Prices of clusters whose centres are all given, a transportation problem ---------------------


def priced_bound(check: Check, blocks: PlainBlocks, leaf: Leaf) -> tuple[float, float]:
    """Return what clusterings cost at least by the prices of the clusters, and at most.

    Raises `FlawError` if not all centres are given, or there are no sizes.
    """
    problem, k = check.problem, check.problem.k
    if problem.sizes is None or problem.fixed < k or leaf.certificate["prices"].shape != (k,):
        raise FlawError("has prices of other clusters")
    exponent = 2 * check.unit.exponent
    price = rescaled(leaf.certificate["prices"], exponent)
    A, centers = np.split(check.unit.A, [problem.n_points])
    costs = np.stack([((A - center) ** 2).sum(axis=1) for center in centers], axis=1)
    own, of = np.split(blocks.block_of, [problem.n_points])[::-1]
    total = np.zeros((len(blocks.mass), k))
    np.add.at(total, of, costs)
    apart = blocks.conflict[:, own]
    apart[own] = ~np.eye(k, dtype=bool)
    paid = total - blocks.count[:, None] * price
    pairs, charge = _apart_prices(leaf, blocks, k, exponent)
    for side in pairs.T:
        np.add.at(paid, side, charge)
    paid[apart] = np.inf
    sizes = problem.sizes
    if np.isinf(paid.min(axis=1)).any():
        return math.inf, 0.0  # a block may have no centre
    bound = paid.min(axis=1).sum() + np.minimum(price * sizes.lower, price * sizes.upper).sum()
    bound -= charge.sum()
    most = float(costs.max(axis=1).sum())
    size = most + np.abs(price).max() * (problem.n + float(sizes.upper.sum())) + 3 * charge.sum()
    bound -= gamma(4 * problem.n + A.shape[1] + 2 * charge.size + 16) * size
    # Heavy points move a little towards their clusters, which is less by that share.
    heavy = problem.masses[-1]
    bound *= heavy / (heavy + min(problem.n_points, float(sizes.upper.max()))) * (1.0 - gamma(4))
    root = max(0.0, math.sqrt(max(0.0, bound)) * (1.0 - gamma(4)) - check.unit.error)
    return root * root * (1.0 - gamma(4)), most * (1.0 + gamma(problem.n + A.shape[1] + 8))


def _apart_prices(
    leaf: Leaf, blocks: PlainBlocks, k: int, exponent: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (p, 2) pairs of blocks in conflict, and what each costs at each centre."""
    if "apart_pairs" not in leaf.certificate:
        return np.zeros((0, 2), dtype=np.int64), np.zeros((0, k))
    leaf.require("apart_prices")
    pairs = leaf.certificate["apart_pairs"]
    charge = rescaled(leaf.certificate["apart_prices"], exponent)
    right = charge.shape == (len(pairs), k) and pairs.shape[1] == 2 and (charge >= 0.0).all()
    if not right or ((pairs < 0) | (pairs >= len(blocks.mass))).any():
        raise FlawError("has prices of pairs that are none")
    if not blocks.conflict[pairs[:, 0], pairs[:, 1]].all():
        raise FlawError("has prices of pairs that may be together")
    return pairs, charge


# --- Exhaustive search for a colouring with k colours, in plain Python ----------------------------


_LOOKS = 2000  # fixed work of a step, in elements visited


def colourable(conflict: np.ndarray, k: int, budget: Budget) -> bool | None:
    """Whether k colours suffice; None if the budget runs out.

    `conflict` (s, s): Symmetric, empty diagonal.
    """
    s = len(conflict)
    degree = conflict.sum(axis=1)
    taken = np.zeros((s, k), dtype=np.int64)  # neighbours of each vertex in each colour
    colour = np.full(s, -1)
    path: list[tuple[int, int, int]] = []  # vertex, next colour to try, colours in use before it
    vertex, first, used = _next(colour, taken, degree), 0, 0
    while True:
        if vertex < 0:
            return True
        if not budget.spend(_LOOKS + s * k):
            return None
        free = [c for c in range(first, min(used + 1, k)) if taken[vertex, c] == 0]
        if free:  # unused colours are interchangeable: only the first of them is tried
            colour[vertex] = free[0]
            taken[conflict[vertex], free[0]] += 1
            path.append((vertex, free[0], used))
            used = max(used, free[0] + 1)
            vertex, first = _next(colour, taken, degree), 0
        elif not path:
            return False
        else:
            vertex, last, used = path.pop()
            colour[vertex] = -1
            taken[conflict[vertex], last] -= 1
            first = last + 1


def _next(colour: np.ndarray, taken: np.ndarray, degree: np.ndarray) -> int:
    """Return the vertex with the most colours around it, -1 if all have one."""
    waiting = np.flatnonzero(colour < 0)
    if len(waiting) == 0:
        return -1
    saturation = (taken[waiting] > 0).sum(axis=1)
    return int(waiting[np.lexsort((degree[waiting], saturation))[-1]])


def is_clique(witness: np.ndarray | None, blocks: PlainBlocks, k: int) -> bool:
    """Whether the witness's blocks all exclude each other, and are more than the clusters."""
    if witness is None:
        return False
    clique = np.unique(blocks.block_of[witness])
    inside = blocks.conflict[np.ix_(clique, clique)]
    return len(clique) > k and int(inside.sum()) == len(clique) * (len(clique) - 1)


# --- Check that the tree covers the problem: every clustering belongs to one of its leaves --------


def check_cover(proof: Proof) -> None:
    """Check that the leaves cover the root's problem.

    One root without decisions; every branched node has two children that put the same pair
    together and keep it apart, or have the same disc occupied and empty; every other node is a
    closed leaf.
    """
    roots = [node for node, opened in proof.opened.items() if opened.parent is None]
    if len(roots) != 1 or proof.opened[roots[0]].pair is not None:
        raise FlawError("the tree has no single root")
    children: dict[int, list[Opened]] = {node: [] for node in proof.opened}
    for node, opened in proof.opened.items():
        if opened.parent is not None:
            if opened.parent not in children or opened.parent >= node:
                raise FlawError(f"node {node} has no parent before it")
            children[opened.parent].append(opened)
    for node in proof.opened:
        _check_branches(node, proof, children[node])
    if strange := (set(proof.leaves) | set(proof.branched)) - set(proof.opened):
        raise FlawError(f"node {min(strange)} is closed but was never opened")


def _check_branches(node: int, proof: Proof, children: list[Opened]) -> None:
    about = proof.branched.get(node)
    if about is None and node not in proof.leaves:
        raise FlawError(f"node {node} is still open")
    if about is None:
        if children:
            raise FlawError(f"node {node} has children but was not branched")
        return
    if node in proof.leaves:
        raise FlawError(f"node {node} is both branched and closed")
    sides = sorted(child.together for child in children)
    if sides != [False, True] or any((child.pair, child.place) != about for child in children):
        raise FlawError(f"the children of node {node} do not cover it")


def links_at(problem: Problem, proof: Proof, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the must-links and cannot-links of a node: the problem's and its decisions."""
    together, apart = _decided(proof, node, place=False)
    must = np.concatenate([problem.must_link.hard.pairs, together])
    return must, np.concatenate([problem.cannot_link.hard.pairs, apart])


def places_at(proof: Proof, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the discs of a node, occupied and empty ones, from the root down.

    Returns `taken`, `empty` (t, 2): A disc's centre and a point on its border.
    """
    return _decided(proof, node, place=True)


def _decided(proof: Proof, node: int, place: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return (t, 2) the positive and (e, 2) the negative decisions, from the root down."""
    pairs: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for above in reversed(proof.path(node)):
        opened = proof.opened[above]
        if opened.pair is not None and opened.place == place:
            pairs[opened.together].append(opened.pair)
    yes, no = (np.array(pairs[side], dtype=np.int64).reshape(-1, 2) for side in (True, False))
    return yes, no


# --- A proof of an earlier run, made for a problem with fewer constraints or the same -------------
#
# More constraints leave fewer clusterings: a bound proved for all clusterings of the earlier
# problem holds for those of this one. The check: every constraint of the earlier problem is also
# one of this problem, or follows from its sizes; then the proof of the earlier problem is verified.


def earlier_problem(problem: Problem, kept: ProofKept) -> Problem:
    """Return the problem that a kept proof was made for."""
    links: dict[str, Any] = {}
    for name, now in (("must_link", problem.must_link), ("cannot_link", problem.cannot_link)):
        pairs = _pairs(getattr(kept, name))
        if set(map(tuple, pairs.tolist())) - set(map(tuple, now.hard.pairs.tolist())):
            raise FlawError("the proof that was kept uses links that the problem lacks")
        links[name] = pairs
    lower, upper = _sizes(kept, problem)
    try:
        return Problem(
            problem.X,
            problem.k,
            sizes=None if lower is None else (lower, upper),  # type: ignore[arg-type]
            rules=(),
            weights=problem.weights,
            **links,
        )
    except CcvizError as wrong:
        raise FlawError(f"the proof that was kept is of no problem: {wrong}") from None


def _pairs(value: Any) -> np.ndarray:
    is_table = isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim == 2
    if not is_table or (value.size and value.shape[1] != 2):
        raise FlawError("the proof that was kept has links that are no pairs of points")
    return np.sort(value.astype(np.int64).reshape(-1, 2), axis=1)


def _sizes(kept: ProofKept, problem: Problem) -> tuple[Any, Any]:
    if kept.lower is None and kept.upper is None:
        return None, None
    lower, upper, now = kept.lower, kept.upper, problem.sizes
    if lower is None or upper is None or {lower.shape, upper.shape} != {(problem.k,)}:
        raise FlawError("the proof that was kept has sizes that are not one for each cluster")
    if now is None or (lower > now.lower).any() or (upper < now.upper).any():
        raise FlawError("the proof that was kept uses sizes that the problem lacks")
    return lower, upper


# --- Exhaustive search for a clustering that keeps links and sizes, in plain Python ---------------


def packable(
    mass: np.ndarray, conflict: np.ndarray, lower: np.ndarray, upper: np.ndarray, budget: Budget
) -> bool | None:
    """Whether blocks fit into clusters of limited size; None if the budget runs out.

    Blocks are placed largest first, of equal ones those with most conflicts first. A branch ends
    if the unplaced blocks exceed the room left, or are too few for the lower limits.
    """
    order = np.lexsort((-conflict.sum(axis=1), -mass))
    mass, conflict = mass[order], conflict[np.ix_(order, order)]
    left = np.concatenate([np.cumsum(mass[::-1])[::-1], [0.0]])
    k, s = len(lower), len(mass)
    size = np.zeros(k)
    cluster = np.full(s, -1)
    tried = np.full(s + 1, -1)
    at = 0
    while at >= 0:
        if at == s:
            if (size >= lower).all():
                return True
            at -= 1
            continue
        if not budget.spend(_LOOKS + s + k):
            return None
        if cluster[at] >= 0:
            size[cluster[at]] -= mass[at]
            cluster[at] = -1
        place = _next_place(at, tried, size, cluster, mass, conflict, lower, upper)
        fits = place >= 0 and np.maximum(lower - size, 0).sum() <= left[at]
        if not fits or np.maximum(upper - size, 0).sum() < left[at]:
            tried[at] = -1
            at -= 1
            continue
        tried[at], cluster[at] = place, place
        size[place] += mass[at]
        at += 1
    return False


def _next_place(
    at: int,
    tried: np.ndarray,
    size: np.ndarray,
    cluster: np.ndarray,
    mass: np.ndarray,
    conflict: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> int:
    """Return the next cluster that may take a block, -1 if there is none.

    Of empty clusters with the same limits only the first is tried.
    """
    barred = set(cluster[:at][conflict[at, :at]].tolist())
    seen = {(int(lower[c]), int(upper[c])) for c in range(tried[at] + 1) if size[c] == 0.0}
    for c in range(tried[at] + 1, len(size)):
        limits = (int(lower[c]), int(upper[c]))
        if size[c] == 0.0 and limits in seen:
            continue
        if size[c] == 0.0:
            seen.add(limits)
        if c not in barred and size[c] + mass[at] <= upper[c]:
            return c
    return -1
