"""Statements beside runs: feasibility, clusterings, margins, prices, least change, which k."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ccviz import (
    ConstrainedKMeans,
    Partition,
    check_feasibility,
    contract,
    explain_conflict,
)
from ccviz.errors import CcvizError, ContradictionError, ProblemError, UnfillableError
from ccviz.estimator import NoClusteringError
from ccviz.feasibility.conflict import can_explain
from ccviz.feasibility.cure import Cure, explain
from ccviz.problem.asked import split_rule
from ccviz.problem.rules import RULE_KINDS
from ccviz.problem.sizes import read_sizes
from ccviz.studies.choose_k import choose_k
from ccviz.studies.elbow import (
    best_by_gap,
    best_by_silhouette,
    bounded_by_more,
    find_elbow,
)
from ccviz.studies.elbow_step import (
    Step,
    bound_at_once,
    eigenvalue_bound,
    from_neighbors,
    measure,
    neighbour_bound,
)
from ccviz.studies.how_sure import margin_steps, price_of_pair
from ccviz.studies.link_prices import group_price, price_steps
from ccviz.studies.margin_table import Margin
from ccviz.studies.moves import Moves, Obstacle, Opposite
from ccviz.studies.near_problem import cost_without_constraints
from ccviz.studies.profile import profile
from ccviz.studies.rows import scores_of
from ccviz.studies.why import Why
from tests.truth.brute import Truth, pairs
from tests.truth.kinds import Drawn, keeps_part
from tests.truth.runs import Case, Statement, above, number

_FLOAT = 1e-9
"""Share of a cost by which a difference of two costs may be off."""


# --- Feasibility ----------------------------------------------------------------------------------


def feasibility(case: Case) -> Iterator[str]:
    """Ask whether a clustering exists, and why not."""
    truth = case.truth
    for keeps_rules in (True, False):
        problem = case.problem(keeps_rules)
        for with_sums in (False, True):
            answer = check_feasibility(problem, with_sums=with_sums)
            if answer.feasible is None and problem.neighbors is not None:
                continue  # links and sizes are packed; that a packing is connected is not sought
            if answer.feasible is None and not with_sums and 0.0 in (case.drawn.weights or ()):
                continue  # at nodes it says what the checkers of proofs can find out themselves
            if answer.feasible is None:
                yield f"undecided: {answer.reason}"
            elif answer.feasible is False and not truth.is_empty:
                yield f"infeasible, and the optimum is {number(truth.optimum)}: {answer.reason}"
            elif answer.feasible and truth.is_empty and not problem.rules:
                yield "feasible, and no clustering keeps the constraints"
            elif answer.feasible and not problem.rules and answer.labels is not None:
                broken = Partition(problem, answer.labels).violations
                if not broken.none_hard:
                    yield f"the clustering {answer.labels.tolist()} breaks {broken}"


def conflict(case: Case) -> Iterator[str]:
    """Ask for the constraints that cannot all be kept, and for the links to give up."""
    problem = case.problem()
    found = explain_conflict(problem)
    if found is None:
        return
    if not case.truth.is_empty:
        yield f"in conflict, and the optimum is {number(case.truth.optimum)}: {found.reason}"
        return
    drawn = case.drawn
    if drawn.fixed_centers or not can_explain(problem):
        raise CcvizError("Conflicts are compared for what they may name.")
    must, cannot = (
        tuple(map(tuple, each.tolist())) for each in (found.must_link, found.cannot_link)
    )
    named = zip(drawn.rules, drawn.asked, strict=True)
    alone = replace(
        drawn, must_link=must, cannot_link=cannot, weights=None,
        sizes=drawn.sizes if found.with_sizes else None,
        neighbors=drawn.neighbors if found.with_neighbors else None,
        rules=tuple(rule for rule, asked in named if asked.text in found.rules),
    )  # fmt: skip
    if not Truth(alone).is_empty:
        yield f"a clustering keeps what is said to be in conflict: {found.reason}"
    if found.is_minimal:
        yield from (f"not minimal: {found.reason}" for less in _less(alone) if Truth(less).is_empty)
    given_up = len(found.give_up_must) + len(found.give_up_cannot)
    gone = (found.give_up_must.tolist(), found.give_up_cannot.tolist())
    if given_up and Truth(_without(drawn, *gone)).is_empty:
        yield f"no clustering exists without what is to be given up: {found.advice}"


def cured(case: Case) -> Iterator[str]:
    """Ask for single changes after which a clustering exists."""
    drawn = case.drawn
    if not case.truth.is_empty:
        raise CcvizError("There is a clustering.")
    base = replace(drawn, rules=()).problem()  # refused where links alone contradict each other
    found = explain(base, rules=drawn.asked)[1]
    for cure in found.found:
        if Truth(_cured(drawn, cure)).is_empty:
            yield f"no clustering exists after: {cure.sentence}"
        less = [_failing(cure, text) for text in cure.fails]
        more = _cured_less(drawn, cure) if cure.is_least else ()
        less = (_cured(drawn, each, -1e-9) for each in less)
        if any(not Truth(each).is_empty for each in (*less, *more)):
            yield f"less will do than: {cure.sentence}"
    if not found.found and not found.unknown:
        others = [replace(drawn, rules=drawn.rules[:at] + drawn.rules[at + 1 :])
                  for at in range(len(drawn.rules))]  # fmt: skip
        others.append(replace(drawn, sizes=None))
        if drawn.sizes is None or len({*zip(*drawn.sizes, strict=True)}) == 1:
            most = drawn.n - drawn.outliers
            others += [_with_k(drawn, k) for k in range(max(1, len(drawn.fixed_centers)), most + 1)]
        if not all(Truth(each).is_empty for each in others):
            yield "a single change will do, and none was named"


def _failing(cure: Cure, text: str) -> Cure:
    """Return the smaller change that is said not to do."""
    if cure.k:
        return replace(cure, k=int(text))
    return replace(cure, sizes=text) if cure.sizes else replace(cure, text=text)


def _cured(drawn: Drawn, cure: Cure, slack: float = 1e-9) -> Drawn:
    """Return the changed problem; by the slack distances are as near as their rounding goes."""
    if cure.k:
        return _with_k(drawn, cure.k)
    if cure.sizes:
        return replace(drawn, sizes=tuple(map(tuple, read_sizes(cure.sizes, drawn.n, drawn.k))))
    if cure.must_link or cure.cannot_link:
        return _without(drawn, cure.must_link, cure.cannot_link)
    rules = [*drawn.rules]
    if cure.text:
        ((name, _, known),) = rules[cure.rule]
        limit = cure.text.rpartition("=")[2]
        if RULE_KINDS[name].unit == "distance":
            limit = repr(float(limit) * (1.0 + slack * (1 if name.endswith("<=") else -1)))
        rules[cure.rule] = ((name, limit, known),)
    else:
        del rules[cure.rule]
    return replace(drawn, rules=tuple(rules))


def _cured_less(drawn: Drawn, cure: Cure) -> Iterator[Drawn]:
    """Yield the problem after changes that are a little less."""
    if gone := len(cure.must_link) + len(cure.cannot_link):
        names = ("must_link", "cannot_link")
        links = [(name, pair) for name in names for pair in drawn.hard(name)]
        for some in itertools.combinations(links, gone - 1):
            yield _without(
                drawn, *([pair for kind, pair in some if kind == name] for name in names)
            )
    elif cure.sizes:
        lower, upper = map(np.array, read_sizes(cure.sizes, drawn.n, drawn.k))
        was = np.array(drawn.sizes)
        down, up = int((was[0] - lower).max()), int((upper - was[1]).max())
        closer = (
            np.maximum(was[0] - max(down - 1, 0), 1),
            np.minimum(was[1] + max(up - 1, 0), drawn.n),
        )
        yield replace(drawn, sizes=tuple(tuple(each.tolist()) for each in closer))
    else:
        words = split_rule(cure.text)
        kind = RULE_KINDS[words.kind]
        step = 1e-6 * (words.limit or 1.0) if kind.unit == "distance" else 1.0
        limit = words.limit - step if kind.is_upper else words.limit + step
        text = f"{limit:.15g}{'%' * words.is_share}"
        yield _cured(drawn, replace(cure, text=kind.written(text, words.name)))


def _without(drawn: Drawn, must: Iterable, cannot: Iterable) -> Drawn:
    """Return the problem without some hard links."""
    for name, links in (("must_link", must), ("cannot_link", cannot)):
        gone = {tuple(sorted(pair)) for pair in links}
        kept = [each for each in getattr(drawn, name) if tuple(sorted(each[:2])) not in gone]
        drawn = replace(drawn, **{name: tuple(kept)})
    return drawn


def _less(drawn: Drawn) -> Iterator[Drawn]:
    for name in ("must_link", "cannot_link"):
        links = getattr(drawn, name)
        for at in range(len(links)):
            yield replace(drawn, **{name: links[:at] + links[at + 1 :]})
    for name in ("sizes", "neighbors"):
        if getattr(drawn, name) is not None:
            yield replace(drawn, **{name: None})
    for rule in {*drawn.rules}:  # of one text there may be two
        yield replace(drawn, rules=tuple(each for each in drawn.rules if each != rule))


def blocks(case: Case) -> Iterator[str]:
    """Ask which points are in one block, and which blocks exclude each other."""
    truth, made = case.truth, contract(case.problem(False))
    # Without neighbours a point of weight 0 is in the block nearest to it.
    counts = made.unweighted is None or case.drawn.neighbors is not None
    for i, j in pairs(truth.n + truth.q) if counts else ():
        if made.block_of[i] == made.block_of[j] and not truth.together(i, j).all():
            yield f"{i} and {j} are in one block, and apart in a clustering"
    for a, b in made.conflicts.tolist():
        i, j = (int(made.members(block)[0]) for block in (a, b))
        if truth.together(i, j).any():
            yield f"{i} and {j} exclude each other, and are together in a clustering"


# --- Clusterings ----------------------------------------------------------------------------------


def clusterings(case: Case) -> Iterator[str]:
    """Ask what some clusterings cost, which of them break what, and which rules they keep."""
    drawn, truth, problem = case.drawn, case.truth, case.problem(case.seed % 2 == 0)
    if drawn.outliers or drawn.fixed_centers:
        raise CcvizError("Clusterings with outliers or given centres have labels of their own.")
    rng = np.random.default_rng(case.seed)
    for _ in range(4):
        labels = rng.integers(0, drawn.k, drawn.n)
        found = Partition(problem, labels)
        cost = truth.judged(labels)
        if (cost is not None) != found.violations.none_hard:
            yield f"{labels.tolist()} breaks {found.violations}, and costs {number(cost)}"
        if cost is not None and abs(Fraction(found.objective) - cost) > cost / 10**12:
            yield f"{labels.tolist()} costs {found.objective!r}, and {number(cost)} is right"
        yield from _kept_faults(drawn, found, labels)


def _kept_faults(drawn: Drawn, found: Partition, labels: np.ndarray) -> Iterator[str]:
    broken = [
        sum((labels[i] == labels[j]) != same for i, j in {*drawn.hard(name), *drawn.soft(name)})
        for name, same in (("must_link", True), ("cannot_link", False))
    ]
    said = [found.violations.must_link, found.violations.cannot_link]
    if said != broken:
        yield f"{labels.tolist()} breaks {said} must- and cannot-links, and {broken} is right"
    if len(np.unique(labels)) < drawn.k:
        return
    inside = labels == np.arange(drawn.k)[:, None]
    for rule, kept in zip(drawn.rules, found.kept_rules, strict=True):
        right = np.any([keeps_part(drawn, inside, part) for part in rule], axis=0).all()
        if kept.holds != right:
            yield f"{labels.tolist()} keeps {kept.rule.text}: {kept.holds}"


def scores(case: Case) -> Iterator[str]:
    """Ask for the agreement with the classes: pairs are counted here one by one."""
    drawn = case.drawn
    if drawn.truth is None or case.truth.is_empty or drawn.n < 2:
        raise CcvizError("There are no classes.")
    if drawn.outliers or drawn.fixed_centers:
        raise CcvizError("Clusterings with outliers or given centres have labels of their own.")
    labels = case.truth.all.labels[0]
    said = Partition(case.problem(), labels).scores
    classes = np.array(drawn.truth)
    same = [(labels[i] == labels[j], classes[i] == classes[j]) for i, j in pairs(drawn.n)]
    apart = Fraction(sum(a != b for a, b in same), len(same))
    right = {"mirkin": apart, "hubert": 1 - 2 * apart}
    for name, value in right.items():
        if abs(said[name] - value) > _FLOAT:
            yield f"{name} is {said[name]}, and {number(value)} is right"


def standings(case: Case) -> Iterator[str]:
    """Ask how each point stands in its cluster, and what marks each cluster."""
    drawn = case.drawn
    result = case.proved()
    if result.labels is None or drawn.fixed_centers or drawn.outliers or drawn.weights:
        raise CcvizError("Standings are compared for plain clusterings.")
    X, labels = np.array(drawn.X), result.labels
    means = np.array([X[labels == j].mean(axis=0) for j in range(drawn.k)])
    scale = max(1e-300, float(np.ptp(X, axis=0).max()), 1e-7 * float(np.abs(X).max()))
    found = scores_of(result.partition)
    far = np.linalg.norm(X - means[labels], axis=1)
    if np.abs(found.distance - far).max() > _FLOAT * scale:
        yield f"distances {found.distance.tolist()}, and {far.tolist()} are right"
    marks = profile(X, labels, drawn.k, [str(t) for t in range(X.shape[1])])
    means = means[:, list(map(int, marks.features))]  # the feature that separates most first
    if (
        np.abs(marks.means - means).max() > _FLOAT * scale
        or (marks.sizes != np.bincount(labels, minlength=drawn.k)).any()
    ):
        yield f"clusters of {marks.sizes.tolist()} points with means {marks.means.tolist()}"


def whys(case: Case) -> Iterator[str]:
    """Ask what each point's moves cost, and what forbids them."""
    truth, partition = case.truth, _some_clustering(case)
    moves, shown = Moves(partition), partition.shown
    said = Why(moves)
    cost = truth.judged(shown)
    if cost is None:
        raise CcvizError("The clustering is not feasible as it is numbered.")
    slack = (1e-5 if case.drawn.fixed_centers else _FLOAT) * float(truth.scale)
    for point in range(case.drawn.n):
        block = moves.block_of == moves.block_of[point]
        others = [j for j in range(case.drawn.k) if j != shown[point]]
        for cluster in others:
            moved = np.where(block, cluster, shown)
            obstacles = [*moves.obstacles(int(moves.block_of[point]), cluster)]
            what = f"point {point} into cluster {cluster}"
            after = truth.judged(moved)
            if (after is None) != bool(obstacles):
                yield f"{what}: {obstacles}, and it costs {number(after)}"
            rise = moves.rise[moves.block_of[point], cluster]
            if after is not None and abs(float(after - cost) - rise) > slack:
                yield f"{what} is said to cost {rise} more, and {number(after - cost)} is right"
            if obstacles and all(each.kind != "empty" for each in obstacles):
                left = Truth(_rid(case.drawn, obstacles, np.flatnonzero(block)))
                if left.judged(moved) is None:
                    yield f"{what} is forbidden without {obstacles} too: {said.of(point)}"
        found = moves.of(point)
        first = moves.rise[moves.block_of[point]].min(initial=math.inf)
        if others and (not found or found[0].rise != first):
            yield f"point {point} has a move at {first}: {said.of(point)}"


