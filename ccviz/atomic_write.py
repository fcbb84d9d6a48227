"""Files that appear only when they are whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing; what was there before stays if anything goes wrong.

    A path that is no regular file (``/dev/stdout``, a pipe) is written as it is.
    """
    path = resolved(path)
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with scratch.open("wb") as file:
            yield file
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def resolved(path: str | Path) -> Path:
    """Return the file that a path leads to.

    Raises `OSError` if symbolic links lead round in a circle.
    """
    with suppress(RuntimeError):  # Python's own word for a circle, up to 3.12
        found = Path(path).resolve()
        if not found.is_symlink():  # as a circle still is, from 3.13 on
            return found
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
