"""A time limit that several steps share."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Deadline:
    """A time limit in seconds that several steps share."""

    time_limit: float | None
    started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float | None:
        """Seconds left, never below 0; None without a limit."""
        if self.time_limit is None:
            return None
        return max(self.time_limit - (time.monotonic() - self.started), 0.0)
