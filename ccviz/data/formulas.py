"""Texts that a spreadsheet would evaluate as formulas, and their guard: a leading apostrophe.

Spreadsheets evaluate a cell of a CSV file, of a table in HTML or of the clipboard that begins with
``=``, ``+``, ``-`` or ``@``, or with a tab or a line break before one of these. The guard follows
OWASP's page *CSV Injection*; readers of ccviz remove it again.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_VALUE = r"[+-]?(?:\d[\d.,]*|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"{_VALUE}(?: ?%| ± {_VALUE})?", re.IGNORECASE | re.ASCII)


def guarded(text: str) -> str:
    """Return a text as a cell that no spreadsheet evaluates; numbers stay as they are.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        With an apostrophe before it if it begins like a formula and is no number.
    """
    if _FORMULA.match(text) is None or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def unguarded(cell: str) -> str:
    """Return the text that `guarded` was called with.

    Parameters
    ----------
    cell : str

    Returns
    -------
    str
    """
    text = cell.removeprefix("'")
    return text if text != cell and guarded(text) == cell else cell
