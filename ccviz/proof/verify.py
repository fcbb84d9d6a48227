"""Check the proof of a finished exact run with NumPy alone, without code of the solvers.

The checks, in order; every bound is rigorous despite rounding (`ccviz.proof.rounding`):

1. The run is read strictly (`reading`), and its tree covers the problem (`cover`).
2. The clusterings keep every hard link, size and rule; the cost of the best one, with the soft
   links that it breaks, is bounded from above (`clustering`).
3. Every infeasible leaf is infeasible: contradicting links, a clique, an odd cycle, duals, or an
   exhaustive search (`colouring`).
4. Every other leaf has a bound. A semidefinite certificate, of the leaf or of a node above it, is
   turned into one (`spectral`). Column generation leaves duals instead, and a claimed least value
   of all clusters: the sum of squares is at least the blocks' scatter, plus the duals, plus k
   times that value. An occupied disc of the tree has a dual as well: it counts once in the bound,
   and every cluster with its mean in the disc gains it. A new search (`pricing`) checks that no
   cluster has a lower value, as far as the requested gap needs it, unless a semidefinite
   certificate of the leaf suffices. Under sizes every class of clusters has a least value of its
   own (`class_bound`). Where clusters are few, every one is looked at, with all rules
   (`every_cluster`). If the search would exceed the budget of work, the verdict reports it and does
   not accept.

A run that was stopped leaves its open nodes with certificates; they count as leaves.

A divided run has parts instead of a tree; their bounds add up (`parts`), and count beside those of
parts that were kept. A run that has a tree beside parts or a kept proof is checked by its tree
alone if every node is closed. Otherwise the higher bound counts.

The caller sets the gap within which the bound must lie, not the run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from ccviz.events import Event, IncumbentFound, NodeOpened, PartsCut, ProofKept
from ccviz.problem.problem import Problem
from ccviz.proof.blocks import PlainBlocks, contract_plainly, sums_of
from ccviz.proof.check import (
    Check,
    agree,
    as_bounded,
    check_clustering,
    check_cover,
    check_implied,
    colourable,
    compare,
    earlier_problem,
    has_only_sums,
    is_clique,
    keeps_rules,
    links_at,
    packable,
    places_at,
    priced_bound,
    without_lacking,
)
from ccviz.proof.connection import are_joined, leave_too_little
from ccviz.proof.partition_pricing import (
    ClassValues,
    class_bound,
    class_values,
    floors_of,
    needs_classes,
    none_below_within,
    none_listed_below,
)
from ccviz.proof.parts import parts_bound, read_division
from ccviz.proof.pricing import none_below
from ccviz.proof.question import Case, Places, boxes, discs_of, gain, pricings, read_cases
from ccviz.proof.reading import (
    FlawError,
    Leaf,
    Proof,
    read_clustering,
    read_proof,
)
from ccviz.proof.rounding import Centroids, centroids, gamma, rescaled, unit_of
from ccviz.proof.soft import soft_caps, soft_costs, terms_at
from ccviz.proof.spectral import classes_of, lifted_bound, spectral_bound
from ccviz.proof.verdict import DEFAULT_WORK, Budget, Verdict

DEFAULT_GAP = 1e-4
_WIDER = 1.001  # factor on the requested gap: a run ends as soon as its own bound suffices
_BEYOND = 1.0 + 1e-9  # a bound above this multiple of the largest cost proves infeasibility


def verify(
    problem: Problem,
    events: Iterable[Event],
    gap: float = DEFAULT_GAP,
    work: float = DEFAULT_WORK,
) -> Verdict:
    """Check a run's proof.

    Parameters
    ----------
    events : iterable of Event
        All events of the run, in order.
    gap : float
        Relative gap within which the clustering is to be proved optimal.
    work : float
        Most work that searches may take; a unit is about a second.

    Examples
    --------
    >>> from ccviz import Problem, start
    >>> problem = Problem([[0.0], [0.1], [1.0], [1.1]], k=2, cannot_link=[(0, 1)])
    >>> verify(problem, [record.event for record in start(problem, "sdp")]).accepted
    True
    """
    events = list(events)
    kept = [event for event in events if isinstance(event, ProofKept)]
    is_divided = any(isinstance(event, PartsCut) for event in events)
    has_tree = any(isinstance(event, NodeOpened) for event in events)
    try:
        check_implied(problem)
        others = bool(kept) or is_divided
        tree = read_proof(as_bounded(problem), events) if has_tree or not others else None
        if tree is not None and not (tree.is_open and others):
            return _verdict(problem, tree.with_left, gap, Budget.of(work))
        return _beside_tree(problem, events, tree, kept, gap, Budget.of(work))
    except FlawError as flaw:
        return Verdict(False, f"no proof: {flaw}.")


def _verdict(problem: Problem, proof: Proof, gap: float, budget: Budget) -> Verdict:
    check = Check(problem, proof, unit_of(problem), budget)
    _check_clusterings(check, gap)
    lower_bound, leaves = _tree_bound(check, problem, proof)
    if not proof.clusterings:
        if math.isfinite(lower_bound):
            raise FlawError("the run has no clustering")
        return _with_trust(check, "proved infeasible", -math.inf, math.inf, leaves)
    return _compared(check, lower_bound, leaves, gap)


def _beside_tree(
    problem: Problem,
    events: list[Event],
    tree: Proof | None,
    kept: list[ProofKept],
    gap: float,
    budget: Budget,
) -> Verdict:
    """Return the verdict on a kept proof or on parts, and on what is left of an open tree."""
    check = Check(problem, Proof(), unit_of(problem), budget)
    found = (event for event in events if isinstance(event, IncumbentFound))
    check.proof.clusterings = [read_clustering(event, problem) for event in found]
    _check_clusterings(check, gap)
    if not check.proof.clusterings:
        raise FlawError("the run has no clustering")
    bound = _kept(check, events, kept) if kept else _divided(check, events)
    if tree is not None and not tree.with_left.is_open and bound[0] < check.enough:
        bound = max(bound, _tree_bound(check, problem, tree.with_left))
    return _compared(check, *bound, gap)


def _divided(check: Check, events: list[Event]) -> tuple[float, int]:
    """Return the bound of a run's parts, and their number."""
    if not has_only_sums(check.problem):
        raise FlawError("rules cannot be verified of a run that was divided")
    return parts_bound(check.problem, check.unit, read_division(check.problem, events))


