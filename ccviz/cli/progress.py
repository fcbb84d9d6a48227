"""Progress of a run as one line on stderr."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.text import Text

from ccviz.numbers import number, percent
from ccviz.runs.run import Run

_LIVE_S = 0.1
_LOGGED_S = 10.0


class Progress:
    """A line that is rewritten on a terminal, and written now and then elsewhere."""

    def __init__(self, console: Console, title: str = "") -> None:
        self._console, self.title = console, title
        self._status = console.status(Text(title), spinner="dots")
        self._every = _LIVE_S if console.is_terminal else _LOGGED_S
        self._last = time.monotonic()

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._status.stop()

    def show(self, run: Run) -> None:
        """Show the run's progress, at most once per interval."""
        self.say(" ".join(filter(None, [self.title, describe(run)])))

    def say(self, words: str) -> None:
        """Show some words, if the last time is long enough ago."""
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        if self._console.is_terminal:
            self._status.update(Text(words))
        else:
            self._console.print(words)


def describe(run: Run) -> str:
    """Return a run's state in a line."""
    parts = [f"{run.time_s:.1f} s", f"objective {number(run.objective)}"]
    if run.tree:
        parts += [
            f"lower bound {number(run.lower_bound)}",
            f"gap {percent(run.gap)}",
            f"{run.nodes_done} of {len(run.tree)} nodes",
        ]
    elif run.parts:
        parts += [
            f"lower bound {number(run.lower_bound)}",
            f"gap {percent(run.gap)}",
            f"{len(run.parts_done):,} of {run.parts:,} parts",
        ]
    elif run.iteration:
        parts.append(f"iteration {run.iteration}")
    return ", ".join(parts)
