"""The parts of a rule's text: its word and sign, its limit, the clustering that it names."""

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
    clustering : str
        Name of the known clustering, or empty.
    """

    kind: str
    limit: float
    clustering: str = ""


GRAMMAR = (
    "diameter<=D, separation>=D, size<=N, size>=N, overlap(CLUSTERING)<=N "
    "or difference(CLUSTERING)>=N"
)

_MOST_WHOLE = 1 << 62  # larger limits on points are cut to this

_RULE = re.compile(r"\s*(\w+)\s*(?:\((.+)\))?\s*(<=|>=)\s*([^<>=]+?)\s*")

Clusterings = Callable[[str], ArrayLike]
"""Returns the labels of a known clustering by its name."""

_IS_WHOLE = {
    "diameter<=": False,
    "separation>=": False,
    "size<=": True,
    "size>=": True,
    "overlap()<=": True,
    "difference()>=": True,
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
    limit = _limit(text, match[4], whole=_IS_WHOLE[kind])
    return RuleWords(kind, limit, (match[2] or "").strip())


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