def _kept(check: Check, events: list[Event], kept: list[ProofKept]) -> tuple[float, int]:
    """Return the bound that an earlier run proved, and the number of its leaves or parts."""
    if check.problem.is_soft:
        raise FlawError("a proof that was kept cannot be verified of soft links")
    if len(kept) > 1:
        raise FlawError("the run keeps more than one proof")
    earlier, before = earlier_problem(check.problem, kept[0]), list(kept[0].events)
    if any(isinstance(event, NodeOpened) for event in before):
        return _tree_bound(check, earlier, read_proof(as_bounded(earlier), before))
    bounds = [parts_bound(earlier, check.unit, read_division(earlier, before))]
    if any(isinstance(event, PartsCut) for event in events):
        bounds.append(parts_bound(check.problem, check.unit, read_division(check.problem, events)))
    return max(bounds)


def _tree_bound(check: Check, problem: Problem, proof: Proof) -> tuple[float, int]:
    """Return the bound of a tree of the problem, or of one with fewer constraints."""
    check_cover(proof)
    its = replace(check, problem=problem, proof=proof)
    lower_bound = min(_check_leaf(its, leaf) for leaf in sorted(proof.leaves))
    check.trusted = its.trusted
    return lower_bound, len(proof.leaves)


def _compared(check: Check, lower_bound: float, leaves: int, gap: float) -> Verdict:
    """Compare a lower bound with the best clustering and return the verdict."""
    upper_bound = check.upper_bound
    if lower_bound > upper_bound:
        raise FlawError(
            f"the bound {check.unit.back(lower_bound):.9g} is above the clustering's "
            f"{check.unit.back(upper_bound):.9g}"
        )
    reached = 0.0 if upper_bound == 0.0 else (upper_bound - lower_bound) / upper_bound
    reached *= 1.0 + gamma(4)
    if reached > _WIDER * gap and not check.trusted:
        raise FlawError(f"the gap is {reached:.2g}, and {gap:.2g} is asked for")
    return _with_trust(check, f"proved within gap {reached:.2g}", lower_bound, reached, leaves)


def _with_trust(
    check: Check, sentence: str, lower_bound: float, gap: float, leaves: int
) -> Verdict:
    """Return the verdict, not accepted if some search was longer than the budget allows."""
    unit = check.unit
    upper_bound, lower_bound = unit.back(check.upper_bound), unit.back(lower_bound)
    if check.trusted:
        return Verdict(
            False,
            f"no proof yet: {check.trusted} of {leaves} leaves need more work than is allowed "
            "here; all else was checked",
            upper_bound,
            leaves=leaves,
            trusted=check.trusted,
        )
    return Verdict(True, sentence, upper_bound, lower_bound, gap, leaves)


