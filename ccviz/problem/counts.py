"""Counts, shares and means in each cluster: ``count(class)<=2``, ``share(gender=girl)>=40%``.

A count is the sum of a column of zeros and ones (`ccviz.problem.sums`). A share or a mean compares
two sums of one cluster: the values less the limit, some of them below 0, add up to at most 0.
So parts of a cluster that keeps such a rule may break it.

The points of a column of words have a number for each word, from 1; 0 is for no word, or for
another one where a rule names a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError, UnfillableError, quote
from ccviz.problem.column_links import Apart
from ccviz.problem.links import MOST_NAMED
from ccviz.problem.points import checked_values, exact_grid, is_missing
from ccviz.problem.rule_base import Both, Points, Rule, RuleKind, RuleWords
from ccviz.problem.sums import MaxSum, MinSum, SumLimit


def word_numbers(values: ArrayLike, name: str, rule: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return (n,) the number of each point's word, and the words by number, from 1.

    `values` (n,): A column, of words or of numbers. `name`: The column alone, or ``column=word``
    for one word. `rule`: The text, for the sentence of an error. Raises `ProblemError` if the
    column has no such word.
    """
    given = np.asarray(values)
    if given.ndim != 1:
        raise ProblemError(f"the rule {rule!r} names no single column.")
    texts = np.array(["" if is_missing(cell) else _text(cell) for cell in given.tolist()])
    words = [word for word in dict.fromkeys(texts.tolist()) if word]
    _, equals, wanted = name.partition("=")
    if not equals:
        words = sorted(words)
        return np.searchsorted(["", *words], texts).astype(np.int64), tuple(words)
    word = next((each for each in words if each.casefold() == _wanted(wanted).casefold()), None)
    if word is None:
        few = ", ".join(sorted(words)[:MOST_NAMED]) + ("…" if len(words) > MOST_NAMED else "")
        raise ProblemError(f"the rule {rule!r} names {quote(wanted.strip())}, but there are {few}.")
    return (texts == word).astype(np.int64), (word,)


def _text(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell).strip()


def _wanted(word: str) -> str:
    """Return a word as cells are written: 3.0 is 3."""
    try:
        return f"{float(word):g}"
    except ValueError:
        return word.strip()


@dataclass(frozen=True)
class MaxExcess(SumLimit):
    """The values of a cluster's points, some of them below 0, add up to at most ``limit``."""

    is_signed: ClassVar[bool] = True

    @property
    def between(self) -> tuple[float, float]:
        """The limits of a cluster's sum: none from below."""
        return -np.inf, self.limit

    def check(self, problem: Points) -> None:
        """Raise `UnfillableError` if all points together pass what k clusters may."""
        if float(self.weights(problem).sum()) > problem.k * self.limit:
            raise UnfillableError(
                "all points together break a limit on a share or a mean, so that every clustering "
                "has a cluster that does."
            )


# --- Counts of words ------------------------------------------------------------------------------


class _Words(RuleKind):
    """Base of the limits on the points of a cluster that have a word."""

    names = "words"

    def rule(self, words: RuleWords, known: Any) -> Rule:
        return Both(tuple(self._of(has, words) for has in _each_word(known)))

    def _of(self, has: NDArray[np.bool_], words: RuleWords) -> SumLimit:
        """Return the limit for the points that have a word."""
        raise NotImplementedError

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        size = np.bincount(labels[labels >= 0], minlength=problem.k)
        found = np.concatenate(
            [
                self._measure(np.bincount(labels[has & (labels >= 0)], minlength=problem.k), size)
                for has in _each_word(known)
            ]
        )
        return float(found.max() if self.is_upper else found.min())

    def _measure(self, having: IntArray, size: IntArray) -> NDArray[Any]:
        """Return (k,) the limited quantity, from the points with a word and all of a cluster."""
        raise NotImplementedError


def _each_word(known: Any) -> Iterator[NDArray[np.bool_]]:
    """Yield which points have each word: a word that none of the points has counts too."""
    numbers = np.asarray(known)
    return (numbers == number for number in range(1, int(numbers.max(initial=1)) + 1))


class _Count(_Words):
    """Base of the limits on a number of points."""

    unit = "points"
    help_text = "Points of a cluster with that word; of a column alone, with each of its words."
    _rule: ClassVar[type[SumLimit]]

    def _of(self, has: NDArray[np.bool_], words: RuleWords) -> SumLimit:
        return self._rule(tuple(has.astype(np.float64).tolist()), words.limit)

    def _measure(self, having: IntArray, size: IntArray) -> NDArray[Any]:
        return having


