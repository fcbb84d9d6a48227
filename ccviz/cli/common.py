"""Parts that several commands share: consoles, formatted figures, the exit code of a result."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text
from threadpoolctl import threadpool_limits

from ccviz.compiled import compiling_said
from ccviz.errors import ArchiveError, CcvizError
from ccviz.numbers import number, percent
from ccviz.runs.archive import Archive
from ccviz.runs.recorder import Recorder
from ccviz.runs.run import Result, Run, result_of
from ccviz.runs.stepper import Stepper

_FILE_WIDTH = 240  # letters per line of tables written to a file or pipe, which are not cut


class _Stderr:  # an `io.TextIOBase` would flush when Python ends, with nothing left to flush by
    """Standard error for notices; the work continues if it is closed."""

    encoding = "utf-8"

    @property
    def _file(self) -> TextIO:
        # While a spinner turns, `sys.stderr` is rich's, which writes to this.
        return getattr(sys.stderr, "rich_proxied_file", sys.stderr)

    def write(self, text: str, /) -> int:
        with suppress(OSError, ValueError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._file.flush()

    def isatty(self) -> bool:
        return sys.stderr.isatty()

    def fileno(self) -> int:
        return sys.stderr.fileno()


def _open_streams() -> None:
    """Replace a closed standard output or error by one that discards what is written.

    A letter that the terminal's encoding lacks is written as its number.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream := getattr(sys, name), TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


# What a terminal takes for a command, or for another line or direction than it is written in.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return a text with its control characters written out (``\x1b``), but lines and tabs."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class _Terminal(Console):
    """A console whose texts, cells of tables included, are no commands to the terminal."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Return a text to show."""
        return super().render_str(visible(text), **how)


_open_streams()
_plain = {"highlight": False, "soft_wrap": True, "markup": False, "emoji": False}  # names are text
out = _Terminal(**_plain, width=None if sys.stdout.isatty() else _FILE_WIDTH)  # type: ignore[arg-type]
err = _Terminal(file=_Stderr(), **_plain)  # type: ignore[arg-type]

FEASIBLE, INFEASIBLE, NONE_FOUND, BROKEN_OFF, STOPPED, NOT_STORED = 0, 3, 4, 5, 6, 7


def say(sentence: str) -> None:
    """Print a notice on standard error."""
    err.print(f"ccviz: {' '.join(sentence.splitlines())}")


def exit_code(result: Result, *, is_lost: bool = False) -> int:
    """Return the exit code of `solve` and `resume`.

    A run that was stopped by a signal has a code of its own, with or without a clustering: a script
    must not take it for one that came to its end. So has a run of which the archive, because the
    disk is full, holds a part or nothing (``is_lost``): it cannot be verified or resumed later.
    """
    if result.status == "infeasible":
        return INFEASIBLE
    if result.termination == "interrupted":
        return STOPPED
    if result.termination == "failed":
        return BROKEN_OFF
    found = result.partition is not None and result.partition.violations.none_hard
    if found:
        return NOT_STORED if is_lost else FEASIBLE
    return NONE_FOUND


# --- Progress of a run as one line on stderr ------------------------------------------------------


_LIVE_S = 0.1
_LOGGED_S = 10.0


class Progress:
    """A line that is rewritten on a terminal, and written now and then elsewhere."""

    def __init__(self, console: Console, title: str = "") -> None:
        self._console, self.title = console, title
        self._status = console.status(Text(visible(title)), spinner="dots")
        self._every = _LIVE_S if console.is_terminal else _LOGGED_S
        self._last = time.monotonic()

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
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
            self._status.update(Text(visible(words)))
        else:
            self._console.print(words)


def describe(run: Run) -> str:
    """Return a run's state in a line."""
    parts = [f"{run.time_s:.1f} s", f"objective {number(run.objective)}"]
    if run.tree or run.parts:
        parts += [f"lower bound {number(run.lower_bound)}", f"gap {percent(run.gap)}"]
    if run.tree:
        parts.append(f"{run.nodes_done} of {len(run.tree)} nodes")
    elif run.parts:
        parts.append(f"{len(run.parts_done):,} of {run.parts:,} parts")
    elif run.iteration:
        parts.append(f"iteration {run.iteration}")
    return ", ".join(parts)


# --- Driving a run in this process: into the archive, with progress, until it ends or Ctrl-C ------


# SIGHUP, where there is one, says that the terminal is gone.
_SIGNALS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def drive(
    stepper: Stepper, archive: Archive | None, run_id: str, *, quiet: bool = False
) -> tuple[Result, str, float]:
    """Run to the end; the first Ctrl-C stops the run, the second ends the program.

    Returns: The run's id if the archive holds all of it, otherwise empty; and the seconds in which
    kernels were compiled.
    """
    console = Console(quiet=True) if quiet else err
    title = stepper.solver.name
    with (
        _stopping(stepper),
        threadpool_limits(1),
        Progress(console, title) as progress,
        compiling_said(progress.say) as compiling,
    ):
        if archive is None:
            _follow(stepper, progress, None)
        else:
            run_id = _record(stepper, progress, archive, run_id)
    return result_of(stepper.run), run_id, sum(compiling)


def _record(stepper: Stepper, progress: Progress, archive: Archive, run_id: str) -> str:
    """Run to the end and return the run's id; an empty one if not all of it could be stored."""
    try:
        _follow(stepper, progress, Recorder(archive, run_id, stepper.run))
        archive.score(run_id, stepper.run)
        return run_id
    except ArchiveError as broken:
        # The run matters more than its record, so it continues.
        say(f"the run is not kept from here on: {broken}")
        _follow(stepper, progress, None)
        with suppress(ArchiveError):
            archive.finish(run_id, "failed", "The archive could not be written any more.")
        return ""
    except CcvizError as bad:
        archive.finish(run_id, "failed", str(bad))
        raise


def _follow(stepper: Stepper, progress: Progress, recorder: Recorder | None) -> None:
    with recorder or nullcontext():
        for record in stepper:
            if recorder is not None:
                recorder.put(record)
            progress.show(stepper.run)


@contextmanager
def _stopping(stepper: Stepper) -> Iterator[None]:
    def stop(*_: Any) -> None:
        stepper.stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = [(each, signal.signal(each, stop)) for each in _SIGNALS]
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, handler)


def enter(*about: Any, **more: Any) -> tuple[Archive | None, str]:
    """Enter a run in the archive, as `Archive.create` does.

    Returns `archive`: None, after a warning, where it cannot be used.
    """
    try:
        archive = Archive()
        return archive, archive.create(*about, **more)
    except ArchiveError as broken:
        say(f"this run is not kept: {broken}")
        return None, ""
