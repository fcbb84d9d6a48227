"""Rules as the user wrote them, kept beside the links and sizes they were reduced to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

from ccviz.errors import ProblemError
from ccviz.problem.links import Links
from ccviz.problem.rule_words import Clusterings, Columns, RuleWords, looked_up, split_rule
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


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem's links, sizes and rules as given, before rules were reduced to links and sizes.

    Attributes
    ----------
    rules : tuple of AskedRule
    must_link, cannot_link : Links
        The links as given, without those that rules were reduced to.
    sizes : Sizes or None
        The sizes as given.
    """

    rules: tuple[AskedRule, ...]
    must_link: Links
    cannot_link: Links
    sizes: Sizes | None