def opposites(case: Case) -> Iterator[str]:
    """Ask what it costs to have two points together, or apart: by a move, and by a proof."""
    if case.drawn.n < 2:
        raise CcvizError("There is no pair.")
    shown, result = _some_clustering(case), case.proved()
    for i, j in case.rng.permutation([*pairs(case.drawn.n)])[:3].tolist():
        yield from _opposite_faults(case, shown, Moves(shown).opposite(i, j), i, j)
    if result.partition is not None:
        found = price_of_pair(result.run, i, j, 5.0)
        yield from _opposite_faults(case, result.partition, found, i, j)


def _opposite_faults(
    case: Case, known: Partition, found: Opposite, i: int, j: int
) -> Iterator[str]:
    truth, cost = case.truth, case.truth.judged(known.in_order().shown)
    if cost is None:
        raise CcvizError("The clustering is not feasible as it is numbered.")
    same = truth.together(i, j) & (truth.all.labels[:, i] >= 0)
    least = truth.least(same == found.together)
    right = math.inf if least is None else float(least - cost)
    slack = (1e-5 if case.drawn.fixed_centers else _FLOAT) * float(truth.scale)
    what = f"{known.shown.tolist()} but for {i}-{j}: {found.lower} to {found.upper}"
    if found.lower > right + slack or found.upper < right - slack:
        yield f"{what}, and {right} is right"
    if found.reason and least is not None:
        yield f"{what}, for {found.reason}, and a clustering costs {number(least)}"
    if found.labels is None:
        return
    after = Partition(known.problem, found.labels).in_order()
    reached = truth.judged(after.shown)
    if reached is None or abs(float(reached - cost) - found.upper) > slack:
        yield f"{what}, and {after.shown.tolist()} costs {number(reached)}"
    if (after.labels[i] == after.labels[j]) != found.together:
        yield f"{what}, and {after.shown.tolist()} has not the opposite"


