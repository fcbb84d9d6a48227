"""Who stands back when the machine has too much to do: what computes, behind what answers."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_AUTOGROUP = Path("/proc/self/autogroup")
"""Where Linux weighs whole sessions of processes, a process's own niceness counts only inside its
own, and a run has a session to itself."""

RUN = 5
"""Of a run: the server that shows it goes first."""

WARMING = 10
"""Of compiling ahead, for which nobody waits yet."""


def stand_back(niceness: int) -> None:
    """Let this process, and those it will begin, go after others that are less nice.

    Parameters
    ----------
    niceness : int
        From 0 to 19, as in `os.nice`.
    """
    os.nice(niceness)
    weigh_session(niceness)


def weigh_session(niceness: int) -> None:
    """Do so for this process's session, if it began one and the system weighs them.

    Parameters
    ----------
    niceness : int
    """
    if os.getsid(0) != os.getpid():
        return  # the session is somebody else's
    with suppress(OSError):  # no Linux, or not ours to say
        _AUTOGROUP.write_text(str(niceness), encoding="ascii")
