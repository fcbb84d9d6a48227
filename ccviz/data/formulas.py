"""Texts that a spreadsheet would evaluate as formulas, and their guard: a leading apostrophe.

Spreadsheets evaluate a cell of a CSV file, of a table in HTML or of the clipboard that begins with
``=``, ``+``, ``-`` or ``@``, or with a tab or a line break before one of these. A spreadsheet that
expects another separator splits a cell at it, so what follows a separator is guarded too. The guard
follows OWASP's page *CSV Injection*; readers of ccviz remove it again.
"""

from __future__ import annotations

import re

_INNER = re.compile(r"(?<!^)([;,|\t\r\n]\s*'*)(?=[=+\-@＝＋－＠])")
_INNER_GUARD = re.compile(r"(?<!^)([;,|\t\r\n]\s*'*)'(?=[=+\-@＝＋－＠])")
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
        With an apostrophe before it, and after a separator in it, where what follows begins like a
        formula and the whole is no number.
    """
    if _NUMBER.fullmatch(text):
        return text
    leading = "'" if _FORMULA.match(text) else ""
    return leading + _INNER.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """Return the text that `guarded` was called with.

    Parameters
    ----------
    cell : str

    Returns
    -------
    str
    """
    if "'" not in cell:
        return cell
    inner = _INNER_GUARD.sub(r"\1", cell)
    both = (cell.removeprefix("'"), inner)
    candidates = (_INNER_GUARD.sub(r"\1", both[0]), *both)
    return next((text for text in candidates if text != cell and guarded(text) == cell), cell)
