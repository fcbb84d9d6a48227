"""A time limit that several steps share."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


def _now() -> float:
    return time.monotonic()  # looked up at each call: a benchmark counts CPU seconds instead


@dataclass(frozen=True)
class Deadline:
    """A time limit in seconds that several steps share."""

    time_limit: float | None
    started: float = field(default_factory=_now)

    @property
    def left(self) -> float | None:
        """Seconds left, never below 0; None without a limit."""
        if self.time_limit is None:
            return None
        return max(self.time_limit - (_now() - self.started), 0.0)
