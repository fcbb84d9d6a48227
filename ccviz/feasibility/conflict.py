"""Why no clustering keeps the constraints: a minimal conflict, and the fewest links to give up.

A conflict is a set of constraints that cannot all be kept. It is minimal if all of them can be kept
once any one is given up; U. Junker's QuickXplain (AAAI 2004) finds one by feasibility checks. A set
of links whose removal leaves a clustering meets every conflict; the smallest such set is found by
implicit hitting sets (E. Moreno-Centeno and R. M. Karp, Operations Research 61, 2013): meet all
conflicts found so far with as few links as possible, and look for a conflict in what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import ContradictionError, UnfillableError
from ccviz.feasibility.check import Feasibility, check_feasibility
from ccviz.problem.asked import AnyAsked, rule_of
from ccviz.problem.links import closure
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import flat, with_rules
from ccviz.problem.rule_base import Rule
from ccviz.problem.sums import IMPLIED, MinSum, SumLimit

SIZES = -1
"""The number of the cluster sizes, as one constraint, among the numbers of the links.

Neighbours have the number below it, and rules those below that.
"""
_NEIGHBORS, _RULES = -2, -3

_CHECK_S = 2.0
"""Time limit in seconds of one feasibility check."""


@dataclass(frozen=True, eq=False)
class Conflict:
    """Constraints that cannot all be kept, and what to give up.

    Attributes
    ----------
    must_link, cannot_link : (m, 2) int64
        The hard links of the conflict, zero-based pairs of points.
    with_sizes : bool
        Whether the cluster sizes are part of it.
    rules : tuple of str
        The rules that are part of it, as text.
    is_minimal : bool
        Whether all of it can be kept once any one is given up; False if the time ran out.
    give_up_must, give_up_cannot : (m, 2) int64
        Links without which a clustering exists; none if the time ran out before such a set was
        found, or if sizes and sums cannot be kept even without links.
    is_fewest : bool
        Whether no smaller set of links will do.
    with_neighbors : bool
        Whether that clusters are connected is part of it.
    """

    must_link: IntArray
    cannot_link: IntArray
    with_sizes: bool
    rules: tuple[str, ...]
    is_minimal: bool
    give_up_must: IntArray
    give_up_cannot: IntArray
    is_fewest: bool
    with_neighbors: bool = False

    @property
    def points(self) -> tuple[int, ...]:
        """The ends of the links of the conflict."""
        ends = np.concatenate([self.must_link, self.cannot_link])
        return tuple(int(i) for i in np.unique(ends))

    @property
    def sums(self) -> tuple[str, ...]:
        """The rules, by their name of 0.3."""
        return self.rules

    @property
    def reason(self) -> str:
        """The conflict as a sentence."""
        parts = ["the cluster sizes"] * self.with_sizes
        parts += ["the neighbours"] * self.with_neighbors
        parts += [f"the rule {text}" for text in self.rules]
        parts += in_words("must-link", self.must_link)
        parts += in_words("cannot-link", self.cannot_link)
        if len(parts) == 1:
            return f"{parts[0]} cannot be kept."
        sentence = f"{enumerated(parts)} cannot all be kept"
        return sentence + ("; without any one of them the others can." if self.is_minimal else ".")

    @property
    def advice(self) -> str:
        """What to give up, as a sentence; empty if no such links were found."""
        links = in_words("must-link", self.give_up_must)
        links += in_words("cannot-link", self.give_up_cannot)
        if not links:
            return ""
        few = "; no fewer links will do" if self.is_fewest else ""
        return f"A clustering exists without {enumerated(links)}{few}."


def can_explain(problem: Problem) -> bool:
    """Return whether all rules of a problem can be named by conflicts."""
    return all(map(partial(is_explained, problem), problem.given.rules or problem.rules))


def as_given(problem: Problem, **changes: Any) -> Problem:
    """Return a problem before rules in words became links and sizes, with changes.

    Points that may be left out are as many as were asked for, whatever must-links allow.
    """
    given = problem.given
    parts: dict[str, Any] = {}
    if problem.asked is not None:
        parts = {"must_link": given.must_link, "cannot_link": given.cannot_link,
                 "sizes": given.sizes, "rules": (), "asked": None}  # fmt: skip
    if problem.outliers_asked:
        parts |= {"k": problem.n_clusters, "outliers": problem.outliers_asked,
                  "sizes": None, "outliers_asked": 0}  # fmt: skip
    return replace(problem, **(parts | changes))


def is_explained(problem: Problem, rule: Rule | AnyAsked) -> bool:
    """Return whether a rule is links, sizes and limits on sums, which feasibility checks know."""
    made = flat([rule_of(rule) if isinstance(rule, AnyAsked) else rule])
    return all(isinstance(each, SumLimit) or _is_reduced(problem, each) for each in made)


def _is_reduced(problem: Problem, rule: Rule) -> bool:
    try:
        return rule.reduction(problem, False) is not None
    except UnfillableError:
        return True


def explain_conflict(
    problem: Problem, time_limit: float = 10.0, rules: Sequence[AnyAsked] = ()
) -> Conflict | None:
    """Return a minimal conflict of an infeasible problem, and the fewest links to give up.

    Parameters
    ----------
    problem : Problem
        Of its constraints the hard links, the sizes, neighbours, and the rules that are links,
        sizes or limits on sums count, as they were given.
    time_limit : float
        Seconds for all feasibility checks together.
    rules : sequence of AskedRule or AskedEither, optional
        Further rules, with which `ccviz.problem.reduction.with_rules` refuses the problem.

    Returns
    -------
    Conflict or None
        None if it is not proved within the time that the problem is infeasible.
    """
    search = _Search(problem, rules, time.monotonic() + time_limit)
    answer = search.check(search.all)
    if answer.feasible is not False:
        return None
    conflict = search.minimal(answer.points, search.all)
    is_minimal = not search.is_undecided
    given_up, is_fewest = search.fewest_to_give_up(conflict)
    return Conflict(
        *search.pairs(conflict),
        SIZES in conflict,
        search.texts_of(conflict),
        is_minimal,
        *search.pairs(given_up),
        is_fewest,
        _NEIGHBORS in conflict,
    )


def checked(problem: Problem, rules: Sequence[Rule | AnyAsked], seconds: float) -> Feasibility:
    """Return whether a clustering keeps a problem's constraints and rules, without one.

    What `with_rules` refuses is infeasible, with the points of its sentence.
    """
    try:
        made = with_rules(problem, rules, False)
    except ContradictionError as wrong:
        return Feasibility(False, None, (*wrong.chain, *wrong.pair), str(wrong))
    except UnfillableError as wrong:
        return Feasibility(False, None, (), str(wrong))
    # Only a clustering shows whether each cluster has a point that counts.
    with_labels = made.weights is not None and not made.weights.all()
    return check_feasibility(made, seconds, with_labels=with_labels, with_sums=True)


class _Search:
    """Feasibility checks of subsets of a problem's constraints, which are numbers.

    Must-links come first, then cannot-links; `SIZES` represents the sizes, and the numbers below it
    the neighbours and the rules.
    """

    def __init__(self, problem: Problem, more: Sequence[AnyAsked], end: float) -> None:
        given = problem.given
        self._problem, self._end = problem, end
        self._sizes = None if problem.outliers_asked else given.sizes
        self._must = given.must_link.hard.pairs
        self._cannot = given.cannot_link.hard.pairs
        made = [rule for rule in problem.rules if not isinstance(rule, IMPLIED)]
        rules: list[Rule | AnyAsked] = [*(given.rules or made), *more]
        self._rules = [rule for rule in rules if is_explained(problem, rule)]
        self.links = list(range(len(self._must) + len(self._cannot)))
        limits = [_RULES - number for number in range(len(self._rules))]
        others = [SIZES] * (self._sizes is not None)
        others += [_NEIGHBORS] * (problem.neighbors is not None)
        self.all = others + limits + self.links
        self.is_undecided = False

    @property
    def is_out_of_time(self) -> bool:
        return time.monotonic() > self._end

    def pairs(self, constraints: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return the must-links and the cannot-links among some constraints."""
        links = np.array(sorted(_links_of(constraints)), dtype=np.int64)
        first = len(self._must)
        return self._must[links[links < first]], self._cannot[links[links >= first] - first]

    def texts_of(self, constraints: Sequence[int]) -> tuple[str, ...]:
        """Return the rules among some constraints as texts, each once."""
        rules = (self._rules[_RULES - each] for each in sorted(constraints, reverse=True)
                 if each <= _RULES)  # fmt: skip
        return tuple(dict.fromkeys(map(_text, rules)))

    def check(self, constraints: Sequence[int]) -> Feasibility:
        must, cannot = self.pairs(constraints)
        sizes = self._sizes if SIZES in constraints else None
        neighbors = self._problem.neighbors if _NEIGHBORS in constraints else None
        rules = [self._rules[_RULES - each] for each in constraints if each <= _RULES]
        X, centers = np.split(self._problem.X, [self._problem.n_points])
        part = Problem(
            X, self._problem.n_clusters, must, cannot, sizes, neighbors=neighbors,  # type: ignore[arg-type]
            outliers=self._problem.outliers_asked, fixed_centers=centers if len(centers) else None,
        )  # fmt: skip
        return checked(part, rules, min(_CHECK_S, max(self._end - time.monotonic(), 0.0)))

    def _near(self, points: Sequence[int], among: Sequence[int]) -> list[int]:
        """Return the constraints that the witness of a feasibility check rests on.

        These are the cannot-links between the blocks of its points, the must-links inside them, and
        all that is no link; all constraints if there is no witness, or if these can be kept.
        """
        if not points:
            return list(among)
        must, cannot = self.pairs(among)
        block_of = closure(self._problem.n, must)
        inside = np.isin(block_of, block_of[list(points)])
        both_inside = inside[np.concatenate([must, cannot])].all(axis=1)
        links = sorted(_links_of(among))
        found = [each for each, is_inside in zip(links, both_inside, strict=True) if is_inside]
        others = [each for each in among if each < 0]
        for some in (found, others + found):
            if self._is_infeasible(some):
                return some
        return list(among)

    def _is_infeasible(self, constraints: Sequence[int]) -> bool:
        """Return whether it is proved; what is undecided, or out of time, counts as feasible."""
        if self.is_out_of_time:
            self.is_undecided = True
            return False
        answer = self.check(constraints).feasible
        self.is_undecided |= answer is None
        return answer is False

    def minimal(self, points: Sequence[int], among: Sequence[int]) -> list[int]:
        """Return a minimal conflict among constraints that cannot all be kept.

        Parameters
        ----------
        points : sequence of int
            The witness of the feasibility check, may be empty.
        among : sequence of int
            The constraints.
        """
        return _quick_xplain(self._is_infeasible, [], [], self._near(points, among))

    def fewest_to_give_up(self, conflict: Sequence[int]) -> tuple[list[int], bool]:
        """Return the fewest links to give up, and whether that is proved.

        None if the time ran out, or if some conflict has no link.

        Parameters
        ----------
        conflict : sequence of int
            The first one.
        """
        conflicts = [_links_of(conflict)]
        while conflicts[-1] and not self.is_out_of_time:
            given_up = _hit(conflicts)
            left = [each for each in self.all if each not in given_up]
            answer = self.check(left)
            if answer.feasible:
                return sorted(given_up), True
            if answer.feasible is None:
                break
            found = self.minimal(answer.points, left)
            conflicts.append(_links_of(found))
        return [], False


