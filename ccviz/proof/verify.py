"""Check the proof of a finished exact run, with NumPy alone and none of the solver's code.

What is checked, in this order:

1. The tree covers the problem: one root without decisions; every branched node has two children
   that put the same pair together and keep it apart; every other node is a closed leaf.
2. Every infeasible leaf is infeasible: contradicting links, a clique, an odd cycle, or an
   exhaustive search of its own.
3. Every other leaf's bound is what its multipliers prove. For N >= 0 off the conflicts and cut
   weights w >= 0, with S = C - N - sum w A (Piccialli et al. 2022, eqs. 7 to 10, scaled by the
   block sizes; `docs` derive it), the sum of squares is at least

       constant + u'Su + (k - 1 smallest eigenvalues of S on the complement of u) + sum w b,

   less a margin for rounding. The multipliers may belong to the leaf or to a node above it.
   In a run of column generation the leaf has duals instead, and a value that it says no cluster
   is below. The sum of squares is at least the blocks' scatter, plus the duals, plus k times that
   value. That no cluster is below it is searched for again (`ccviz.proof.pricing`); where that
   would take too long it is taken on trust, and the verdict says so and does not accept.
4. The incumbent keeps every link and rule, and its sum of squares is recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ccviz.events import (
    Event,
    IncumbentFound,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Started,
)
from ccviz.problem.problem import Problem
from ccviz.proof.blocks import PlainBlocks, contract_plainly, scatter
from ccviz.proof.pricing import none_below, pricings

_ROUNDING = 1e-7  # relative gap that rounding may leave where a run claims none
_AGREE = 1e-9  # relative difference that rounding may leave between a claim and its recomputation
_MOST_SEARCH = 2_000_000
_MOST_LOOKS = 4e8  # boxes times blocks times features, for one leaf's pricing
_STAR, _CLIQUE = 0, 1  # kinds of cuts


@dataclass(frozen=True)
class Verdict:
    """What a check came to.

    Attributes
    ----------
    accepted : bool
        Whether the run proves what it claims.
    sentence : str
        ``proved within gap ...``, ``proved infeasible``, where the proof fails, or what was taken
        on trust.
    upper_bound, lower_bound, gap : float
        Recomputed; ``inf``/``-inf`` where there is nothing to compute.
    leaves : int
        How many leaves were checked.
    trusted : int
        Leaves of which everything was checked but the pricing, which was too long to repeat.
    """

    accepted: bool
    sentence: str
    upper_bound: float = math.inf
    lower_bound: float = -math.inf
    gap: float = math.inf
    leaves: int = 0
    trusted: int = 0


class _FlawError(Exception):
    """Where a proof fails."""


@dataclass(eq=False)
class _Proof:
    """A run's events, sorted."""

    solver: str = ""
    tolerance: float = 1e-4
    trusted: int = 0
    opened: dict[int, NodeOpened] = field(default_factory=dict)
    branched: dict[int, NodeBranched] = field(default_factory=dict)
    pruned: dict[int, NodePruned] = field(default_factory=dict)
    incumbents: list[IncumbentFound] = field(default_factory=list)


def verify(problem: Problem, events: Iterable[Event]) -> Verdict:
    """Check a run's proof.

    Parameters
    ----------
    problem : Problem
    events : iterable of Event
        All events of the run, in order.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from ccviz import Problem, start
    >>> problem = Problem([[0.0], [0.1], [1.0], [1.1]], k=2, cannot_link=[(0, 1)])
    >>> verify(problem, [record.event for record in start(problem, "sdp")]).accepted
    True
    """
    try:
        return _verdict(problem, _sorted(events))
    except _FlawError as flaw:
        return Verdict(False, f"the proof fails: {flaw}.")