def _some_clustering(case: Case) -> Partition:
    """Return a clustering that keeps everything, not only the best where numbers say nothing."""
    drawn = case.drawn
    if drawn.sizes or drawn.outliers or drawn.fixed_centers or case.truth.is_empty:
        found = case.proved().partition
        if found is None:
            raise CcvizError("There is no clustering.")
        return found
    return Partition(case.problem(), case.rng.choice(case.truth.all.labels))


def _rid(drawn: Drawn, obstacles: list[Obstacle], block: np.ndarray) -> Drawn:
    """Return a problem without the constraints that keep a block out of a cluster."""
    for each in obstacles:
        if each.kind == "cannot_link":
            ends = {frozenset((each.at, int(point))) for point in block}
            kept = [link for link in drawn.cannot_link if frozenset(link[:2]) not in ends]
            drawn = replace(drawn, cannot_link=tuple(kept))
    if any(each.kind == "sizes" for each in obstacles):
        drawn = replace(drawn, sizes=None)
    if any(each.kind == "neighbors" for each in obstacles):
        drawn = replace(drawn, neighbors=None)
    gone = {each.at for each in obstacles if each.kind == "rule"}
    rules = [rule for at, rule in enumerate(drawn.rules) if at not in gone]
    return replace(drawn, rules=tuple(rules))


