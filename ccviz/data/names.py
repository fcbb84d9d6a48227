"""Lookup of points by their names."""

from __future__ import annotations

from collections.abc import Sequence

from ccviz.errors import CcvizError
from ccviz.numbers import whole


class NameBook:
    """Finds points by name, or by number from 0.

    Parameters
    ----------
    n : int
        Number of points.
    names : sequence of str
        Names of the points; empty if they have none.

    Examples
    --------
    >>> book = NameBook(3, ["Anna", "Bert", "7"])
    >>> book.find("bert"), book.find("0"), book.find("7")
    (1, 0, 2)
    """

    def __init__(self, n: int, names: Sequence[str] = ()) -> None:
        self._n, self._names = n, names
        self._known: dict[str, int] = {}
        self._several: set[str] = set()
        for at, name in enumerate(names):
            key = _key(name)
            if self._known.setdefault(key, at) != at:
                self._several.add(key)

    def find(self, word: str) -> int:
        """Return the point that a word names: a whole name, in any case, or else a number.

        Parameters
        ----------
        word : str

        Returns
        -------
        int

        Raises
        ------
        CcvizError
            If there is no such point, or several have the name.
        """
        key = _key(word)
        if key in self._several:
            raise CcvizError(f"several points are called {word.strip()!r}; use their numbers.")
        if key in self._known:
            return self._known[key]
        point = whole(key)
        if point is not None and point < self._n:
            return point
        called = "is no name and " if self._names else "is "
        raise CcvizError(f"{word.strip()!r} {called}no point: they are 0 to {self._n - 1}.")

    def read(self, text: str) -> list[int]:
        """Return the points that a text names, each once.

        Parameters
        ----------
        text : str
            Separated by commas, or also by blanks if points have no names.

        Returns
        -------
        list of int

        Raises
        ------
        CcvizError
            If a word does not name a point.
        """
        if _key(text) in self._known:
            return [self.find(text)]
        words = text.split(",") if self._names else text.replace(",", " ").split()
        return list(dict.fromkeys(self.find(word) for word in words if word.strip()))


def _key(name: str) -> str:
    return name.strip().casefold()


def suggest(names: Sequence[str], typed: str, most: int = 8) -> list[str]:
    """Return names that match typed text, each once; those that begin with it come first.

    Parameters
    ----------
    names : sequence of str
    typed : str
        Upper and lower case are equal.
    most : int

    Returns
    -------
    list of str
        Empty if nothing was typed.
    """
    key = _key(typed)
    if not key:
        return []
    fitting = [name for name in dict.fromkeys(names) if key in name.casefold()]
    return sorted(fitting, key=lambda name: not name.casefold().startswith(key))[:most]
