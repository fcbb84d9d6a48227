"""Links that follow from a column: ``together(patient)``, ``apart(photo)``, ``labels(type)``.

All points with the same word in the column share a cluster, or no two of them do; or each word has
a cluster of its own. A point without a word is free. With a weight, as ``apart(photo)=2.5``, the
links are soft.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError, UnfillableError
from ccviz.problem.rule_base import (
    NO_PAIRS,
    Alternatives,
    Load,
    Points,
    Reduction,
    Rule,
    RuleKind,
    RuleWords,
    check_links,
)


@dataclass(frozen=True)
class ColumnLinks(Rule):
    """Base of the links between all points with the same word.

    `numbers` (n,): The number of each point's word, 0 for none. `weight`: Of each link, ``inf`` for
    hard ones. `column`, `called`: The column, and its words by number from 1, for sentences.
    """

    numbers: tuple[int, ...]
    weight: float = np.inf
    column: str = ""
    called: tuple[str, ...] = ()

    def pairs(self, problem: Points, links: str) -> IntArray:
        """Return (m, 2) all pairs of points with the same word."""
        groups = list(self.groups(problem))
        check_links(sum(len(each) * (len(each) - 1) // 2 for each in groups), self.column, links)
        pairs = [each[np.column_stack(np.triu_indices(len(each), 1))] for each in groups]
        return np.concatenate(pairs) if pairs else NO_PAIRS

    def groups(self, problem: Points) -> Iterator[IntArray]:
        """Yield the points of each word that several have."""
        if len(self.numbers) != problem.n:
            raise ProblemError(
                f"a rule has a column of {len(self.numbers):,} words, "
                f"but there are {problem.n:,} points."
            )
        numbers = np.array(self.numbers)
        order = np.argsort(numbers, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
            if numbers[group[0]] and len(group) > 1:
                yield group

    def chains(self, problem: Points) -> IntArray:
        """Return (m, 2) the pairs of a chain through the points of each word."""
        pairs = [np.column_stack([each[:-1], each[1:]]) for each in self.groups(problem)]
        return np.concatenate([NO_PAIRS, *pairs])


@dataclass(frozen=True)
class Together(ColumnLinks):
    """All points with the same word share a cluster."""

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return must-links: hard ones as a chain through the points of a word."""
        if self.weight < np.inf:
            return Reduction(must_link=self.pairs(problem, "must-links"), weight=self.weight)
        return Reduction(must_link=self.chains(problem))


