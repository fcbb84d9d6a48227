"""Rules as the user wrote them, kept beside the links and sizes they were reduced to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ccviz.errors import ProblemError
from ccviz.problem.links import Links
from ccviz.problem.rule_words import (
    Clusterings,
    Columns,
    RuleWords,
    check_either,
    looked_up,
    split_either,
    split_rule,
)
from ccviz.problem.sizes import Sizes
from ccviz.problem.weights import checked_values


@dataclass(frozen=True)
class AskedRule:
    """A rule as text (see `split_rule`), with the clustering or column that it names.

    Parameters
    ----------
    text : str
        Such as ``difference(first)>=2``.
    known : tuple of int or of float
        The label of each point in that clustering, or its value in that column; empty where the
        rule names neither.

    Raises
    ------
    ProblemError
        If the text is not a rule, the clustering or column is missing, or a value is not a finite
        number of at least 0.
    """

    text: str
    known: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.words.name) != bool(self.known):
            what = "column" if self.words.names_column else "clustering"
            raise ProblemError(f"the rule {self.text!r} and its {what} do not fit together.")
        if self.words.names_column:
            checked = checked_values(self.known, f"the column {self.words.name!r} of a rule")
            object.__setattr__(self, "known", tuple(checked.tolist()))
        elif not all(isinstance(label, int) for label in self.known):
            raise ProblemError(f"the rule {self.text!r} names a clustering with broken labels.")
        elif min(self.known, default=0) < 0:
            raise ProblemError(f"the rule {self.text!r} names a clustering with negative labels.")

    @classmethod
    def read(
        cls, text: str, clustering: Clusterings | None = None, column: Columns | None = None
    ) -> Self:
        """Parse a rule and look up the clustering or column that it names.

        Parameters
        ----------
        text : str
        clustering, column : callable, optional
            Return the (n,) labels of a clustering, and the (n,) values of a column, by its name.

        Raises
        ------
        ProblemError
            If the text is not a rule, or it names an unknown clustering or column.
        """
        known = looked_up(text, split_rule(text), clustering, column)
        return cls(text.strip(), tuple(known.tolist()))

    @cached_property
    def words(self) -> RuleWords:
        """Its parts."""
        return split_rule(self.text)

    def check(self, n: int) -> None:
        """Check that the clustering or column that it names has ``n`` points.

        Parameters
        ----------
        n : int
            Points.

        Raises
        ------
        ProblemError
        """
        if self.known and len(self.known) != n:
            what = "column" if self.words.names_column else "clustering"
            raise ProblemError(
                f"the rule {self.text!r} names a {what} of {len(self.known):,} points, "
                f"but there are {n:,}."
            )

    def of_points(self, stays: NDArray[np.bool_]) -> Self:
        """Return the rule for some of the points.

        Parameters
        ----------
        stays : (n,) bool
        """
        if not self.known:
            return self
        return replace(self, known=tuple(np.array(self.known)[stays].tolist()))


@dataclass(frozen=True)
class AskedEither:
    """Rules of which every cluster keeps at least one: ``size<=40 or diameter<=3``.

    One cluster may keep one of them, and another cluster another.

    Parameters
    ----------
    rules : tuple of AskedRule

    Raises
    ------
    ProblemError
        If a rule is not anti-monotone, such as ``size>=5``.
    """

    rules: tuple[AskedRule, ...]

    def __post_init__(self) -> None:
        check_either([rule.text for rule in self.rules])

    @property
    def text(self) -> str:
        """The rules as text."""
        return " or ".join(rule.text for rule in self.rules)

    @property
    def known(self) -> tuple[float, ...]:
        """The labels and values of all that the rules name, empty if they name nothing."""
        return tuple(value for rule in self.rules for value in rule.known)

    def check(self, n: int) -> None:
        """Check that what the rules name has ``n`` points.

        Parameters
        ----------
        n : int
            Points.

        Raises
        ------
        ProblemError
        """
        for rule in self.rules:
            rule.check(n)

    def of_points(self, stays: NDArray[np.bool_]) -> Self:
        """Return the rules for some of the points.

        Parameters
        ----------
        stays : (n,) bool
        """
        return replace(self, rules=tuple(rule.of_points(stays) for rule in self.rules))


AnyAsked = AskedRule | AskedEither
"""A rule as the user wrote it."""


def read_asked(
    text: str, clustering: Clusterings | None = None, column: Columns | None = None
) -> AnyAsked:
    """Parse a rule or several joined by *or*, and look up what they name.

    Parameters
    ----------
    text : str
    clustering, column : callable, optional
        Return the (n,) labels of a clustering, and the (n,) values of a column, by its name.

    Returns
    -------
    AskedRule or AskedEither

    Raises
    ------
    ProblemError
        If the text is not a rule, or it names an unknown clustering or column.
    """
    return joined([AskedRule.read(each, clustering, column) for each in split_either(text)])


def joined(rules: Iterable[AskedRule]) -> AnyAsked:
    """Return the rule that every cluster keeps one of several; of one, that one.

    Parameters
    ----------
    rules : iterable of AskedRule
    """
    once = tuple(dict.fromkeys(rules))
    return once[0] if len(once) == 1 else AskedEither(once)


def parts_of(rule: AnyAsked) -> tuple[AskedRule, ...]:
    """Return the rules that are joined by *or*; of a single rule itself.

    Parameters
    ----------
    rule : AskedRule or AskedEither
    """
    return rule.rules if isinstance(rule, AskedEither) else (rule,)


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem's links, sizes and rules as given, before rules were reduced to links and sizes.

    Attributes
    ----------
    rules : tuple of AskedRule or AskedEither
    must_link, cannot_link : Links
        The links as given, without those that rules were reduced to.
    sizes : Sizes or None
        The sizes as given.
    """

    rules: tuple[AnyAsked, ...]
    must_link: Links
    cannot_link: Links
    sizes: Sizes | None