# --- Margins and prices ---------------------------------------------------------------------------


def _opposite(truth: Truth, i: int, j: int, together: bool) -> float:
    """Return the rise of the optimum under the opposite decision about two points."""
    least = truth.least(truth.together(i, j) != together)
    return math.inf if least is None else float(least - truth.optimum)


def _outside(low: float, high: float, right: float, cost: float) -> bool:
    slack = _FLOAT * cost
    return low > right + slack or high < right - slack


def margins(case: Case) -> Iterator[str]:
    """Ask how sure each point is, at once, after bounds, and after proofs."""
    result = case.proved()
    seen = None
    for seen in margin_steps(result.run, prove=case.seed % 5 == 0, time_limit=5.0):
        for row in seen.rows:
            if row.j >= 0:
                yield from _margin_faults(case, row)
    for i, j in pairs(case.drawn.n):
        together = bool(seen.labels[i] == seen.labels[j])
        right, low = _opposite(case.truth, i, j, together), seen.least_of_pair(i, j)
        if low > right + _FLOAT * seen.objective:
            yield f"the margin of {i}-{j} is at least {low}, and {right} is right"
    surely = seen.surely_there(0.1) & (seen.other >= 0)
    for point in np.flatnonzero(surely).tolist():
        right = _opposite(case.truth, point, int(seen.other[point]), True)
        if right < (0.1 - _FLOAT) * seen.objective:
            yield f"{point} surely stays up to a rise of a tenth, and leaves for {right}"


