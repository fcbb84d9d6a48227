"""Parsing and printing of cluster sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ccviz.errors import ProblemError
from ccviz.numbers import whole


def read_sizes(text: str, n: int, k: int) -> tuple[list[int], list[int]]:
    """Return the fewest and the most points of each cluster; empty lists for an empty text.

    Parameters
    ----------
    text : str
        ``equal``, or ``50`` and ``40-60`` joined by commas, semicolons or blanks. A single item
        applies to all clusters.
    n, k : int
        Points and clusters.

    Returns
    -------
    lower, upper : list of int

    Raises
    ------
    ProblemError
        If a word is not a size, or the number of sizes is not the number of clusters.
    """
    if text.strip().lower() == "equal":
        return [n // k] * k, [-(-n // k)] * k
    words = re.split(r"[,;\s]+", text.strip(" \t,;"))
    if words == [""]:
        return [], []
    if len(words) == 1:
        words *= k
    if len(words) != k:
        raise ProblemError(f"there are {len(words)} sizes in {text!r}, but k is {k}.")
    ranges = [_range(word) for word in words]
    return [low for low, _ in ranges], [high for _, high in ranges]


def _range(word: str) -> tuple[int, int]:
    low, _, high = word.replace("–", "-").partition("-")
    least, most = whole(low), whole(high or low)
    if least is None or most is None:
        raise ProblemError(f"{word!r} is not a size: write 50, or 40-60, or equal.")
    return least, most


def sizes_text(lower: Sequence[int], upper: Sequence[int]) -> str:
    """Return sizes as `read_sizes` reads them."""
    both = zip(lower, upper, strict=True)
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in both)
