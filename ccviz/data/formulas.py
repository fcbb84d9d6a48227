"""Text that other programs show as it is: no formula, no markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# --------------------------------------------------------------------------------------------------
# Texts that a spreadsheet would evaluate as formulas, and their guard: a leading apostrophe.
#
# Spreadsheets evaluate a cell of a CSV file, of a table in HTML or of the clipboard that begins
# with ``=``, ``+``, ``-`` or ``@``, or with a tab or a line break before one of these. A
# spreadsheet that expects another separator splits a cell at it, so what follows a separator is
# guarded too. The guard follows OWASP's page *CSV Injection*; readers of ccviz remove it again.


_INNER = re.compile(r"(?<!^)([;,|\t\r\n]\s*'*)(?=[=+\-@＝＋－＠])")
_INNER_GUARD = re.compile(r"(?<!^)([;,|\t\r\n]\s*'*)'(?=[=+\-@＝＋－＠])")
_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_VALUE = r"[+-]?(?:\d[\d.,]*|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"{_VALUE}(?: ?%| ± {_VALUE})?", re.IGNORECASE | re.ASCII)


def guarded(text: str) -> str:
    """Return a text as a cell that no spreadsheet evaluates; numbers stay as they are.

    Returns: With an apostrophe before it, and after a separator in it, where what follows begins
    like a formula and the whole is no number.
    """
    if _NUMBER.fullmatch(text):
        return text
    leading = "'" if _FORMULA.match(text) else ""
    return leading + _INNER.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """Return the text that `guarded` was called with."""
    if "'" not in cell:
        return cell
    inner = _INNER_GUARD.sub(r"\1", cell)
    both = (cell.removeprefix("'"), inner)
    candidates = (_INNER_GUARD.sub(r"\1", both[0]), *both)
    return next((text for text in candidates if text != cell and guarded(text) == cell), cell)


# --- Tables in Markdown, whose cells are neither markup nor formulas ------------------------------


_MARKUP = re.compile(r"[\\`*\[\]<>|~$&]|(?<!\w)_|_(?!\w)")
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


def markdown_table(rows: Iterable[Sequence[str]], *, numbers_from: int | None = None) -> str:
    """Return rows of cells as a table in Markdown.

    `rows`: The first has the names of the columns. `numbers_from`: First of the columns that are
    aligned to the right; none by default.
    """
    head, *body = ([_cell(text) for text in row] for row in rows)
    left = len(head) if numbers_from is None else numbers_from
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *body])


def _cell(text: str) -> str:
    """Return a text in one line, with a backslash before each letter that Markdown reads."""
    return _MARKUP.sub(r"\\\g<0>", _BREAKS.sub(" ", guarded(text)))