def _margin_faults(case: Case, row: Margin) -> Iterator[str]:
    right = _opposite(case.truth, row.i, row.j, row.together)
    if _outside(row.lower, row.upper, right, row.objective):
        state = "proved" if row.is_proved else "open"
        yield f"the margin of {row.i}-{row.j} is {row.lower} to {row.upper} ({state}), not {right}"


def pair_margins(case: Case) -> Iterator[str]:
    """Ask how sure one decision is, by bounds and by a proof."""
    if case.drawn.n < 2:
        raise CcvizError("There is no pair.")
    i, j = np.random.default_rng(case.seed).choice(case.drawn.n, 2, replace=False).tolist()
    for prove in (False, True):
        row = case.proved().how_sure((i, j), prove=prove, time_limit=5.0)
        yield from _margin_faults(case, row)


def prices(case: Case) -> Iterator[str]:
    """Ask for the price of each link, at once and after proofs."""
    result = case.proved()
    if result.run.problem.rules or case.drawn.rules:
        raise CcvizError("Links of rules have prices that the drawn problem does not say.")
    right: dict[tuple[str, int, int], float] = {}
    for seen in price_steps(result.run, prove=case.seed % 2 == 0, time_limit=5.0):
        for row in seen.rows:
            key = (row.kind, row.i, row.j)
            if key not in right:
                right[key] = _price(case, *key)
            value = right[key]
            if _outside(row.lower, row.upper, value, result.objective):
                yield f"{row.kind} {row.i}-{row.j} costs {row.lower} to {row.upper}, not {value}"
            if (
                row.is_proved
                and not row.is_implied
                and abs(row.lower - value) > 6e-4 * max(result.objective, 1e-300)
            ):
                yield f"{row.kind} {row.i}-{row.j} costs {row.lower}, proved, and not {value}"


