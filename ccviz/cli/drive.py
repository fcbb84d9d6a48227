"""Driving a run in this process: into the archive, with progress, until it ends or Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from rich.console import Console
from threadpoolctl import threadpool_limits

from ccviz.cli.common import err, tell
from ccviz.cli.progress import Progress
from ccviz.errors import ArchiveError, CcvizError
from ccviz.runs.archive import Archive
from ccviz.runs.kernel_clock import compiling_said
from ccviz.runs.recorder import Recorder
from ccviz.runs.run import Result, result_of
from ccviz.runs.stepper import Stepper

# SIGHUP, where there is one, says that the terminal is gone.
_SIGNALS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def drive(
    stepper: Stepper, archive: Archive | None, run_id: str, *, quiet: bool = False
) -> tuple[Result, str]:
    """Run to the end; the first Ctrl-C stops the run, the second ends the program.

    Returns
    -------
    Result
    str
        The run's id if the archive holds all of it, otherwise empty.
    """
    console = Console(quiet=True) if quiet else err
    title = stepper.solver.name
    with (
        _stopping(stepper),
        threadpool_limits(1),
        Progress(console, title) as progress,
        compiling_said(progress.say),
    ):
        if archive is None:
            _follow(stepper, progress, None)
        else:
            run_id = _record(stepper, progress, archive, run_id)
    return result_of(stepper.run), run_id


def _record(stepper: Stepper, progress: Progress, archive: Archive, run_id: str) -> str:
    """Run to the end and return the run's id; an empty one if not all of it could be stored."""
    try:
        _follow(stepper, progress, Recorder(archive, run_id, stepper.run))
        archive.score(run_id, stepper.run)
        return run_id
    except ArchiveError as broken:
        # The run matters more than its record, so it continues.
        tell(f"the run is not kept from here on: {broken}")
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

    Returns
    -------
    archive : Archive or None
        None, after a warning, where it cannot be used.
    run_id : str
        Empty then.
    """
    try:
        archive = Archive()
        return archive, archive.create(*about, **more)
    except ArchiveError as broken:
        tell(f"this run is not kept: {broken}")
        return None, ""
