"""The dashboard in its own window: the server starts and ends with the window."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

import panel as pn
from tornado.ioloop import PeriodicCallback

from ccviz.errors import CcvizError
from ccviz.runs.database import default_path
from ccviz.system import write_file
from ccviz.views.serve.access import ACCESS
from ccviz.views.serve.server import Serving, make_server
from ccviz.views.share.kept import LAST_PROJECT, LastProject

# --- A window of its own: an installed Chromium shows one page, without tabs and address ----------


_BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser",
    "microsoft-edge", "vivaldi-stable",
)  # fmt: skip
"""Those that have an app mode, the usual ones first."""


def find_browser() -> str:
    """Return the browser that makes the window; ``CHROMIUM`` names another one."""
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

    `profile`: A folder of its own: a browser that is running already would take the window over,
    and the server could not know when it is closed. A page in it leads to the address, which holds
    a token: everyone on the machine can read a command. Raises `CcvizError` if there is no such
    browser, or it cannot be started.
    """
    page = profile / "open.html"
    page.touch(0o600)
    page.write_text(f'<meta http-equiv="refresh" content="0; url={escape(address)}">', "utf-8")
    command = [
        find_browser(), f"--app={page.as_uri()}", f"--user-data-dir={profile}", "--class=ccviz",
        "--window-size=1400,900", "--no-first-run", "--no-default-browser-check",
        "--disable-features=Translate", "--disable-background-networking", "--disable-sync",
    ]  # fmt: skip
    try:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError as broken:
        raise CcvizError(f"{command[0]} cannot be started: {broken.strerror}.") from None


_LOOK_MS = 200
_PATIENCE_S = 5.0


def run_desktop(main: Path, file: Path | None = None) -> None:
    """Serve the dashboard to one window, until the window is closed.

    The server listens on a free port of this machine only. Its token is passed to the window
    alone, so other users of the machine have no access.

    `main`: The script that builds a page. `file`: File to open; the last project if not given.
    Raises `CcvizError` if no installed browser can open such a window.
    """
    find_browser()  # before the server starts
    token = secrets.token_urlsafe(24)
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))  # a free port
        serving = Serving(port=place.getsockname()[1], token=token)
    access, last_project = serving.access(), LastProject(default_path().parent, file)
    pn.state.cache[ACCESS], pn.state.cache[LAST_PROJECT] = access, last_project
    server = make_server(serving, access, main)
    server.start()
    with tempfile.TemporaryDirectory(
        prefix="ccviz-window-", dir=_place(), ignore_cleanup_errors=True
    ) as profile:
        address = f"http://127.0.0.1:{serving.port}/main?token={token}"
        window = open_window(address, Path(profile))
        try:
            _serve_until_closed(server, window)
        finally:
            last_project.save_and_close()
            window.terminate()
            try:
                window.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                window.kill()
            server.stop()


def _place() -> Path | None:
    """Return where the browser can read a page: a Chromium of Snap sees no temporary folder."""
    snap = Path.home() / "snap" / "chromium" / "common"
    return snap if snap.is_dir() else None


def _serve_until_closed(server: object, window: subprocess.Popen[bytes]) -> None:
    loop = server.io_loop  # type: ignore[attr-defined]

    def look() -> None:
        if window.poll() is not None:
            loop.stop()

    clock = PeriodicCallback(look, _LOOK_MS)
    clock.start()
    signal.signal(signal.SIGTERM, lambda *_: loop.add_callback_from_signal(loop.stop))
    loop.start()
    clock.stop()


# --- An entry in the desktop's menu, an icon, and the kinds of files that it opens ----------------
#
# After the specifications of freedesktop.org: desktop entries, icon themes, shared MIME info.


_ICON = Path(__file__).with_name("ccviz.svg")

_ENTRY = """[Desktop Entry]
Type=Application
Version=1.0
Name=ccviz
Comment=A laboratory for constrained clustering
Exec={command} desktop %f
Icon=ccviz
Terminal=false
Categories=Education;Science;Math;
MimeType=application/x-ccviz-project;application/x-ccviz-run;text/csv;
StartupWMClass=ccviz
"""
_KINDS = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-ccviz-project">
    <comment>ccviz project</comment><glob pattern="*.ccvizlab"/><icon name="ccviz"/>
  </mime-type>
  <mime-type type="application/x-ccviz-run">
    <comment>ccviz run</comment><glob pattern="*.ccviz"/><icon name="ccviz"/>
  </mime-type>
</mime-info>
"""


def install_entry() -> list[Path]:
    """Write the menu entry, the icon and the kinds of files for this person."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    files = {
        data / "applications" / "ccviz.desktop": _ENTRY.format(command=_command()),
        data / "icons" / "hicolor" / "scalable" / "apps" / "ccviz.svg": _ICON.read_text("utf-8"),
        data / "mime" / "packages" / "ccviz.xml": _KINDS,
    }
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as broken:
            raise CcvizError(f"{path} cannot be written: {broken.strerror}.") from None
        write_file(path, text.encode())
    _refresh("update-desktop-database", data / "applications")
    _refresh("update-mime-database", data / "mime")
    return list(files)


def _command() -> str:
    """Return this installation's command, quoted as a desktop entry has it."""
    path = str(Path(sys.executable).with_name("ccviz"))
    for letter in '\\"`$':
        path = path.replace(letter, f"\\{letter}")
    return '"{}"'.format(path.replace("\\", "\\\\").replace("%", "%%"))


def _refresh(program: str, folder: Path) -> None:
    """Have the desktop look again; one without the program looks by itself."""
    if shutil.which(program):
        subprocess.run([program, str(folder)], check=False, capture_output=True)