def group_prices(case: Case) -> Iterator[str]:
    """Ask for the price of some links together, at once and proved."""
    result, drawn = case.proved(), case.drawn
    if result.run.problem.rules or drawn.rules:
        raise CcvizError("Links of rules have prices that the drawn problem does not say.")
    rng = np.random.default_rng(case.seed)
    some: dict[str, list[list[int]]] = {}
    kept: dict[str, object] = {}
    for name in ("must_link", "cannot_link"):
        pairs = getattr(result.run.problem, name).pairs
        some[name] = pairs[rng.random(len(pairs)) < 0.6].tolist()
        kept[name] = tuple(link for link in getattr(drawn, name)
                           if sorted(map(int, link[:2])) not in some[name])  # fmt: skip
    prove = case.seed % 2 == 0
    low, high = group_price(result.run, **some, prove=prove, time_limit=5.0)
    value = float(case.truth.optimum - Truth(replace(drawn, **kept)).optimum)
    if _outside(low, high, value, result.objective):
        yield f"{some} cost {low} to {high}, not {value}"


def _price(case: Case, kind: str, i: int, j: int) -> float:
    name = f"{kind}_link"
    kept = [link for link in getattr(case.drawn, name) if {int(link[0]), int(link[1])} != {i, j}]
    least = Truth(replace(case.drawn, **{name: tuple(kept)})).optimum
    return float(case.truth.optimum - least)


# --- Least change ---------------------------------------------------------------------------------


def least_changes(case: Case) -> Iterator[str]:
    """Ask for a clustering near to an old one, and why points moved."""
    result, drawn = case.proved(), case.drawn
    rng = np.random.default_rng(case.seed)
    old = rng.integers(0, drawn.k, drawn.n)
    slack = float(rng.choice([0.0, 0.01, 0.3, 1.0]))
    few = None
    if case.seed % 2:  # next month's points: some are new, and few old ones move
        old[rng.random(drawn.n) < 0.2] = -1
        few = case.seed % 3 or None
    found = result.least_change(old, slack, few)
    labels = found.partition.labels
    cost, most = case.truth.judged(labels), result.objective * (1.0 + slack)
    most = most if few is None else found.allowed
    if cost is None:
        yield f"{labels.tolist()} breaks a constraint"
        return
    if float(cost) > most * (1.0 + _FLOAT):
        yield f"{labels.tolist()} costs {number(cost)}, more than {most}"
    moved = set(np.flatnonzero((labels != old) & (old >= 0)).tolist())
    if few is not None and len(moved) > few:
        yield f"{sorted(moved)} moved, more than {few}"
    if moved != set(found.moved.tolist()) or moved != set(found.reasons):
        yield f"{sorted(found.reasons)} have reasons, and {sorted(moved)} moved"
    for point in sorted(moved & set(found.reasons)):
        yield from _reason_faults(case, found, point, most)


def _reason_faults(case: Case, found: object, point: int, most: float) -> Iterator[str]:
    """Yield a reason that is not so: back in its old cluster a block costs too much, or breaks."""
    labels, old = found.partition.labels, found.old
    block_of = contract(case.problem()).block_of
    members = np.flatnonzero(block_of == block_of[point])
    if len(np.unique(old[members][old[members] >= 0])) > 1:
        return  # a block that was torn has no one place to go back to
    back = labels.copy()
    back[members] = old[point]
    cost = case.truth.judged(back)
    words = found.words(point)
    if found.reasons[point] == "link" and cost is not None:
        yield f"{words} {point}, and {back.tolist()} keeps all"
    if found.reasons[point] == "cost" and (cost is None or float(cost) < most * (1.0 - _FLOAT)):
        yield f"{words} {point}, and {back.tolist()} costs {number(cost)} of {most}"


# --- Which k? -------------------------------------------------------------------------------------