def _text(rule: Rule | AnyAsked) -> str:
    if isinstance(rule, AnyAsked):
        return rule.text
    if isinstance(rule, SumLimit):
        return f"sum{'>=' if isinstance(rule, MinSum) else '<='}{rule.limit:.6g}"
    return type(rule).__name__


def _links_of(constraints: Sequence[int]) -> list[int]:
    return [each for each in constraints if each > SIZES]


def _quick_xplain(
    is_infeasible: Callable[[Sequence[int]], bool],
    kept: list[int],
    added: list[int],
    candidates: list[int],
) -> list[int]:
    """Return the candidates of a minimal conflict, beside those that are kept in any case.

    Parameters
    ----------
    kept : list of int
        Constraints of the conflict.
    added : list of int
        Those that were kept last: without any, ``kept`` is known to be feasible.
    candidates : list of int
        Together with ``kept`` they cannot all be kept.
    """
    if added and is_infeasible(kept):
        return []
    if len(candidates) == 1:
        return candidates
    half = len(candidates) // 2
    first, second = candidates[:half], candidates[half:]
    of_second = _quick_xplain(is_infeasible, kept + first, first, second)
    of_first = _quick_xplain(is_infeasible, kept + of_second, of_second, first)
    return of_first + of_second


def _hit(conflicts: Sequence[Sequence[int]]) -> set[int]:
    """Return the fewest constraints that meet all conflicts, by HiGHS."""
    # Imported here: it takes a while to load, and few problems are infeasible.
    from scipy.optimize import Bounds, LinearConstraint, milp

    names = sorted({each for conflict in conflicts for each in conflict})
    meets = np.array([[name in conflict for name in names] for conflict in conflicts], dtype=float)
    found = milp(
        np.ones(len(names)),
        integrality=1,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(meets, lb=1),
    )
    return {name for name, share in zip(names, found.x, strict=True) if share > 0.5}


def in_words(kind: str, pairs: Iterable[Sequence[int]]) -> list[str]:
    """Return links as words."""
    return [f"{kind} {i}–{j}" for i, j in pairs]


def enumerated(parts: Sequence[str]) -> str:
    """Join words, some of them if there are many."""
    most = 12
    shown = list(parts[:most]) + [f"{len(parts) - most} more"] * (len(parts) > most)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
