"""How much memory the machine has free, for methods that need much of it at once."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
_ASSUMED = 2 << 30
"""Bytes, where the system does not say."""


def free_memory() -> int:
    """Return how many bytes a run may take: what is available, or what a container leaves of it.

    Where the system does not say what is available it is the half of what is built in, and 2 GiB
    where it does not say that either.
    """
    return min(_available(), _left_by_container())


def _available() -> int:
    with suppress(OSError, ValueError):
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    with suppress(AttributeError, OSError, ValueError):  # macOS; Windows has no such call
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return _ASSUMED


def _left_by_container() -> int:
    most = 1 << 62
    with suppress(OSError, ValueError):  # "max" where there is no limit
        most = int((_CGROUP / "memory.max").read_text())
        most -= int((_CGROUP / "memory.current").read_text())
    return max(0, most)