def which_k(case: Case) -> Iterator[str]:
    """Ask what is known of each number of clusters, and where the elbow is."""
    steps: list[Step] = []
    truths: list[Truth] = []
    problem, problems = None, {}
    for k in range(1, min(case.drawn.n, 5) + 1):
        drawn = replace(case.drawn, k=k, sizes=None)
        try:
            problem = drawn.problem()
        except (ContradictionError, UnfillableError):
            break
        solver = ("blp-kmeans", "colgen")[bool(problem.rules) or bool(drawn.fixed_centers)]
        steps.append(measure(problem, solver, references=case.seed % 2, bound_time=2.0,
                             time_limit=5.0))  # fmt: skip
        truths.append(Truth(drawn))
        problems[k] = problem
    if not steps or problem is None:
        raise CcvizError("No number of clusters is possible.")
    solver = ("blp-kmeans", "colgen")[bool(problem.rules) or bool(case.drawn.fixed_centers)]
    joined = from_neighbors(problems, steps, solver, seed=case.seed, time_limit=5.0)
    if any(after.objective > step.objective for step, after in zip(steps, joined, strict=True)):
        yield "a clustering beside made one cost more"
    steps = list(joined)
    raised = bounded_by_more(problem, steps)
    for step, higher, truth in zip(steps, raised, truths, strict=True):
        yield from _step_faults(step, higher, truth)
    yield from _elbow_faults(raised, truths)
    if best_by_silhouette(raised) is None and any(step.silhouette > -1 for step in raised):
        yield "no best silhouette among some"
    if best_by_gap(raised) not in (None, *(step.k for step in raised)):
        yield "the best gap statistic is of no step"


def _with_k(drawn: Drawn, k: int) -> Drawn:
    """Return a problem with another number of clusters, all as the first one may be."""
    sizes = drawn.sizes and tuple((limits[0],) * k for limits in drawn.sizes)
    return replace(drawn, k=k, sizes=sizes)


def chosen_numbers(case: Case) -> Iterator[str]:
    """Ask for the least number of clusters, and for the one that costs least."""
    numbers = range(1, case.drawn.n + 1)
    if case.drawn.fixed_centers:
        raise CcvizError("k is not chosen beside these.")
    costs = {k: Truth(_with_k(case.drawn, k)).optimum for k in numbers}
    known = {k: cost for k, cost in costs.items() if cost is not None}
    try:
        found = choose_k(lambda k: _with_k(case.drawn, k).problem(False), "least", time_limit=5.0)
    except ProblemError as none:
        if known and "can keep everything" in str(none):
            yield f"{none} It can be kept with {min(known)}"
    else:
        if not known or not found.at_least <= min(known) <= found.k:
            yield f"{found.words} Right is {min(known, default=None)}"
    if case.drawn.outliers or (len(case.drawn.X) in known and not case.drawn.sizes):
        return  # costs are not compared, or single points are clusters
    best = choose_k(lambda k: _with_k(case.drawn, k).problem(False), "free", time_limit=5.0)
    least = min(known.values(), default=None)
    if least is None or above(best.lower_bound, least):
        yield f"{best.words} The bound {best.lower_bound!r} is above {least}"
    elif best.objective < float(least) * (1.0 - 1e-12):
        yield f"{best.words} The optimum is {number(least)}"


def _step_faults(step: Step, higher: Step, truth: Truth) -> Iterator[str]:
    least = truth.optimum
    if step.status == "infeasible":
        if least is not None:
            yield f"k = {step.k} is called infeasible, and {number(least)} is the optimum"
        return
    if least is None:
        if step.objective < math.inf:
            yield f"k = {step.k} costs {step.objective}, and is infeasible"
        return
    for bound in (step.lower_bound, higher.lower_bound):
        if above(bound, least):
            yield f"k = {step.k} costs at least {bound!r}, and {number(least)} is the optimum"
    if step.objective < float(least) * (1.0 - 1e-12):
        yield f"k = {step.k} costs {step.objective!r}, below the optimum {number(least)}"


def _elbow_faults(steps: tuple[Step, ...], truths: list[Truth]) -> Iterator[str]:
    elbow = find_elbow(steps)
    if elbow is None or not elbow.proved:
        return
    costs = {step.k: truth.optimum for step, truth in zip(steps, truths, strict=True)}
    bends = {
        k: costs[k - 1] * costs[k + 1] / costs[k] ** 2
        for k in costs
        if costs.get(k - 1) is not None and costs.get(k + 1) is not None and costs[k]
    }
    sharper = [k for k in bends if bends[k] > bends.get(elbow.k, 0) * (1 + Fraction(1, 10**9))]
    if sharper:
        yield f"the elbow is proved to be k = {elbow.k}, and that of {sharper[0]} is sharper"


def eigenvalues(case: Case) -> Iterator[str]:
    """Ask for the bound by eigenvalues."""
    for bound_of in (eigenvalue_bound, neighbour_bound, bound_at_once):
        bound = bound_of(case.problem())
        if case.truth.optimum is not None and above(bound, case.truth.optimum):
            yield f"{bound_of.__name__} is {bound!r}, above {number(case.truth.optimum)}"


