"""Rules in an address: their own words, with the clustering or column that one names beside it."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote, unquote

from ccviz.arrays import IntArray
from ccviz.errors import CcvizError, ProblemError
from ccviz.problem.asked import AnyAsked, AskedRule, joined, parts_of
from ccviz.problem.rule_words import split_either

_DIGITS = string.digits + string.ascii_lowercase
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}

Finder = Callable[[str], IntArray]
"""Returns the labels of a stored run by its name."""


def rules_text(rules: Iterable[AnyAsked]) -> str:
    """Return rules as an address has them, such as ``diameter<=3;difference(first:0011)>=2``.

    The values of a column are joined by commas: ``sum(people:3,5.5,1,2)>=4``.

    Parameters
    ----------
    rules : iterable of AskedRule or AskedEither

    Returns
    -------
    str

    Raises
    ------
    CcvizError
        If a clustering has more clusters than there are digits.
    """
    return ";".join(" or ".join(map(_text, parts_of(rule))) for rule in rules)


def _text(rule: AskedRule) -> str:
    if not rule.known:
        return rule.text
    name = quote(rule.words.name, safe=" ")
    if rule.words.names_column:
        return _renamed(rule.text, f"{name}:{','.join(f'{value:.17g}' for value in rule.known)}")
    if max(rule.known) >= len(_DIGITS):
        raise CcvizError("A clustering with this number of clusters does not fit into an address.")
    return _renamed(rule.text, f"{name}:{''.join(_DIGITS[int(each)] for each in rule.known)}")


def read_rules(text: str, find: Finder) -> list[AnyAsked]:
    """Return the rules of an address.

    Parameters
    ----------
    text : str
        As `rules_text` writes them; a clustering may be a stored run's name alone.
    find : callable
        Returns the labels of such a run.

    Returns
    -------
    list of AskedRule and AskedEither

    Raises
    ------
    CcvizError
        If a word is no rule, or a run or the values of a column are not there.
    """
    words = (word for word in text.split(";") if word.strip())
    return [joined(_read(each, find) for each in split_either(word)) for word in words]


def _read(word: str, find: Finder) -> AskedRule:
    def look_up(called: str) -> Sequence[int] | IntArray:
        name, colon, digits = called.partition(":")
        return _decoded(digits) if colon else find(unquote(name))

    rule = AskedRule.read(word, look_up, _values)
    if not rule.known:
        return rule
    name = unquote(rule.words.name.partition(":")[0])
    return AskedRule(_renamed(rule.text, name), rule.known)


def _values(called: str) -> list[float]:
    try:
        return [float(word) for word in called.partition(":")[2].split(",")]
    except ValueError:
        raise ProblemError("the address has a column with values that are no numbers.") from None


def _decoded(digits: str) -> list[int]:
    if not digits or not set(digits) <= set(_VALUES):
        raise ProblemError("the address has a clustering with letters that are no labels.")
    return [_VALUES[digit] for digit in digits]


def _renamed(text: str, name: str) -> str:
    """Return a rule's text with another name for its clustering or column."""
    start, end = text.index("("), text.rindex(")")
    return f"{text[: start + 1]}{name}{text[end:]}"