@dataclass(frozen=True)
class Apart(ColumnLinks):
    """No two points with the same word share a cluster."""

    def alternatives(self, problem: Points) -> Alternatives:
        """Return one load with limit 0 in which the pairs of a word weigh 1."""
        return ((Load(0.0, np.zeros(problem.n), self.pairs(problem, "cannot-links")),),)

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return a cannot-link for each two points of a word."""
        if np.isinf(self.weight):
            largest = max(self.groups(problem), key=len, default=NO_PAIRS[:, 0])
            if len(largest) > problem.k:
                raise UnfillableError(self._too_many(problem, largest))
        return Reduction(cannot_link=self.pairs(problem, "cannot-links"), weight=self.weight)

    def _too_many(self, problem: Points, group: IntArray) -> str:
        first = int(group[0])
        number = self.numbers[first]
        if self.called:
            what = f"{self.called[number - 1]!r} in the column {self.column!r}"
        else:
            what = f"what point {first} has in the column {self.column!r}"
        out = f" and {problem.outliers} points that may be left out" if problem.outliers else ""
        return (
            f"{len(group):,} points have {what}, and no two of them may share a cluster, but there "
            f"are {problem.k - problem.outliers:,} clusters{out}."
        )


@dataclass(frozen=True)
class Labels(ColumnLinks):
    """Points with the same word share a cluster, and those of two words do not.

    Few links say so: a chain through the points of a word, and a link between the first points of
    each two words.
    """

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction:
        """Return must-links within the words and cannot-links between them."""
        first = np.unique(np.array(self.numbers), return_index=True)[1]
        first = first[np.array(self.numbers)[first] > 0]
        if np.isinf(self.weight) and len(first) > problem.k:
            raise UnfillableError(
                f"the column {self.column!r} has {len(first):,} labels, each with a cluster of its "
                f"own, but there are {problem.k - problem.outliers:,} clusters."
            )
        check_links(len(first) * (len(first) - 1) // 2, self.column, "cannot-links")
        apart = first[np.column_stack(np.triu_indices(len(first), 1))]
        return Reduction(self.chains(problem), np.sort(apart), weight=self.weight)


class _ColumnLinks(RuleKind):
    """Base of the kinds of links that follow from a column."""

    names, is_links, is_anti_monotone, needs_limit = "words", True, False, False
    unit = "weight, or nothing"
    _rule: ClassVar[type[ColumnLinks]]
    _each: ClassVar[str] = "pair"

    def rule(self, words: RuleWords, known: Any) -> ColumnLinks:
        numbers = tuple(np.asarray(known, dtype=np.int64).tolist())
        return self._rule(numbers, words.limit, words.name.partition("=")[0], words.called)

    @property
    def is_upper(self) -> bool:
        """Whether what is found may be at most the limit."""
        return True

    def limit(self, words: RuleWords, known: Any) -> float:
        return 1.0

    def written(self, limit: str, name: str = "") -> str:
        """Return the text of a rule of this kind; the limit is the weight, empty if hard."""
        return f"{self.name[:-2]}({name}){f'={limit}' if limit else ''}"

    def said(self, words: RuleWords) -> str:
        """Return such a rule in words."""
        soft = f", or {words.limit:,.6g} for each {self._each}" if words.limit < np.inf else ""
        return super().said(words) + soft


class TogetherBy(_ColumnLinks):
    """Must-links between all points with the same word of a column."""

    name, text = "together()", "together(COLUMN)"
    words, label = "equal {name} together", "Together by a column"
    help_text = (
        "All points with the same word share a cluster; an empty cell is free. With a weight, each "
        "pair that is apart costs it."
    )
    sample = "together(column)"
    _rule = Together

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        """Return the most clusters that points of one word are in; each left out is in its own."""
        return float(max((len(set(each)) for each in _labels_by_word(labels, known)), default=0))


class ApartBy(_ColumnLinks):
    """Cannot-links between all points with the same word of a column."""

    name, text = "apart()", "apart(COLUMN)"
    words, label = "equal {name} apart", "Apart by a column"
    help_text = (
        "No two points with the same word share a cluster; an empty cell is free. With a weight, "
        "each pair in a cluster costs it."
    )
    sample = "apart(column=2)"
    _rule = Apart

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        """Return the most points of one word in a cluster."""
        inside = (each[each >= 0] for each in _labels_by_word(labels, known))
        return float(max((np.bincount(each).max() for each in inside if len(each)), default=0))


class LabelsBy(_ColumnLinks):
    """Links between all points with a word of a column, such as labels that some points have."""

    name, text = "labels()", "labels(COLUMN)"
    words, label = "each {name} in a cluster of its own", "Labels of a column"
    help_text = (
        "Points with the same label share a cluster, those with different labels do not; without a "
        "label a point is free. With a weight, each of the few links that say so costs it."
    )
    sample = "labels(column=2)"
    _rule, _each = Labels, "link"

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        """Return the most clusters of one word, or words in one cluster, whichever is more."""
        numbers = np.asarray(known)[: len(labels)]
        pairs = np.unique(np.column_stack([numbers, labels])[numbers > 0], axis=0)
        inside = pairs[pairs[:, 1] >= 0, 1]
        return float(max(np.bincount(pairs[:, 0], minlength=1).max(),
                         np.bincount(inside, minlength=1).max()))  # fmt: skip


def _labels_by_word(labels: IntArray, known: Any) -> Iterator[IntArray]:
    numbers = np.asarray(known)
    return (labels[numbers == number] for number in np.unique(numbers[numbers > 0]))
