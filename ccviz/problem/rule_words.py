"""The kinds of rules, and the parts of a rule's text: kind, limit, clustering or column named."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ccviz.errors import ProblemError


@dataclass(frozen=True)
class RuleKind:
    """A kind of rule, as it is written and as people read and choose it.

    Attributes
    ----------
    name : str
        Word and sign, as ``"diameter<="``, with ``()`` if a rule names something.
    text : str
        The rule with letters for its parts, as ``"diameter<=D"``.
    words : str
        The rule in words, with ``{limit}`` and ``{name}``.
    label, help_text : str
        Words of the form on the page.
    unit : str
        Unit of the limit; points and links are counted in whole numbers.
    names : {"", "run", "column"}
        What a rule of the kind names: nothing, a run's clustering, or a column of the data.
    """

    name: str
    text: str
    words: str
    label: str
    help_text: str
    unit: str
    names: Literal["", "run", "column"] = ""

    @property
    def is_whole(self) -> bool:
        """Whether the limit is a whole number."""
        return self.unit in ("points", "links")

    @property
    def is_anti_monotone(self) -> bool:
        """Whether every part of a cluster that keeps such a rule keeps it too."""
        return self.name.endswith("<=") or self.name == "difference()>="

    def written(self, limit: str, name: str = "") -> str:
        """Return the text of a rule of this kind.

        Parameters
        ----------
        limit, name : str
        """
        return f"{self.name.replace('()', f'({name})')}{limit}"


RULE_KINDS = {
    kind.name: kind
    for kind in (
        RuleKind(
            "diameter<=", "diameter<=D", "diameter at most {limit}", "Diameter at most",
            "No two points of a cluster are further apart; in the units of the features as scaled.",
            "distance",
        ),
        RuleKind(
            "separation>=", "separation>=D", "separation at least {limit}", "Separation at least",
            "Points of different clusters are no nearer; in the units of the features as scaled.",
            "distance",
        ),
        RuleKind(
            "size<=", "size<=N", "at most {limit} points a cluster", "Size at most",
            "Of every cluster.", "points",
        ),
        RuleKind(
            "size>=", "size>=N", "at least {limit} points a cluster", "Size at least",
            "Of every cluster.", "points",
        ),
        RuleKind(
            "difference()>=", "difference(CLUSTERING)>=N",
            "unlike {name}, by {limit} points a cluster", "Different from a run",
            "Another answer: every cluster lacks at least these points of each cluster of that "
            "run.",
            "points", "run",
        ),
        RuleKind(
            "overlap()<=", "overlap(CLUSTERING)<=N",
            "at most {limit} points shared with a cluster of {name}", "Overlap with a run at most",
            "No cluster shares more points than these with any cluster of that run.",
            "points", "run",
        ),
        RuleKind(
            "outside()<=", "outside(CLUSTERING)<=N",
            "at most {limit} points a cluster from outside a cluster of {name}",
            "Similar to a run, but for",
            "Every cluster has a cluster of that run from outside which it takes at most these "
            "points.",
            "points", "run",
        ),
        RuleKind(
            "conflicts<=", "conflicts<=N", "at most {limit} soft cannot-links in a cluster",
            "Soft cannot-links at most",
            "Of every cluster: soft cannot-links, which have a weight, with both points in it.",
            "links",
        ),
        RuleKind(
            "sum()>=", "sum(COLUMN)>=S", "at least {limit} of {name} a cluster",
            "Sum of a column at least",
            "In every cluster; a share is of the column's sum over all points. Values as in the "
            "table.",
            "number or 10%", "column",
        ),
        RuleKind(
            "sum()<=", "sum(COLUMN)<=S", "at most {limit} of {name} a cluster",
            "Sum of a column at most",
            "In every cluster; a share is of the column's sum over all points. Values as in the "
            "table.",
            "number or 20%", "column",
        ),
    )
}  # fmt: skip
"""The kinds of rules by their names, in the order in which the page offers them."""

_TEXTS = [kind.text for kind in RULE_KINDS.values()]
GRAMMAR = f"{', '.join(_TEXTS[:-1])} or {_TEXTS[-1]}, where S may be a share as 20%, or 'A or B'"
"""The rules as text, for sentences."""


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
        return RULE_KINDS[self.kind].names == "column"


_MOST_WHOLE = 1 << 62  # larger limits on points are cut to this

# No two parts that take blanks stand side by side: a long text of blanks would take minutes.
_RULE = re.compile(r"(\w+)\s*(?:\((.+)\)\s*)?(<=|>=)([^<>=]+)")

_ONE_OF = re.compile(r"(\w+\s*(?:\(.+?\))?\s*(?:<=|>=)[^<>=()]+?)(?:\s+or\s+|$)", re.IGNORECASE)

Clusterings = Callable[[str], ArrayLike]
"""Returns the labels of a known clustering by its name."""

Columns = Callable[[str], ArrayLike]
"""Returns the values of a column by its name."""


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
    match = _RULE.fullmatch(text.strip())
    name = "" if match is None else f"{match[1].lower()}{'()' if match[2] else ''}{match[3]}"
    kind = RULE_KINDS.get(name)
    if match is None or kind is None:
        raise ProblemError(f"the rule {text!r} is not {GRAMMAR}.")
    given, is_share = match[4].strip(), False
    if kind.names == "column" and given.endswith("%"):
        given, is_share = given[:-1].rstrip(), True
    limit = _limit(text, given, whole=kind.is_whole)
    return RuleWords(name, limit, (match[2] or "").strip(), is_share)


def split_either(text: str) -> list[str]:
    """Return the texts of the rules joined by *or*; of a single rule the text itself.

    Parameters
    ----------
    text : str
        As ``size<=40 or diameter<=3``.
    """
    found, at, text = [], 0, text.strip()
    while match := _ONE_OF.match(text, at):
        found.append(match[1])
        at = match.end()
        if at == len(text):
            return found
    return [text]


def check_either(texts: Sequence[str]) -> None:
    """Check that a cluster may keep one of several rules instead of all.

    Parameters
    ----------
    texts : sequence of str
        A rule each.

    Raises
    ------
    ProblemError
        If one is not anti-monotone.
    """
    for text in texts:
        if not RULE_KINDS[split_rule(text).kind].is_anti_monotone:
            raise ProblemError(
                f"the rule {text!r} cannot be joined by 'or': parts of a cluster that keeps it may "
                "break it."
            )


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
