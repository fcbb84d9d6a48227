"""Rules as people write them: ``diameter<=3``, ``separation>=0.5``, ``size<=40``, and more."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ccviz.errors import ProblemError
from ccviz.problem.rules import Both, MaxDiameter, MaxOverlap, MaxSize, Rule, different_from


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


@dataclass(frozen=True)
class MinSeparation:
    """Points of different clusters are at least ``limit`` apart (Euclidean).

    Parameters
    ----------
    limit : float
        In the units of X.
    """

    limit: float


@dataclass(frozen=True)
class MinSize:
    """A cluster holds at least ``limit`` points.

    Parameters
    ----------
    limit : int
        Points.
    """

    limit: int


Wish = Rule | MinSeparation | MinSize
"""Any rule on every cluster; `ccviz.problem.reduction` reduces some to links and sizes."""

GRAMMAR = (
    "diameter<=D, separation>=D, size<=N, size>=N, overlap(CLUSTERING)<=N "
    "or difference(CLUSTERING)>=N"
)

_MOST_WHOLE = 1 << 62  # larger limits on points are cut to this

_RULE = re.compile(r"\s*(\w+)\s*(?:\((.+)\))?\s*(<=|>=)\s*([^<>=]+?)\s*")

Clusterings = Callable[[str], ArrayLike]
"""Returns the labels of a known clustering by its name."""


def parse_rule(text: str, clustering: Clusterings | None = None) -> Wish:
    """Parse a rule.

    Parameters
    ----------
    text : str
        ``diameter<=3``, ``separation>=0.5``, ``size<=40``, ``size>=5``; ``overlap(C)<=3`` for at
        most 3 points shared by any cluster and any cluster of the known clustering C, and
        ``difference(C)>=2`` for at least 2 points of each cluster of C that any cluster lacks.
    clustering : callable, optional
        Returns the (n,) labels of C.

    Returns
    -------
    Rule, MinSeparation or MinSize

    Raises
    ------
    ProblemError
        If the text is not a rule; the sentence shows the grammar.
    """
    words = split_rule(text)
    _, make = _MAKERS[words.kind]
    if not words.clustering:
        return make(words.limit, None)
    if clustering is None:
        raise ProblemError(f"the rule {text!r} names a clustering, but none is known here.")
    return make(words.limit, np.asarray(clustering(words.clustering)))


def split_rule(text: str) -> RuleWords:
    """Return the parts of a rule's text.

    Parameters
    ----------
    text : str
        See `parse_rule`.

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
    if match is None or kind not in _MAKERS:
        raise ProblemError(f"the rule {text!r} is not {GRAMMAR}.")
    limit = _limit(text, match[4], whole=_MAKERS[kind][0])
    return RuleWords(kind, limit, (match[2] or "").strip())


def _limit(text: str, given: str, whole: bool) -> float:
    try:
        limit = min(int(given), _MOST_WHOLE) if whole else float(given)
    except ValueError:
        limit = -1
    if not 0 <= limit < np.inf:
        kind = "whole number" if whole else "number"
        raise ProblemError(f"the rule {text!r} has the limit {given}, which is no {kind} from 0.")
    return limit


def overlap_of(labels: ArrayLike, limit: int) -> Both:
    """Return the rule that no cluster shares more than ``limit`` points with a known cluster.

    Parameters
    ----------
    labels : (n,) int
        The known clustering.
    limit : int
        Points.

    Returns
    -------
    Both
    """
    labels = np.asarray(labels)
    known = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    return Both(tuple(MaxOverlap(tuple(cluster), limit) for cluster in known))


_MAKERS: dict[str, tuple[bool, Callable[..., Wish]]] = {
    "diameter<=": (False, lambda limit, _: MaxDiameter(limit)),
    "separation>=": (False, lambda limit, _: MinSeparation(limit)),
    "size<=": (True, lambda limit, _: MaxSize(limit)),
    "size>=": (True, lambda limit, _: MinSize(limit)),
    "overlap()<=": (True, lambda limit, labels: overlap_of(labels, limit)),
    "difference()>=": (True, lambda limit, labels: different_from(labels, limit)),
}
"""By a rule's word and sign: whether its limit is a whole number, and its constructor."""