def _check_clusterings(check: Check, gap: float) -> None:
    """Set the upper bound of the best clustering, and the bound that suffices for the gap."""
    for found in check.proof.clusterings:
        objective = check_clustering(check.problem, check.unit, found)
        claimed = objective if found.claimed is None else check.unit.scaled(found.claimed)
        if not agree(check, claimed, objective):
            raise FlawError(
                f"a clustering claims {found.claimed:.9g}, "
                f"but its labels give {check.unit.back(objective):.9g}"
            )
        check.upper_bound = min(check.upper_bound, objective)
    check.enough = check.upper_bound - 0.99 * gap * check.upper_bound


def _check_leaf(check: Check, number: int) -> float:
    """Return the leaf's bound as recomputed, in the unit of the check."""
    try:
        leaf = check.proof.leaves[number]
        its = _without(check, leaf)
        bound = math.inf
        if leaf.reason == "infeasible":
            _check_infeasible(its, number, leaf)
        else:
            bound = _check_bound(its, number, leaf)
        check.trusted = its.trusted
        return bound
    except FlawError as flaw:
        raise FlawError(f"leaf {number} {flaw}") from None


def _without(check: Check, leaf: Leaf) -> Check:
    """Return the check for the problem that a leaf's certificate was made for.

    Without some of its constraints a problem has all its clusterings, and none costs more. So a
    bound that is proved without them holds, and a leaf that is infeasible without them is.
    """
    problem = without_lacking(check.problem, leaf.certificate)
    return check if problem is check.problem else replace(check, problem=problem)


def _blocks(check: Check, node: int, leaf: Leaf) -> PlainBlocks | None:
    """Return the blocks of a node, None if its links leave no clustering."""
    blocks = contract_plainly(check.problem, *links_at(check.problem, check.proof, node))
    if blocks is not None and blocks.has_bridges and "duals" in leaf.certificate:
        raise FlawError("has duals beside neighbours of weight 0, which cannot be verified")
    return None if blocks is None or len(blocks.mass) < check.problem.k else blocks


def _check_bound(check: Check, number: int, leaf: Leaf) -> float:
    owner = leaf.certificate.get("node")
    node = number if owner is None else int(owner[0])
    if node not in check.proof.path(number):
        raise FlawError(f"uses the certificate of node {node}, which is not above it")
    blocks = _blocks(check, node, leaf)
    if blocks is None:
        raise FlawError("has a bound, but its links contradict each other")
    if "prices" in leaf.certificate:
        bound, _ = priced_bound(check, blocks, leaf)
        compare(check, check.unit.scaled(leaf.lower_bound), bound)
        return bound
    means = centroids(check.unit, blocks)
    bound = _spectral(check, blocks, means, leaf)
    if "duals" in leaf.certificate:
        return _column_bound(check, node, blocks, means, leaf, bound)
    compare(check, check.unit.scaled(leaf.lower_bound), bound)
    return bound


def _spectral(check: Check, blocks: PlainBlocks, means: Centroids, leaf: Leaf) -> float:
    """Return a semidefinite certificate's bound; without one, the scatter inside the blocks."""
    k, sizes = check.bounded.k, check.bounded.sizes
    exponent = 2 * (check.unit.exponent - leaf.exponent)
    limits = None if sizes is None else (float(sizes.lower.min()), float(sizes.upper.max()))
    caps = soft_caps(check.problem, check.unit, blocks, limits[1] if limits else math.inf)
    if "lifted" in leaf.certificate:
        if sizes is None or not sizes.is_exact:
            raise FlawError("is lifted by sizes that are not given")
        leaf.require("lifted", "points", "kind", "owner", "weights")
        classes = classes_of(sizes.lower)
        between = lifted_bound(means, classes, k, leaf.certificate, exponent, caps)
    elif "nonnegativity" in leaf.certificate:
        leaf.require("nonnegativity", "points", "kind", "weights")
        soft = terms_at(caps, means.mass, leaf.certificate, exponent, limits)
        sums = sums_of(check.problem, blocks)
        between = spectral_bound(
            means, k, leaf.certificate, exponent, limits=limits, soft=soft, sums=sums,
            paths=blocks.paths,
        )  # fmt: skip
    elif caps is not None and len(means.mass) == k:  # every block is a cluster
        return (means.inside + caps.constant) * (1.0 - gamma(2))
    else:
        return means.inside
    return max(means.whole(between), means.inside)


