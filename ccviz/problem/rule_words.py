"""The parts of a rule's text: word and sign, limit, and the clustering or column named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ccviz.errors import ProblemError


@dataclass(frozen=True)
class RuleWords:
    """The parts of a rule's text.

    Attributes
    ----------
    kind : str
        Word and sign, as ``"diameter<="`` or ``"overlap()<="``.
    limit : float
    name : str
        Name of the known clustering or of the column, or empty.
    is_share : bool
        Whether the limit is a percentage of the column's sum over all points.
    """

    kind: str
    limit: float
    name: str = ""
    is_share: bool = False

    @property
    def names_column(self) -> bool:
        """Whether the name is that of a column of numbers."""
        return self.kind.startswith("sum()")


GRAMMAR = (
    "diameter<=D, separation>=D, size<=N, size>=N, overlap(CLUSTERING)<=N, "
    "difference(CLUSTERING)>=N, sum(COLUMN)<=S or sum(COLUMN)>=S, where S may be a share as 20%"
)

_MOST_WHOLE = 1 << 62  # larger limits on points are cut to this

_RULE = re.compile(r"\s*(\w+)\s*(?:\((.+)\))?\s*(<=|>=)\s*([^<>=]+?)\s*")

Clusterings = Callable[[str], ArrayLike]
"""Returns the labels of a known clustering by its name."""

Columns = Callable[[str], ArrayLike]
"""Returns the values of a column by its name."""

_IS_WHOLE = {
    "diameter<=": False,
    "separation>=": False,
    "size<=": True,
    "size>=": True,
    "overlap()<=": True,
    "difference()>=": True,
    "sum()<=": False,
    "sum()>=": False,
}
"""Whether a rule's limit is a whole number, by its word and sign."""


def split_rule(text: str) -> RuleWords:
    """Return the parts of a rule's text.

    Parameters
    ----------
    text : str
        See `ccviz.problem.rule_text.parse_rule`.

    Returns
    -------
    RuleWords

    Raises
    ------
    ProblemError
        If the text is not a rule.
    """
    match = _RULE.fullmatch(text)
    kind = "" if match is None else f"{match[1].lower()}{'()' if match[2] else ''}{match[3]}"
    if match is None or kind not in _IS_WHOLE:
        raise ProblemError(f"the rule {text!r} is not {GRAMMAR}.")
    given, is_share = match[4], False
    if kind.startswith("sum()") and given.endswith("%"):
        given, is_share = given[:-1].rstrip(), True
    limit = _limit(text, given, whole=_IS_WHOLE[kind])
    return RuleWords(kind, limit, (match[2] or "").strip(), is_share)


def looked_up(
    text: str, words: RuleWords, clustering: Clusterings | None, column: Columns | None
) -> np.ndarray:
    """Return the labels or values that a rule names, none if it names nothing.

    Parameters
    ----------
    text : str
    words : RuleWords
        Of that text.
    clustering, column : callable, optional
        Return the (n,) labels of a clustering, and the (n,) values of a column, by its name.

    Raises
    ------
    ProblemError
        If there is nothing of that name.
    """
    if not words.name:
        return np.zeros(0)
    find = column if words.names_column else clustering
    if find is None:
        what = "column" if words.names_column else "clustering"
        raise ProblemError(f"the rule {text!r} names a {what}, but none is known here.")
    return np.asarray(find(words.name))


def _limit(text: str, given: str, whole: bool) -> float:
    try:
        limit = min(int(given), _MOST_WHOLE) if whole else float(given)
    except ValueError:
        limit = -1
    if not 0 <= limit < np.inf:
        kind = "whole number" if whole else "number"
        raise ProblemError(
            f"the rule {text!r} has the limit {given}; a {kind} of at least 0 is needed."
        )
    return limit