def _verdict(problem: Problem, proof: _Proof) -> Verdict:
    if problem.is_soft or problem.sizes is not None:
        raise _FlawError("only hard links and rules can be verified")
    leaves = _leaves(proof)
    bounds = [_check_leaf(problem, proof, leaf) for leaf in leaves]
    lower_bound = min(bounds)
    if not proof.incumbents:
        if math.isfinite(lower_bound):
            raise _FlawError("the run has no clustering")
        return _with_trust(proof, Verdict(True, "proved infeasible", leaves=len(leaves)))
    upper_bound = min(_check_labels(problem, found) for found in proof.incumbents)
    if lower_bound > upper_bound * (1.0 + _AGREE) + _AGREE * _spread(problem):
        raise _FlawError(f"the bound {lower_bound:.9g} is above the clustering's {upper_bound:.9g}")
    known = upper_bound - lower_bound <= _noise(problem)
    gap = 0.0 if known else (upper_bound - lower_bound) / upper_bound
    if gap > proof.tolerance + _ROUNDING:
        raise _FlawError(f"the gap is {gap:.2g}, but the run claims {proof.tolerance:.2g}")
    sentence = f"proved within gap {gap:.2g}"
    return _with_trust(proof, Verdict(True, sentence, upper_bound, lower_bound, gap, len(leaves)))


def _with_trust(proof: _Proof, verdict: Verdict) -> Verdict:
    """Return the verdict, not accepted if some pricing was too long to repeat."""
    if proof.trusted == 0:
        return verdict
    sentence = (
        f"{verdict.sentence}, if the pricing of {proof.trusted} of {verdict.leaves} leaves is "
        "taken on trust: it is too long to repeat here, all else was checked"
    )
    return replace(verdict, accepted=False, sentence=sentence, trusted=proof.trusted)


def _sorted(events: Iterable[Event]) -> _Proof:
    proof = _Proof()
    for event in events:
        match event:
            case Started():
                proof.solver = event.solver
                proof.tolerance = float(event.settings.get("tolerance", proof.tolerance))
            case NodeOpened():
                _once(proof.opened, event.node, event)
            case NodeBranched():
                _once(proof.branched, event.node, event)
            case NodePruned():
                _once(proof.pruned, event.node, event)
            case IncumbentFound():
                proof.incumbents.append(event)
    return proof


def _once(table: dict[int, Any], node: int, event: Event) -> None:
    if node in table:
        raise _FlawError(f"node {node} is opened or closed twice")
    table[node] = event


def _leaves(proof: _Proof) -> list[int]:
    """Return the leaves of the tree, having checked that they cover the root's problem."""
    if not proof.opened:
        raise _FlawError("the run has no search tree; only those of sdp and colgen prove anything")
    roots = [node for node, event in proof.opened.items() if event.parent is None]
    if len(roots) != 1 or proof.opened[roots[0]].pair is not None:
        raise _FlawError("the tree has no single root")
    children: dict[int, list[NodeOpened]] = {node: [] for node in proof.opened}
    for node, event in proof.opened.items():
        if event.parent is not None:
            if event.parent not in children or event.parent >= node:
                raise _FlawError(f"node {node} has no parent before it")
            children[event.parent].append(event)
    for node in proof.opened:
        _check_branches(node, proof, children[node])
    if strange := set(proof.pruned) - set(proof.opened):
        raise _FlawError(f"node {min(strange)} is closed but was never opened")
    return sorted(proof.pruned)


def _check_branches(node: int, proof: _Proof, children: list[NodeOpened]) -> None:
    branching = proof.branched.get(node)
    if branching is None and node not in proof.pruned:
        raise _FlawError(f"node {node} is still open")
    if branching is None:
        if children:
            raise _FlawError(f"node {node} has children but was not branched")
        return
    if node in proof.pruned:
        raise _FlawError(f"node {node} is both branched and closed")
    sides = sorted(child.together for child in children)
    if sides != [False, True] or any(child.pair != branching.pair for child in children):
        raise _FlawError(f"the children of node {node} do not cover it")


def _path(proof: _Proof, node: int) -> list[int]:
    """Return the node and all above it."""
    path = [node]
    while (parent := proof.opened[path[-1]].parent) is not None:
        path.append(parent)
    return path