def _column_bound(
    check: Check, node: int, blocks: PlainBlocks, means: Centroids, leaf: Leaf, proved: float
) -> float:
    """Return the bound of the duals, searched only as far as the requested gap needs it."""
    if needs_classes(check.bounded) or "listed" in leaf.certificate:
        return _class_bound(check, blocks, means, leaf, proved)
    duals, least = _duals(check, leaf, means)
    places = _places(check, node, leaf, means)
    cases = _cases(check, leaf, means, places)
    prize = float(places.prize[places.taken].sum())
    between = float(duals.sum()) + prize + gain(cases) + check.problem.k * least
    compare(check, check.unit.scaled(leaf.lower_bound), means.inside + max(0.0, between))
    if between <= 0.0 or proved >= check.enough:  # nothing to search for
        return proved
    needed = math.sqrt(max(0.0, check.enough - means.inside)) * (1.0 + gamma(8)) + means.slip
    return means.whole(_lagrangian(check, blocks, means, duals, least, places, cases, needed**2))


def _cases(check: Check, leaf: Leaf, means: Centroids, places: Places) -> list[Case]:
    """Return the cases of a leaf in zones."""
    exponent = 2 * (check.unit.exponent - leaf.exponent)
    cases = read_cases(leaf, check.problem.n, len(means.mass), exponent)
    if cases and len(places.radius):
        raise FlawError("has zones below places")
    return cases


def _places(check: Check, node: int, leaf: Leaf, means: Centroids) -> Places:
    """Return the discs of a node, with their duals as prizes."""
    taken, empty = places_at(check.proof, node)
    prize = leaf.certificate.get("taken", np.zeros(0))
    prize = rescaled(prize, 2 * (check.unit.exponent - leaf.exponent))
    if prize.shape != (len(taken),):
        raise FlawError(f"has {prize.size} duals of taken places, and there are {len(taken)}")
    if (prize < 0.0).any():
        raise FlawError("has a taken place's dual below zero")
    return discs_of(check.unit, means, taken, empty, prize)


def _duals(check: Check, leaf: Leaf, means: Centroids) -> tuple[np.ndarray, float]:
    """Return the duals and the least value in the unit of the check."""
    leaf.require("duals", "least")
    exponent = 2 * (check.unit.exponent - leaf.exponent)
    duals = rescaled(leaf.certificate["duals"], exponent)
    least = float(rescaled(leaf.certificate["least"], exponent)[0])
    if duals.shape != means.mass.shape:
        raise FlawError(f"has {duals.size} duals, not those of {means.mass.size} blocks")
    if least > 0.0:
        raise FlawError("has a least value above zero")
    return duals, least


def _lagrangian(
    check: Check,
    blocks: PlainBlocks,
    means: Centroids,
    duals: np.ndarray,
    least: float,
    places: Places,
    cases: list[Case],
    needed: float,
) -> float:
    """Return the duals and k times a value, having searched for a cluster of a lower one.

    The value is the claimed one, or a lower one if the bound is ``needed`` only so far.
    """
    prize = float(places.prize[places.taken].sum())
    k, total = check.problem.k, float(duals.sum()) + prize + gain(cases)
    size = float(np.abs(duals).sum()) + prize + k * abs(least) + abs(needed)
    size += sum(case.size for case in cases)
    margin = gamma(len(duals) + len(places.radius) + len(cases) + 8) * size
    if math.isfinite(needed):
        least = min(least, (needed + 4.0 * margin - total) / k)
    answers = [
        none_below(pricing, least, check.budget)
        for pricing in pricings(check.bounded, blocks.block_of, means, duals, places)
    ]
    answers += _in_zones(check, blocks, means, duals, least, cases)
    if False in answers:
        raise FlawError("overlooks a cluster of lower value")
    check.trusted += None in answers
    return total + k * least - margin - gamma(8) * k * abs(least)


def _class_bound(
    check: Check, blocks: PlainBlocks, means: Centroids, leaf: Leaf, proved: float
) -> float:
    """Return the bound of duals of any sign and a least value of each class of sizes."""
    values = _class_values(check, blocks, means, leaf)
    constant = values.links.constant
    claimed = means.inside + constant + max(0.0, values.total)
    compare(check, check.unit.scaled(leaf.lower_bound), claimed)
    proved = max(proved, (means.inside + constant) * (1.0 - gamma(2)))
    if values.total <= 0.0 or proved >= check.enough:  # nothing to search for
        return proved
    needed = math.sqrt(max(0.0, check.enough - means.inside)) * (1.0 + gamma(8)) + means.slip
    between = _searched(check, blocks, means, values, needed**2 - constant, leaf)
    return means.whole(constant + between)


