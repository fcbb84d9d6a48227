"""Controls that an address hides: ``?hide=data,solver``. It tidies the page, and guards nothing."""

from __future__ import annotations

from ccviz.errors import CcvizError, quote

HIDEABLE = ("data", "links", "rules", "solver", "lessons")
"""What can be hidden, by the words of an address."""


def hidden_controls(text: str) -> frozenset[str]:
    """Return the controls that a word of an address hides.

    Parameters
    ----------
    text : str
        Names with commas.

    Raises
    ------
    CcvizError
        If a name is none of `HIDEABLE`.
    """
    names = frozenset(filter(None, text.split(",")))
    if unknown := sorted(names - set(HIDEABLE)):
        raise CcvizError(f"An address can hide {', '.join(HIDEABLE)}; not {quote(unknown[0])}.")
    return names
