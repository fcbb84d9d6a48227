"""Units that people write into the cells of a column: a percent sign or a currency."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ccviz.data.cells import is_missing_text

CURRENCIES = (
    "US$", "A$", "C$", "$", "€", "£", "¥", "₹", "₩", "₽", "₺", "zł", "Kč",
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK",
    "AUD", "CAD", "BRL", "R$",
)  # fmt: skip
"""Signs and codes of currencies, before or behind the number."""

_UNITS = "|".join(re.escape(unit) for unit in ("%", *sorted(CURRENCIES, key=len, reverse=True)))
_BEFORE = re.compile(rf"([+-]?)\s*({_UNITS})\s*([+-]?[\d.,].*)")
_BEHIND = re.compile(rf"(.*\d[.,]?)\s*({_UNITS})")


def unit_of(cells: Iterable[str]) -> str:
    """Return the unit of a column, empty if the cells have none or different ones.

    Parameters
    ----------
    cells : iterable of str

    Returns
    -------
    str
        "%" or a currency that all cells carry which are not missing.
    """
    unit = ""
    for cell in cells:
        if is_missing_text(cell):
            continue
        found = _split(cell)[0]
        if not found or (unit and found != unit):
            return ""
        unit = found
    return unit


def without_unit(cell: str) -> str:
    """Return a cell without its unit.

    Parameters
    ----------
    cell : str

    Returns
    -------
    str
    """
    return _split(cell)[1]


def _split(cell: str) -> tuple[str, str]:
    """Return the unit of a cell, empty if there is none, and the rest of the cell."""
    text = cell.strip()
    if before := _BEFORE.fullmatch(text):
        return before[2], before[1] + before[3]
    if behind := _BEHIND.fullmatch(text):
        return behind[2], behind[1].rstrip()
    return "", text