class MostCount(_Count):
    """An upper limit on the points of a cluster that have a word, or each word of a column."""

    name, text = "count()<=", "count(COLUMN)<=N"
    words, label = "at most {limit} of {name} a cluster", "Count of a word at most"
    sample, stored = "count(column)<=2", (MaxSum,)
    _rule = MaxSum

    def rule(self, words: RuleWords, known: Any) -> Rule:
        """Return the limit; one point of a word in a cluster means that any two are apart."""
        if words.limit != 1:
            return super().rule(words, known)
        return Apart(tuple(map(int, known)), np.inf, words.name.partition("=")[0], words.called)


class LeastCount(_Count):
    """A lower limit on the points of a cluster that have a word, or each word of a column."""

    name, text = "count()>=", "count(COLUMN=WORD)>=N"
    words, label = "at least {limit} of {name} a cluster", "Count of a word at least"
    sample, is_anti_monotone, stored = "count(column=1)>=1", False, (MinSum,)
    _rule = MinSum


# --- Shares and means within a cluster ------------------------------------------------------------


class _Share(_Words):
    """Base of the limits on the share of a cluster's points that have a word."""

    takes_share, is_anti_monotone = True, False
    unit, stored = "40%", (MaxExcess,)
    help_text = "Of the points of each cluster, those with that word; of a column, with each word."
    of_column: ClassVar[str]  # What comes before the name of a column

    def said(self, words: RuleWords) -> str:
        if "=" not in words.name:
            words = replace(words, name=f"{self.of_column} {words.name}")
        return super().said(words)

    def limit(self, words: RuleWords, known: Any) -> float:
        return float(100 * _share_of(words))

    def _of(self, has: NDArray[np.bool_], words: RuleWords) -> SumLimit:
        # In whole numbers: of the share p/q each point with the word adds q - p, each other -p.
        share = _share_of(words)
        values = has * float(share.denominator) - float(share.numerator)
        return MaxExcess(tuple((values if self.is_upper else -values).tolist()), 0.0)

    def _measure(self, having: IntArray, size: IntArray) -> NDArray[Any]:
        return 100.0 * having / np.maximum(size, 1)


def _share_of(words: RuleWords) -> Fraction:
    return Fraction(repr(words.limit)) / (100 if words.is_share else 1)


class MostShare(_Share):
    """An upper limit on the share of a cluster's points that have a word."""

    name, text = "share()<=", "share(COLUMN=WORD)<=S"
    words, label = "at most {limit} of each cluster are {name}", "Share of a word at most"
    of_column = "of one"
    sample = "share(column=1)<=50%"


class LeastShare(_Share):
    """A lower limit on the share of a cluster's points that have a word."""

    name, text = "share()>=", "share(COLUMN=WORD)>=S"
    words, label = "at least {limit} of each cluster are {name}", "Share of a word at least"
    of_column = "of each"
    sample = "share(column=1)>=20%"


class _Mean(RuleKind):
    """Base of the limits on the mean of a column in each cluster."""

    names, is_signed, has_signed_values, is_anti_monotone = "column", True, True, False
    unit, stored = "number", (MaxExcess,)
    help_text = "Of the points of each cluster, whatever they weigh. Values as in the table."

    def rule(self, words: RuleWords, known: Any) -> MaxExcess:
        values = checked_values(known, f"the column {words.name!r} of a rule", is_signed=True)
        over = values - words.limit if self.is_upper else words.limit - values
        # Decimal fractions are rounded in binary: a mean that passes by no more keeps the limit.
        is_whole = bool((over == np.rint(over)).all())
        slack = 0.0 if is_whole else len(over) * float(np.ldexp(1.0, -exact_grid(over)[0]))
        return MaxExcess(tuple(over.tolist()), slack)

    def limit(self, words: RuleWords, known: Any) -> float:
        slack = self.rule(words, known).limit
        return words.limit + slack if self.is_upper else words.limit - slack

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        inside = labels >= 0
        size = np.bincount(labels[inside], minlength=problem.k)
        total = np.bincount(labels[inside], np.asarray(known)[inside], problem.k)
        means = total[size > 0] / size[size > 0]
        return float(means.max() if self.is_upper else means.min())


class MostMean(_Mean):
    """An upper limit on the mean of a column in each cluster."""

    name, text = "mean()<=", "mean(COLUMN)<=C"
    words, label = "mean of {name} at most {limit}", "Mean of a column at most"
    sample = "mean(column)<=2"


class LeastMean(_Mean):
    """A lower limit on the mean of a column in each cluster."""

    name, text = "mean()>=", "mean(COLUMN)>=C"
    words, label = "mean of {name} at least {limit}", "Mean of a column at least"
    sample = "mean(column)>=1.5"
