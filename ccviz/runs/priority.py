"""Process priorities: compute runs below the server that answers the page."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_AUTOGROUP = Path("/proc/self/autogroup")
"""Niceness of a session. If Linux schedules by session, the niceness of a process counts only
within its session, and each run has its own."""

RUN = 5
"""Niceness of a run, below that of the server."""

WARMING = 10
"""Niceness of compiling ahead of need."""


def stand_back(niceness: int) -> None:
    """Lower the priority of this process and its future children.

    Parameters
    ----------
    niceness : int
        From 0 to 19, as in `os.nice`.
    """
    os.nice(niceness)
    weigh_session(niceness)


def weigh_session(niceness: int) -> None:
    """Lower the priority of this process's session, if it leads one and the system supports it.

    Parameters
    ----------
    niceness : int
    """
    if os.getsid(0) != os.getpid():
        return  # another process leads the session
    with suppress(OSError):  # not Linux, or not permitted
        _AUTOGROUP.write_text(str(niceness), encoding="ascii")
