"""Tables in Markdown, whose cells are neither markup nor formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ccviz.data.formulas import guarded

_MARKUP = re.compile(r"[\\`*\[\]<>|~$&]|(?<!\w)_|_(?!\w)")
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


def markdown_table(rows: Iterable[Sequence[str]], *, numbers_from: int | None = None) -> str:
    """Return rows of cells as a table in Markdown.

    Parameters
    ----------
    rows : iterable of sequences of str
        The first has the names of the columns.
    numbers_from : int, optional
        First of the columns that are aligned to the right; none by default.

    Returns
    -------
    str
    """
    head, *body = ([_cell(text) for text in row] for row in rows)
    left = len(head) if numbers_from is None else numbers_from
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *body])


def _cell(text: str) -> str:
    """Return a text in one line, with a backslash before each letter that Markdown reads."""
    return _MARKUP.sub(r"\\\g<0>", _BREAKS.sub(" ", guarded(text)))