def without_constraints(case: Case) -> Iterator[str]:
    """Ask for the cost without constraints: no less than the optimum, no more than with them."""
    shown = _some_clustering(case)
    found = cost_without_constraints(shown)
    free = Drawn(case.drawn.X, case.drawn.k, weights=case.drawn.weights)
    least = float(Truth(free).optimum)
    if not least * (1.0 - _FLOAT) <= found <= shown.wcss:
        yield f"without constraints it costs {found}, not {least} to {shown.wcss}"


# --- The estimator and the models -----------------------------------------------------------------


def estimators(case: Case) -> Iterator[str]:
    """Ask the scikit-learn estimator for the optimum of the same problem."""
    drawn, truth = case.drawn, case.truth
    given = drawn.given
    if drawn.rules:
        raise CcvizError("The estimator reads rules as text and columns of a frame.")
    model = ConstrainedKMeans(
        drawn.k,
        solver="colgen" if drawn.fixed_centers or case.seed % 2 else "sdp",
        outliers=drawn.outliers,
        fixed_centers=given.get("fixed_centers"),
        random_state=0,
        time_limit=60.0,
    )
    more = {name: given.get(name, ()) for name in ("must_link", "cannot_link")}
    more |= {"neighbors": drawn.neighbors}
    try:
        model.fit(given["X"], sizes=given.get("sizes"), sample_weight=given.get("weights"), **more)
    except NoClusteringError as none:
        if not truth.is_empty:
            yield f"no clustering, and {number(truth.optimum)} is the optimum: {none}"
        return
    cost = truth.judged(model.labels_)
    if cost is None:
        yield f"the labels {model.labels_.tolist()} break a constraint"
    elif truth.optimum is not None and above(model.lower_bound_, truth.optimum):
        yield f"the bound {model.lower_bound_!r} is above {number(truth.optimum)}"


def models(case: Case) -> Iterator[str]:
    """Ask the relaxation in cvxpy for its value, which is a bound up to its solver's accuracy."""
    result, least = case.proved(), case.truth.optimum
    if result.labels is None:
        raise CcvizError("There is no clustering.")
    for model in ("relaxation", "master"):
        names = {"problem": result.run.problem, "result": result}
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(result.model(model), names)
        except ImportError as missing:
            raise CcvizError("The models need cvxpy.") from missing
        value = names["model"].value
        scale = float(case.truth.group_costs[(1 << case.drawn.n) - 1]) + float(least)
        # cvxpy's solvers end at an absolute accuracy too.
        if case.is_ordinary and value is not None and value > float(least) + 1e-3 * scale + 1e-9:
            yield f"the {model} in cvxpy is {value}, above the optimum {number(least)}"


STATEMENTS = (
    Statement("feasibility", feasibility, ("check_feasibility",), 0),
    Statement("conflicts", conflict, ("explain_conflict", "Conflict"), 0),
    Statement("cures", cured, ("explain", "cures", "Cure", "Cures"), 0),
    Statement("blocks", blocks, ("contract", "Blocks"), 0),
    Statement("clusterings", clusterings, ("Partition",), 0),
    Statement("scores", scores, (), 0),
    Statement("standings", standings, ("scores_of", "standing", "profile"), 8),
    Statement("why", whys, ("why", "sentences", "why_of"), 4),
    Statement("opposites", opposites, ("price_of_pair",), 12),
    Statement("margins", margins, ("how_sure", "margin_steps", "first_margins",
                                   "check_margins"), 8),
    Statement("margins of pairs", pair_margins, ("pair_margin",), 12),
    Statement("prices", prices, ("link_prices", "price_steps", "estimated", "refined",
                                 "check_priced"), 8),
    Statement("prices of groups", group_prices, ("group_price",), 8),
    Statement("least change", least_changes, ("least_change", "said_of"), 8),
    Statement("which k", which_k, ("measure", "cluster", "compare", "bound", "impossible",
                                   "bounded_by_more", "find_elbow", "best_by_gap",
                                   "best_by_silhouette", "has_hard_links_only",
                                   "clustered", "compared", "bounded", "from_neighbors",
                                   "from_runs"), 40),
    Statement("chosen k", chosen_numbers, ("choose_k", "ChosenK"), 12),
    Statement("eigenvalues", eigenvalues, ("eigenvalue_bound", "neighbour_bound",
                                           "bound_at_once"), 0),
    Statement("without constraints", without_constraints, ("cost_without_constraints",), 4),
    Statement("estimator", estimators, ("ConstrainedKMeans",), 24),
    Statement("models in cvxpy", models, ("model", "model_code"), 200),
)  # fmt: skip
