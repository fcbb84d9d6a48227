"""Data or links from standard input, which ``-`` names."""

from __future__ import annotations

import sys

from ccviz.data.sources import Source
from ccviz.errors import ProblemError

NAME = "standard input"


def source_of(path: str) -> tuple[Source, str]:
    """Return what a reader takes for a path: the path and no name, or bytes and their name.

    Parameters
    ----------
    path : str
        ``-`` for standard input, which can be read once.

    Raises
    ------
    ProblemError
        If nothing comes from standard input.
    """
    if path != "-":
        return path, ""
    content = sys.stdin.buffer.read() if sys.stdin is not None else b""
    if not content:
        raise ProblemError(f"{NAME} is empty; '-' can be given once, for the data or the links.")
    return content, NAME
