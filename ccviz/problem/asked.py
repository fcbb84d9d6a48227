"""Rules as somebody asked for them, kept beside the links and sizes that were made of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ccviz.errors import ProblemError
from ccviz.problem.links import Links
from ccviz.problem.problem import Sizes
from ccviz.problem.rule_text import Clusterings, RuleWords, Wish, parse_rule, split_rule


@dataclass(frozen=True)
class AskedRule:
    """A rule in the words of `parse_rule`, with the clustering that it names.

    Parameters
    ----------
    text : str
        Such as ``difference(first)>=2``.
    known : tuple of int
        The label of each point in that clustering; empty where the rule names none.

    Raises
    ------
    ProblemError
        If the text is no rule, or the clustering is missing.
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
        """Return the rule that a text stands for, with the clustering that it names looked up.

        Parameters
        ----------
        text : str
        clustering : callable, optional
            Returns the (n,) labels of a clustering by its name.

        Raises
        ------
        ProblemError
            If the text is no rule, or nobody knows the clustering.
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

    @cached_property
    def wish(self) -> Wish:
        """What it asks of every cluster."""
        return parse_rule(self.text, lambda _: self.known)

    def check(self, n: int) -> None:
        """Raise if the clustering that it names is not one of so many points.

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
    """What a problem was before its rules became links and sizes.

    Attributes
    ----------
    rules : tuple of AskedRule
    must_link, cannot_link : Links
        Those that were given, without those that stand for rules.
    sizes : Sizes or None
        Those that were given.
    """

    rules: tuple[AskedRule, ...]
    must_link: Links
    cannot_link: Links
    sizes: Sizes | None
