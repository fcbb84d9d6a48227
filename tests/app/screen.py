"""A screen that no one sees, and pictures of it: Xvfb, whose memory is a file."""

import os
import shutil
import struct
import subprocess
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.patience import wait_until

_HEAD = struct.Struct(">25I")  # of the format xwd, version 7


class Screen:
    """One screen."""

    def __init__(self, name: str, memory: Path) -> None:
        self.name, self._memory = name, memory

    def picture(self) -> Image.Image:
        """Return what is on it."""
        data = self._memory.read_bytes()
        head = _HEAD.unpack_from(data)
        (size, _, _, _, width, height), line, colors = head[:6], head[12], head[19]
        start = size + 12 * colors
        rows = np.frombuffer(data, np.uint8, line * height, start).reshape(height, -1, 4)
        return Image.fromarray(rows[:, :width, 2::-1].copy())

    def is_painted(self) -> bool:
        """Whether there is more on it than a plain window."""
        small = np.asarray(self.picture().resize((200, 120))).reshape(-1, 3)
        return len(np.unique(small, axis=0)) > 50


@contextmanager
def screen(folder: Path):
    """Begin a screen, and end it."""
    if shutil.which("Xvfb") is None:
        pytest.fail(
            "the test of the window needs Xvfb: run 'make browsers', or deselect it with "
            "-m 'not browser'",
            pytrace=False,
        )
    told = folder / "display"
    with told.open("wb") as out:
        process = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1440x920x24", "-fbdir", str(folder),
             "-nolisten", "tcp"],
            stdout=out, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": str(folder)},
        )  # fmt: skip
    try:
        wait_until(lambda: told.read_text().endswith("\n") or process.poll() is not None)
        assert process.poll() is None, "Xvfb did not start"
        yield Screen(f":{told.read_text().strip()}", folder / "Xvfb_screen0")
    finally:
        process.terminate()
        process.wait()
