"""The errors that ccviz raises on purpose: each carries one sentence for people."""

from __future__ import annotations

import re
from itertools import pairwise

_MOST_QUOTED = 80  # letters of a value
_MOST_WORD = 240  # letters of a word in a sentence
_MOST_LETTERS = 2000
_LONG_WORD = re.compile(rf"\S{{{_MOST_WORD},}}")


class CcvizError(ValueError):
    """Base of all errors about input; its text is a sentence fit to be shown.

    What it quotes is cut where it is long: a cell may have a million letters.
    """

    def __init__(self, sentence: str = "") -> None:
        super().__init__(_LONG_WORD.sub(_cut, _cut_sentence(sentence)))


def _cut(word: re.Match[str]) -> str:
    return f"{word[0][: _MOST_WORD // 2]}…{word[0][-_MOST_WORD // 4 :]}"


def _cut_sentence(text: str) -> str:
    if len(text) <= _MOST_LETTERS:
        return text
    return f"{text[: 3 * _MOST_LETTERS // 4]} … {text[-_MOST_LETTERS // 4 :]}"


class ProblemError(CcvizError):
    """A problem that cannot be built from what was given."""


class ContradictionError(ProblemError):
    """A hard cannot-link whose two points are joined by hard must-links.

    Attributes
    ----------
    pair : tuple of int
        The cannot-link.
    chain : tuple of int
        The points from one end of the pair to the other, each linked to the next by a must-link.
    rules : str
        Which of these links rules have made, in words.
    """

    def __init__(self, pair: tuple[int, int], chain: tuple[int, ...], rules: str = "") -> None:
        self.pair = pair
        self.chain = chain
        steps = ", ".join(f"{a}-{b}" for a, b in pairwise(chain))
        super().__init__(
            f"cannot-link {pair[0]}-{pair[1]} contradicts the must-link"
            f"{'s' if len(chain) > 2 else ''} {steps}{rules}."
        )


class UnfillableError(ProblemError):
    """Sizes or must-links that no clustering into k clusters can have."""


class ParameterError(CcvizError):
    """A solver's parameter that is unknown or out of its range."""


class UnsupportedError(CcvizError):
    """A solver was given a problem with a kind of constraint that it cannot honour."""


class FileFormatError(CcvizError):
    """A file whose content cannot be read; the sentence names the line."""


class ArchiveError(CcvizError):
    """An archive or export file that cannot be read or written."""


class UnknownRunError(ArchiveError):
    """A run that is not in the archive, or not any more."""


class WorkersLostError(CcvizError):
    """All workers of a run were lost, and none came in their place."""


class NoClusteringError(CcvizError):
    """A run that was to give a clustering ended without one.

    Attributes
    ----------
    status : str
        ``"infeasible"`` if it is proved that there is none, otherwise ``"unknown"``.
    """

    def __init__(self, status: str, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


def quote(value: object) -> str:
    """Return a value as a sentence can quote it: as it is written, and cut where it is long."""
    if isinstance(value, str | bytes):
        value = value[: _MOST_QUOTED + 1]
    try:
        text = repr(value)
    except ValueError:  # Python does not write whole numbers of thousands of digits
        return "a number of very many digits"
    return text if len(text) <= _MOST_QUOTED else f"{text[: _MOST_QUOTED - 1]}…"
