"""Rules as the user wrote them, kept beside the links and sizes they were reduced to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ccviz.errors import ProblemError
from ccviz.problem.links import Links
from ccviz.problem.rule_words import Clusterings, RuleWords, split_rule
from ccviz.problem.sizes import Sizes


@dataclass(frozen=True)
class AskedRule:
    """A rule as text (see `split_rule`), with the labels of the clustering that it names.

    Parameters
    ----------
    text : str
        Such as ``difference(first)>=2``.
    known : tuple of int
        The label of each point in that clustering; empty where the rule names none.

    Raises
    ------
    ProblemError
        If the text is not a rule, or the clustering is missing.
    """

    text: str
    known: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.words.clustering) != bool(self.known):
            raise ProblemError(f"the rule {self.text!r} and its clustering do not fit together.")
        if min(self.known, default=0) < 0:
            raise ProblemError(f"the rule {self.text!r} names a clustering with negative labels.")

    @classmethod
    def read(cls, text: str, clustering: Clusterings | None = None) -> Self:
        """Parse a rule and look up the clustering that it names.

        Parameters
        ----------
        text : str
        clustering : callable, optional
            Returns the (n,) labels of a clustering by its name.

        Raises
        ------
        ProblemError
            If the text is not a rule, or it names an unknown clustering.
        """
        words = split_rule(text)
        if not words.clustering:
            return cls(text.strip())
        if clustering is None:
            raise ProblemError(f"the rule {text!r} names a clustering, but none is known here.")
        return cls(text.strip(), tuple(np.asarray(clustering(words.clustering)).tolist()))

    @cached_property
    def words(self) -> RuleWords:
        """Its parts."""
        return split_rule(self.text)

    def check(self, n: int) -> None:
        """Check that the clustering that it names has ``n`` points.

        Parameters
        ----------
        n : int
            Points.

        Raises
        ------
        ProblemError
        """
        if self.known and len(self.known) != n:
            raise ProblemError(
                f"the rule {self.text!r} names a clustering of {len(self.known):,} points, "
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