def _class_values(check: Check, blocks: PlainBlocks, means: Centroids, leaf: Leaf) -> ClassValues:
    exponent = 2 * (check.unit.exponent - leaf.exponent)
    links = soft_costs(check.problem, check.unit, blocks)
    return class_values(check.bounded, leaf.certificate, exponent, len(means.mass), links)


def _searched(
    check: Check,
    blocks: PlainBlocks,
    means: Centroids,
    values: ClassValues,
    needed: float,
    leaf: Leaf,
) -> float:
    """Return the bound of class values, having searched for clusters of lower value."""
    search = partial(none_below_within, budget=check.budget)
    if "listed" in leaf.certificate:
        floors = floors_of(check.problem, blocks)
        search = partial(none_listed_below, floors=floors, budget=check.budget)
    bound, is_done = class_bound(check.bounded, blocks.block_of, means, values, needed, search)
    check.trusted += not is_done
    return bound


def _in_zones(
    check: Check,
    blocks: PlainBlocks,
    means: Centroids,
    duals: np.ndarray,
    least: float,
    cases: list[Case],
) -> list[bool | None]:
    """Return whether no cluster is below the value in each case, as `none_below` does."""
    places = [_places_of(check, means, case) for case in cases]
    box_of = boxes(cases, places, means, duals)
    return [
        none_below(pricing, least, check.budget, box_of[case.zone])
        for case, its in zip(cases, places, strict=True)
        if not box_of[case.zone].is_empty
        for pricing in pricings(check.bounded, blocks.block_of, means, duals + case.change, its)
    ]


def _places_of(check: Check, means: Centroids, case: Case) -> Places:
    """Return the discs of a case."""
    side = np.array([taken for _, taken in case.decisions], dtype=bool)
    pairs = np.array([pair for pair, _ in case.decisions], dtype=np.int64).reshape(-1, 2)
    return discs_of(check.unit, means, pairs[side], pairs[~side], case.prizes[side])


def _check_infeasible(check: Check, number: int, leaf: Leaf) -> None:
    problem = check.problem
    blocks = _blocks(check, number, leaf)
    if blocks is None:
        return
    if "prices" in leaf.certificate:
        bound, most = priced_bound(check, blocks, leaf)
        if bound <= most * _BEYOND:
            raise FlawError("is called infeasible, but its bound is too low for that")
        return
    if "duals" in leaf.certificate:
        means = centroids(check.unit, blocks)
        whole = means.most * _BEYOND
        if needs_classes(check.bounded) or "listed" in leaf.certificate:
            values = _class_values(check, blocks, means, leaf)
            whole += values.links.most * _BEYOND
            if _searched(check, blocks, means, values, whole * _BEYOND, leaf) <= whole:
                raise FlawError("is called infeasible, but its bound is too low for that")
            return
        duals, least = _duals(check, leaf, means)
        places = _places(check, number, leaf, means)
        cases = _cases(check, leaf, means, places)
        bound = _lagrangian(check, blocks, means, duals, least, places, cases, whole * _BEYOND)
        if bound <= whole:
            raise FlawError("is called infeasible, but its bound is too low for that")
        return
    witness = leaf.certificate.get("witness")
    if _breaks_all(problem, blocks) or is_clique(witness, blocks, problem.k):
        return
    _check_by_search(check, blocks)


def _check_by_search(check: Check, blocks: PlainBlocks) -> None:
    problem, count, conflict = check.problem, blocks.count, blocks.conflict
    if blocks.paths is not None:  # of all blocks, those of weight 0 too
        count = np.array([each.bit_count() for each in blocks.paths.blocks], dtype=float)
        conflict = blocks.paths.conflict
    answer: bool | None
    if problem.sizes is None:
        answer = colourable(conflict, problem.k, check.budget)
    else:
        lower, upper = problem.sizes.lower, problem.sizes.upper
        answer = packable(count, conflict, lower, upper, check.budget)
    if answer:
        raise FlawError("is called infeasible, but a clustering exists")
    check.trusted += answer is None


def _breaks_all(problem: Problem, blocks: PlainBlocks) -> bool:
    """Whether the only clustering breaks a rule or falls apart, or neighbours leave none."""
    members = blocks.members
    is_one = len(blocks.mass) == problem.k and not blocks.has_bridges
    if is_one and not (keeps_rules(problem, members) and are_joined(problem, members)):
        return True
    return blocks.paths is not None and leave_too_little(problem, blocks.paths)
