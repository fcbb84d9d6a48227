"""Parts that several commands share: consoles, formatted figures, the exit code of a result."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from ccviz.runs.run import Result

_FILE_WIDTH = 240  # letters per line of tables written to a file or pipe, which are not cut


class _Told:  # an `io.TextIOBase` would flush when Python ends, with nothing left to flush by
    """Standard error for notices; the work continues if it is closed."""

    encoding = "utf-8"

    def write(self, text: str, /) -> int:
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()

    def isatty(self) -> bool:
        return sys.stderr.isatty()

    def fileno(self) -> int:
        return sys.stderr.fileno()


def _open_streams() -> None:
    """Replace a closed standard output or error by one that discards what is written."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


_open_streams()
_plain = {"highlight": False, "soft_wrap": True, "markup": False, "emoji": False}  # names are text
out = Console(**_plain, width=None if sys.stdout.isatty() else _FILE_WIDTH)  # type: ignore[arg-type]
err = Console(file=_Told(), **_plain)  # type: ignore[arg-type]

FEASIBLE, INFEASIBLE, NONE_FOUND, BROKEN_OFF, STOPPED, NOT_STORED = 0, 3, 4, 5, 6, 7


def tell(sentence: str) -> None:
    """Print a notice on standard error."""
    err.print(f"ccviz: {sentence}")


def exit_code(result: Result, *, is_lost: bool = False) -> int:
    """Return the exit code of `solve` and `resume`.

    A run that was stopped by a signal has a code of its own, with or without a clustering: a script
    must not take it for one that came to its end. So has a run of which the archive, because the
    disk is full, holds only a part (``is_lost``): it cannot be verified or resumed later.
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
