"""A window of its own: an installed Chromium shows one page, without tabs and address."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ccviz.errors import CcvizError

_BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser",
    "microsoft-edge", "vivaldi-stable",
)  # fmt: skip
"""Those that have an app mode, the usual ones first."""


def find_browser() -> str:
    """Return the browser that makes the window; ``CHROMIUM`` names another one.

    Returns
    -------
    str

    Raises
    ------
    CcvizError
        If there is none.
    """
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if not found:
        raise CcvizError(
            "a window of its own is made by Chromium, Chrome, Brave, Edge or Vivaldi, and none of "
            "them is installed here; 'ccviz app --show' opens the page in any browser."
        )
    return found


def open_window(address: str, profile: Path) -> subprocess.Popen[bytes]:
    """Open a window, which lives as long as the process that is returned.

    Parameters
    ----------
    address : str
        Of the page.
    profile : path
        A folder of its own: a browser that is running already would take the window over, and
        the server could not know when it is closed.

    Returns
    -------
    subprocess.Popen

    Raises
    ------
    CcvizError
        If there is no such browser, or it cannot be started.
    """
    command = [
        find_browser(), f"--app={address}", f"--user-data-dir={profile}", "--class=ccviz",
        "--window-size=1400,900", "--no-first-run", "--no-default-browser-check",
        "--disable-features=Translate", "--disable-background-networking", "--disable-sync",
    ]  # fmt: skip
    try:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError as broken:
        raise CcvizError(f"{command[0]} cannot be started: {broken.strerror}.") from None
