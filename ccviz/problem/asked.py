"""Rules as people write them, and as the user wrote those of a problem.

``diameter<=3``, ``separation>=0.5``, ``size<=40`` and more: `RULE_KINDS` has all kinds. A problem
keeps its rules in words beside the links and sizes they were reduced to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ccviz.errors import ProblemError, quote
from ccviz.problem.column_links import MinSeparation, split_names  # noqa: F401 - as below
from ccviz.problem.counts import word_numbers
from ccviz.problem.links import Links
from ccviz.problem.points import checked_values, unknown_classes
from ccviz.problem.rule_base import Either, Rule, RuleKind, RuleWords
from ccviz.problem.rules import (  # noqa: F401 - this module is `ccviz.problem.rule_text` of 0.3
    RULE_KINDS,
    MaxConflicts,
    MinSize,
    overlap_of,
    similar_to,
)
from ccviz.problem.sizes import Sizes

# --- The parts of a text --------------------------------------------------------------------------


def _grammar() -> str:
    """Return the rules as text, for sentences; those that differ by the sign alone as one."""
    texts: dict[str, str] = {}
    for name, kind in RULE_KINDS.items():
        stem, sign = name[:-2], name[-2:]
        texts[stem] = f"{texts[stem]} or {sign}" if stem in texts else kind.text
    *most, last = texts.values()
    return f"{', '.join(most)}, {last}, where S may be a share as 20%; or 'A or B'"


GRAMMAR = _grammar()
"""The rules as text, for sentences."""

_MOST_WHOLE = 1 << 62  # larger limits on points are cut to this

# No two parts that take blanks are side by side: a long text of blanks would take minutes.
_RULE = re.compile(r"(\w+)\s*(?:\((.+)\)\s*)?(?:(<=|>=|=)([^<>=]+))?")

_ONE_OF = re.compile(r"(\w+\s*(?:\(.+?\))?\s*(?:<=|>=)[^<>=()]+?)(?:\s+or\s+|$)", re.IGNORECASE)

Clusterings = Callable[[str], ArrayLike]
"""Returns the labels of a known clustering by its name."""

Columns = Callable[[str], ArrayLike]
"""Returns the values of a column by its name, numbers or words."""


def split_rule(text: str) -> RuleWords:
    """Return the parts of a rule's text.

    Parameters
    ----------
    text : str
        See `parse_rule`.

    Raises
    ------
    ProblemError
        If the text is not a rule.
    """
    match = _RULE.fullmatch(text.strip())
    sign = "" if match is None or match[3] in (None, "=") else match[3]
    name = "" if match is None else f"{match[1].lower()}{'()' if match[2] else ''}{sign}"
    kind = RULE_KINDS.get(name)
    if match is None or kind is None or bool(sign) != kind.needs_limit:
        raise ProblemError(f"the rule {quote(text)} is not {GRAMMAR}.")
    given, is_share = (match[4] or "inf").strip(), False
    if kind.takes_share and given.endswith("%"):
        given, is_share = given[:-1].rstrip(), True
    limit = _limit(text, given, kind)
    return RuleWords(
        name, limit, (match[2] or "").strip(), is_share, kind.names.startswith("column")
    )


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


def linked_columns(texts: Iterable[str]) -> dict[str, str]:
    """Return the columns from which links follow, as by ``apart(photo)``, each with the kind."""
    words = [split_rule(each) for text in texts for each in split_either(text)]
    return {
        each.name.partition("=")[0]: each.kind
        for each in words
        if not RULE_KINDS[each.kind].needs_limit
    }


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
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the labels or values that a rule names, none if it names nothing, and their words.

    Parameters
    ----------
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
        return np.zeros(0), ()
    kind = RULE_KINDS[words.kind]
    find = clustering if kind.names == "run" else column
    if find is None:
        raise ProblemError(f"the rule {text!r} names a {_what(kind)}, but none is known here.")
    if kind.names == "columns":
        found = [np.asarray(find(name)) for name in split_names(words.name)]
        return np.concatenate(found), ()
    if kind.names != "words":
        return np.asarray(find(words.name)), ()
    return word_numbers(find(words.name.partition("=")[0].strip()), words.name, text)


def known_labels(labels: Any, unknown: Iterable[Any] = ()) -> NDArray[Any]:
    """Return labels as (n,) objects, None where a point has none.

    Parameters
    ----------
    labels : (n,) sequence
        None, NaN, the empty word or -1 where a label is not known, as in scikit-learn.
    unknown : iterable, optional
        More words and numbers that mean that it is not.

    Raises
    ------
    ProblemError
        If the labels have another shape.
    """
    given = np.asarray(labels, dtype=None if hasattr(labels, "dtype") else object)
    if given.ndim != 1:
        raise ProblemError(f"labels must be one for each row, not of shape {given.shape}.")
    found = given.astype(object)
    found[unknown_classes(given)] = None
    words = {str(each).strip().casefold() for each in unknown}
    found[[str(each).strip().casefold() in words for each in found]] = None
    return found


def with_known_labels(text: str, column: Columns) -> Columns:
    """Return the columns for a rule, where those of its labels are as `known_labels` returns them.

    Parameters
    ----------
    text : str
        The rule.
    column : callable
        Returns the (n,) values of a column by its name.
    """
    kinds = linked_columns([text])

    def find(name: str) -> Any:
        found = column(name)
        return known_labels(found) if kinds.get(name) == "labels()" else found

    return find


def _what(kind: RuleKind) -> str:
    return "clustering" if kind.names == "run" else "column"


def _limit(text: str, given: str, kind: RuleKind) -> float:
    try:
        limit = min(int(given), _MOST_WHOLE) if kind.is_whole else float(given)
    except ValueError:
        limit = np.nan
    if not kind.needs_limit:
        if limit > 0:
            return limit
        raise ProblemError(f"the rule {text!r} has the weight {given}, but weights are positive.")
    if not (-np.inf if kind.is_signed else 0) <= limit < np.inf:
        wanted = "whole number" if kind.is_whole else "number"
        wanted += "" if kind.is_signed else " of at least 0"
        raise ProblemError(f"the rule {text!r} has the limit {given}; a {wanted} is needed.")
    return limit


def parse_rule(
    text: str, clustering: Clusterings | None = None, column: Columns | None = None
) -> Rule:
    """Return the rule that a text names.

    Parameters
    ----------
    text : str
        ``diameter<=3``, ``separation>=0.5``, ``size<=40``, ``size>=5``; ``diameter(lon,lat)<=30``
        and ``separation(V,W)>=5`` for distances by columns, in km where the two are a longitude and
        a latitude; ``overlap(C)<=3`` for at
        most 3 points shared by any cluster and any cluster of the known clustering C, and
        ``difference(C)>=2`` for at least 2 points of each cluster of C that any cluster lacks;
        ``outside(C)<=2`` for at most 2 points of any cluster from outside some cluster of C;
        ``conflicts<=1`` for at most one soft cannot-link with both points in a cluster;
        ``sum(V)>=1000`` and ``sum(V)<=20%`` for the sum of the column V in any cluster, a number
        or a share of all points' sum; ``count(class)<=2`` for at most 2 points of any cluster with
        the same word in the column class, ``count(gender=girl)>=3`` for at least 3 with that word,
        ``share(gender=girl)<=60%`` for that share of the points of each cluster, and
        ``mean(age)<=30`` for the mean of the column in each cluster; ``together(patient)`` and
        ``apart(photo)`` for links between all points with the same word in a column, soft ones with
        a weight: ``apart(photo)=2.5``. ``size<=40 or diameter<=3``
        joins two or more rules, of which every cluster keeps at least one; those of which a part of
        a cluster may break what the cluster keeps cannot be joined, as ``size>=`` and all on means
        and shares.
    clustering : callable, optional
        Returns the (n,) labels of C.
    column : callable, optional
        Returns the (n,) values of V.

    Raises
    ------
    ProblemError
        If the text is not a rule; the sentence shows the grammar.
    """
    texts = split_either(text)
    if len(texts) > 1:
        check_either(texts)
        return either(parse_rule(each, clustering, column) for each in texts)
    words = split_rule(text)
    known, called = looked_up(text, words, clustering, column)
    return RULE_KINDS[words.kind].rule(replace(words, called=called), known)


def either(rules: Iterable[Rule]) -> Either:
    """Return the rule that every cluster keeps one of several.

    Parameters
    ----------
    rules : iterable of Rule
        All anti-monotone, see `check_either`.
    """
    return Either(tuple(rules))


# --- Rules of a problem in words, with what they name ---------------------------------------------


@dataclass(frozen=True)
class AskedRule:
    """A rule as text (see `split_rule`), with the clustering or column that it names.

    Parameters
    ----------
    text : str
        Such as ``difference(first)>=2``.
    known : tuple of int or of float
        The label of each point in that clustering, its value in that column, or the number of its
        word (`ccviz.problem.counts`); of several columns one after the other; empty where the rule
        names nothing.
    called : tuple of str
        Those words by number, from 1, for sentences; files do not keep them.

    Raises
    ------
    ProblemError
        If the text is not a rule, the clustering or column is missing, or a value is not a finite
        number of at least 0.
    """

    text: str
    known: tuple[float, ...] = ()
    called: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if bool(self.words.name) != bool(self.known):
            raise ProblemError(
                f"the rule {self.text!r} and its {_what(self.kind)} do not fit together."
            )
        if self.words.names_column:
            called = f"the column {self.words.name!r} of a rule"
            checked = checked_values(self.known, called, self.kind.has_signed_values)
            object.__setattr__(self, "known", tuple(checked.tolist()))
        elif not all(isinstance(label, int) for label in self.known):
            raise ProblemError(
                f"the rule {self.text!r} names a {_what(self.kind)} with broken labels."
            )
        elif min(self.known, default=0) < 0:
            raise ProblemError(
                f"the rule {self.text!r} names a {_what(self.kind)} with negative labels."
            )

    @classmethod
    def read(
        cls, text: str, clustering: Clusterings | None = None, column: Columns | None = None
    ) -> Self:
        """Parse a rule and look up the clustering or column that it names.

        Parameters
        ----------
        clustering, column : callable, optional
            Return the (n,) labels of a clustering, and the (n,) values of a column, by its name.

        Raises
        ------
        ProblemError
            If the text is not a rule, or it names an unknown clustering or column.
        """
        known, called = looked_up(text, split_rule(text), clustering, column)
        return cls(text.strip(), tuple(known.tolist()), called)

    @cached_property
    def words(self) -> RuleWords:
        """Its parts."""
        return replace(split_rule(self.text), called=self.called)

    @property
    def kind(self) -> RuleKind:
        """Its kind."""
        return RULE_KINDS[self.words.kind]

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
        if self.known and len(self.known) != n * self._columns:
            raise ProblemError(
                f"the rule {self.text!r} names a {_what(self.kind)} of "
                f"{len(self.known) / self._columns:,g} points, but there are {n:,}."
            )

    @property
    def _columns(self) -> int:
        """How many columns it names; 1 for a clustering."""
        return len(split_names(self.words.name)) if self.kind.names == "columns" else 1

    def of_points(self, stays: NDArray[np.bool_]) -> Self:
        """Return the rule for some of the points.

        Parameters
        ----------
        stays : (n,) bool
        """
        if not self.known:
            return self
        known = np.array(self.known).reshape(self._columns, -1)[:, stays]
        return replace(self, known=tuple(known.ravel().tolist()))


@dataclass(frozen=True)
class AskedEither:
    """Rules of which every cluster keeps at least one: ``size<=40 or diameter<=3``.

    One cluster may keep one of them, and another cluster another.

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
    clustering, column : callable, optional
        Return the (n,) labels of a clustering, and the (n,) values of a column, by its name.

    Raises
    ------
    ProblemError
        If the text is not a rule, or it names an unknown clustering or column.
    """
    return joined([AskedRule.read(each, clustering, column) for each in split_either(text)])


def joined(rules: Iterable[AskedRule]) -> AnyAsked:
    """Return the rule that every cluster keeps one of several; of one, that one."""
    once = tuple(dict.fromkeys(rules))
    return once[0] if len(once) == 1 else AskedEither(once)


def parts_of(rule: AnyAsked) -> tuple[AskedRule, ...]:
    """Return the rules that are joined by *or*; of a single rule itself."""
    return rule.rules if isinstance(rule, AskedEither) else (rule,)


def label_rules(rules: Iterable[AnyAsked]) -> Iterator[AskedRule]:
    """Yield the rules by a column of labels, as ``labels(type)``; none is joined by *or*."""
    return (each for rule in rules for each in parts_of(rule) if each.words.kind == "labels()")


def rule_of(rule: AnyAsked) -> Rule:
    """Return the rule that was asked for in words."""
    if isinstance(rule, AskedEither):
        return either(rule_of(each) for each in rule.rules)
    return rule.kind.rule(rule.words, np.asarray(rule.known))


Wish, wish_of = Rule, rule_of  # names of 0.3


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem's links, sizes and rules as given, before rules were reduced to links and sizes.

    Attributes
    ----------
    must_link, cannot_link : Links
        The links as given, without those that rules were reduced to.
    sizes : Sizes or None
        The sizes as given.
    """

    rules: tuple[AnyAsked, ...]
    must_link: Links
    cannot_link: Links
    sizes: Sizes | None