def _check_leaf(problem: Problem, proof: _Proof, leaf: int) -> float:
    """Return the leaf's bound as recomputed."""
    event = proof.pruned[leaf]
    if event.reason == "infeasible":
        _check_infeasible(problem, proof, leaf, event.certificate)
        return math.inf
    owner = event.certificate.get("node")
    node = leaf if owner is None or owner.shape != (1,) else int(owner[0])
    if node not in _path(proof, leaf):
        raise _FlawError(f"leaf {leaf} leans on node {node}, which is not above it")
    blocks = contract_plainly(problem, *_links(problem, proof, node))
    if blocks is None:
        raise _FlawError(f"leaf {leaf} has a bound, but its links contradict each other")
    if proof.solver == "colgen":
        bound = _column_bound(problem, proof, blocks, event, leaf)
    else:
        bound = _bound(problem, blocks, event.certificate, leaf)
    if abs(bound - event.lower_bound) > _AGREE * max(abs(bound), _spread(problem)):
        raise _FlawError(
            f"leaf {leaf} claims the bound {event.lower_bound:.9g}, "
            f"but its multipliers prove {bound:.9g}"
        )
    return bound


def _column_bound(
    problem: Problem, proof: _Proof, blocks: PlainBlocks, event: NodePruned, leaf: int
) -> float:
    """Return what the duals of column generation prove: the scatter, and a Lagrangian bound."""
    inside = scatter(problem, blocks)
    if event.lower_bound <= inside * (1.0 + _AGREE):
        return event.lower_bound
    return inside + _lagrangian(problem, proof, blocks, event.certificate, leaf)


def _lagrangian(
    problem: Problem,
    proof: _Proof,
    blocks: PlainBlocks,
    certificate: dict[str, np.ndarray],
    leaf: int,
) -> float:
    """Return the duals and k times the least value, having searched for a lower one."""
    duals, least = certificate.get("duals"), certificate.get("least")
    if duals is None or least is None or duals.shape != blocks.mass.shape or least.shape != (1,):
        raise _FlawError(f"leaf {leaf} lacks duals of the right number")
    threshold = float(least[0])
    if not (np.isfinite(duals).all() and math.isfinite(threshold) and threshold <= 0.0):
        raise _FlawError(f"leaf {leaf} has duals that are not finite")
    most = int(_MOST_LOOKS / (len(duals) * problem.d))
    answers = [
        none_below(pricing, threshold, most)
        for pricing in pricings(problem, blocks.block_of, blocks.conflict, duals)
    ]
    if False in answers:
        raise _FlawError(f"leaf {leaf} overlooks a cluster of lower value")
    proof.trusted += None in answers
    return float(duals.sum()) + problem.k * threshold


def _noise(problem: Problem) -> float:
    """Return a sum of squares that rounding alone can make of points that coincide."""
    return float(((4.0 * np.finfo(float).eps * problem.X) ** 2).sum())


def _spread(problem: Problem) -> float:
    return float(((problem.X - problem.X.mean(axis=0)) ** 2).sum())


