"""When the steps of an assignment must end: a time limit, and a run that is to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ccviz.solvers.base import never


def _now() -> float:
    return time.monotonic()  # looked up at each call: a benchmark counts CPU seconds instead


@dataclass(frozen=True)
class Deadline:
    """A time limit in seconds that several steps share, and whether the run is to stop."""

    time_limit: float | None
    stop: Callable[[], bool] = never
    started: float = field(default_factory=_now)

    @property
    def left(self) -> float | None:
        """Seconds left, never below 0; None without a limit."""
        if self.stop():
            return 0.0
        if self.time_limit is None:
            return None
        return max(self.time_limit - (_now() - self.started), 0.0)
