"""Rules in an address: their own words, with the clustering that one names beside its name."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote, unquote

from ccviz.arrays import IntArray
from ccviz.errors import CcvizError, ProblemError
from ccviz.problem.asked import AskedRule

_DIGITS = string.digits + string.ascii_lowercase
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}

Finder = Callable[[str], IntArray]
"""Returns the labels of a stored run by its name."""


def rules_text(rules: Iterable[AskedRule]) -> str:
    """Return rules as an address has them, such as ``diameter<=3;difference(first:0011)>=2``.

    Parameters
    ----------
    rules : iterable of AskedRule

    Returns
    -------
    str

    Raises
    ------
    CcvizError
        If a clustering has more clusters than there are digits.
    """
    return ";".join(map(_text, rules))


def _text(rule: AskedRule) -> str:
    if not rule.known:
        return rule.text
    if max(rule.known) >= len(_DIGITS):
        raise CcvizError("A clustering with this number of clusters does not fit into an address.")
    name, labels = rule.words.clustering, "".join(_DIGITS[label] for label in rule.known)
    return _renamed(rule.text, f"{quote(name, safe=' ')}:{labels}")


def read_rules(text: str, find: Finder) -> list[AskedRule]:
    """Return the rules of an address.

    Parameters
    ----------
    text : str
        As `rules_text` writes them; a clustering may be a stored run's name alone.
    find : callable
        Returns the labels of such a run.

    Returns
    -------
    list of AskedRule

    Raises
    ------
    CcvizError
        If a word is no rule, or a run is not there.
    """
    return [_read(word, find) for word in text.split(";") if word.strip()]


def _read(word: str, find: Finder) -> AskedRule:
    def look_up(called: str) -> Sequence[int] | IntArray:
        name, colon, digits = called.partition(":")
        return _decoded(digits) if colon else find(unquote(name))

    rule = AskedRule.read(word, look_up)
    if not rule.known:
        return rule
    name = unquote(rule.words.clustering.partition(":")[0])
    return AskedRule(_renamed(rule.text, name), rule.known)


def _decoded(digits: str) -> list[int]:
    if not digits or not set(digits) <= set(_VALUES):
        raise ProblemError("the address has a clustering with letters that are no labels.")
    return [_VALUES[digit] for digit in digits]


def _renamed(text: str, name: str) -> str:
    """Return a rule's text with another name for its clustering."""
    start, end = text.index("("), text.rindex(")")
    return f"{text[: start + 1]}{name}{text[end:]}"
