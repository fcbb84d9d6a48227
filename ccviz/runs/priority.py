"""Process priorities: compute runs below the server that answers the page."""

from __future__ import annotations

from ccviz.system import lower_priority, weigh_session

RUN = 5
"""Niceness of a run, below that of the server."""

WARMING = 10
"""Niceness of compiling ahead of need."""


def stand_back(niceness: int) -> None:
    """Lower the priority of this process and its future children, where the system has any.

    Parameters
    ----------
    niceness : int
        From 0 to 19, as in `os.nice`.
    """
    lower_priority(niceness)
    weigh_session(niceness)