def _links(problem: Problem, proof: _Proof, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the must-links and cannot-links of a node: the problem's and its decisions."""
    links: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for above in _path(proof, node):
        event = proof.opened[above]
        if event.pair is not None:
            links[event.together].append(event.pair)
    must = np.array([*map(tuple, problem.must_link.pairs.tolist()), *links[True]], dtype=np.int64)
    cannot = np.array([*map(tuple, problem.cannot_link.pairs.tolist()), *links[False]], dtype=int)
    return must.reshape(-1, 2), cannot.reshape(-1, 2)


def _bound(
    problem: Problem, blocks: PlainBlocks, certificate: dict[str, np.ndarray], leaf: int
) -> float:
    """Return the bound that the multipliers prove, less a margin for rounding."""
    centred = problem.X - problem.X.mean(axis=0)
    mass, k, s = blocks.mass, problem.k, len(blocks.mass)
    total = np.zeros((s, problem.d))
    np.add.at(total, blocks.block_of, centred)
    Q = total / np.sqrt(mass)[:, None]
    constant = float((centred**2).sum())
    S = -(Q @ Q.T) - _nonnegativity(certificate, blocks, leaf)
    gain = _subtract_cuts(S, certificate, mass, k, leaf)
    u = np.sqrt(mass / mass.sum())
    image = S @ u
    inner = float(u @ image)
    size = float(np.linalg.norm(S))
    inside = S - np.outer(u, image) - np.outer(image, u) + np.outer(u, (inner + 2.0 * size) * u)
    smallest = float(np.linalg.eigvalsh(inside)[: k - 1].sum())
    margin = 8.0 * np.finfo(float).eps * s * (k * size + constant)
    scatter = constant - float((Q**2).sum())
    return max(constant + inner + smallest + gain - margin, scatter * (1.0 - 1e-9), 0.0)


def _nonnegativity(
    certificate: dict[str, np.ndarray], blocks: PlainBlocks, leaf: int
) -> np.ndarray:
    s = len(blocks.mass)
    upper = certificate.get("nonnegativity")
    if upper is None or upper.shape != (s * (s + 1) // 2,):
        raise _FlawError(f"leaf {leaf} lacks multipliers of the right number")
    N = np.zeros((s, s))
    N[np.triu_indices(s)] = upper
    N += np.triu(N, 1).T
    if not np.isfinite(N).all() or (N[~blocks.conflict] < 0.0).any():
        raise _FlawError(f"leaf {leaf} has a multiplier of the wrong sign")
    return N


def _subtract_cuts(
    S: np.ndarray, certificate: dict[str, np.ndarray], mass: np.ndarray, k: int, leaf: int
) -> float:
    """Subtract the weighted cuts from S; return the weighted sum of their right sides.

    A clique inequality (10) is over k + 1 blocks. A star with apex i and leaves T says
    Z_ii + sum of Z_jh over pairs in T >= sum of Z_ij over T; with one leaf it is the paper's (8),
    with two (9). It holds because t leaves in the cluster of i make t - 1 <= t (t - 1) / 2.
    """
    try:
        points, kind, weights = (certificate[key] for key in ("points", "kind", "weights"))
    except KeyError:
        raise _FlawError(f"leaf {leaf} lacks its cuts") from None
    weights = weights.astype(float)
    if points.ndim != 2 or kind.shape != weights.shape or len(points) != len(kind):
        raise _FlawError(f"the cuts of leaf {leaf} are not of one length")
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise _FlawError(f"leaf {leaf} has a cut's multiplier of the wrong sign")
    _check_points(points, kind, len(mass), k, leaf)
    root = np.sqrt(mass)
    star = kind == _STAR
    apex = points[star, 0]
    _subtract(S, apex, apex, weights[star], root)
    for a in range(points.shape[1]):
        for b in range(a):
            used = points[:, a] >= 0
            sign = -1.0 if b == 0 else 1.0
            signed = np.where(star, sign, 1.0) * weights
            _subtract(S, points[used, a], points[used, b], signed[used], root)
    return float(weights[kind == _CLIQUE].sum()) / (mass.sum() - k + 1)


def _check_points(points: np.ndarray, kind: np.ndarray, s: int, k: int, leaf: int) -> None:
    column = np.arange(points.shape[1])
    used = points >= 0
    width = used.sum(axis=1)
    ordered = np.sort(np.where(used, points, s + column), axis=1)
    wrong = (points >= s).any(axis=1) | (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    wrong |= (used != (column < width[:, None])).any(axis=1)
    wrong |= np.select([kind == _STAR, kind == _CLIQUE], [width < 2, width != k + 1], True)
    if wrong.any():
        raise _FlawError(f"leaf {leaf} has a cut over blocks that are not there, or not distinct")


def _subtract(
    S: np.ndarray, i: np.ndarray, j: np.ndarray, weights: np.ndarray, root: np.ndarray
) -> None:
    half = 0.5 * weights / (root[i] * root[j])
    np.subtract.at(S, (i, j), half)
    np.subtract.at(S, (j, i), half)


def _check_labels(problem: Problem, found: IncumbentFound) -> float:
    """Return the sum of squares of an incumbent that keeps every link."""
    labels = found.labels
    if labels.shape != (problem.n,) or set(np.unique(labels)) != set(range(problem.k)):
        raise _FlawError("a clustering does not have a label for each point, or an empty cluster")
    for links, together in ((problem.must_link, True), (problem.cannot_link, False)):
        i, j = links.pairs[:, 0], links.pairs[:, 1]
        broken = (labels[i] == labels[j]) != together
        if broken.any():
            at = int(np.flatnonzero(broken)[0])
            raise _FlawError(f"a clustering breaks the link {i[at]}-{j[at]}")
    for rule in problem.rules:
        if not all(rule.allows(problem, np.flatnonzero(labels == c)) for c in range(problem.k)):
            raise _FlawError("a clustering breaks a rule")
    objective = 0.0
    for cluster in range(problem.k):
        members = problem.X[labels == cluster]
        objective += float(((members - members.mean(axis=0)) ** 2).sum())
    claimed = objective if found.objective is None else found.objective
    if abs(claimed - objective) > _AGREE * max(objective, _spread(problem)):
        raise _FlawError(f"a clustering claims {claimed:.9g}, but its labels give {objective:.9g}")
    return objective


def _check_infeasible(
    problem: Problem, proof: _Proof, leaf: int, certificate: dict[str, np.ndarray]
) -> None:
    blocks = contract_plainly(problem, *_links(problem, proof, leaf))
    if blocks is None or len(blocks.mass) < problem.k:
        return
    if "duals" in certificate:
        whole = _spread(problem) - scatter(problem, blocks)
        if _lagrangian(problem, proof, blocks, certificate, leaf) <= whole * (1.0 + 1e-12):
            raise _FlawError(f"leaf {leaf} is called infeasible, but its bound is too low for that")
        return
    if len(blocks.mass) == problem.k and problem.rules and _breaks_a_rule(problem, blocks):
        return
    witness = certificate.get("witness")
    if witness is not None and ((witness >= 0) & (witness < problem.n)).all():
        clique = np.unique(blocks.block_of[witness])
        inside = blocks.conflict[np.ix_(clique, clique)]
        if len(clique) > problem.k and inside.sum() == len(clique) * (len(clique) - 1):
            return
    colourable = _colour(blocks.conflict, problem.k)
    if colourable is None:
        raise _FlawError(f"whether leaf {leaf} is infeasible could not be searched to the end")
    if colourable:
        raise _FlawError(f"leaf {leaf} is called infeasible, but a clustering exists")


def _breaks_a_rule(problem: Problem, blocks: PlainBlocks) -> bool:
    clusters = [np.flatnonzero(blocks.block_of == b) for b in range(len(blocks.mass))]
    return not all(rule.allows(problem, each) for rule in problem.rules for each in clusters)


def _colour(conflict: np.ndarray, k: int) -> bool | None:
    """Whether k colours suffice, by exhaustive search over saturation; None if it grew too long."""
    s = len(conflict)
    degree = conflict.sum(axis=1)
    colour = np.full(s, -1)
    taken = np.zeros((s, k), dtype=int)
    steps = 0

    def paint(vertex: int, c: int, by: int) -> None:
        colour[vertex] = c if by > 0 else -1
        taken[conflict[vertex], c] += by

    def extend(used: int) -> bool | None:
        nonlocal steps
        open_vertices = np.flatnonzero(colour < 0)
        if len(open_vertices) == 0:
            return True
        saturation = (taken[open_vertices] > 0).sum(axis=1)
        vertex = int(open_vertices[np.lexsort((degree[open_vertices], saturation))[-1]])
        for c in range(min(used + 1, k)):  # colours not yet used are alike
            if taken[vertex, c] == 0:
                steps += 1
                if steps > _MOST_SEARCH:
                    return None
                paint(vertex, c, 1)
                answer = extend(max(used, c + 1))
                paint(vertex, c, -1)
                if answer is not False:
                    return answer
        return False

    return extend(0)
