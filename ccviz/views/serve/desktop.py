"""The dashboard in its own window: the server starts and ends with the window."""

from __future__ import annotations

import secrets
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import panel as pn
from tornado.ioloop import PeriodicCallback

from ccviz.runs.database import default_path
from ccviz.views.serve.last_project import LAST_PROJECT, LastProject
from ccviz.views.serve.server import Serving, make_server
from ccviz.views.serve.visitor import ACCESS
from ccviz.views.serve.window import find_browser, open_window

_LOOK_MS = 200
_PATIENCE_S = 5.0


def run_desktop(main: Path, file: Path | None = None) -> None:
    """Serve the dashboard to one window, until the window is closed.

    The server listens on a free port of this machine only. Its token is passed to the window
    alone, so other users of the machine have no access.

    Parameters
    ----------
    main : path
        The script that builds a page.
    file : path, optional
        File to open; the last project if not given.

    Raises
    ------
    CcvizError
        If no installed browser can open such a window.
    """
    find_browser()  # before the server starts
    token = secrets.token_urlsafe(24)
    serving = Serving(port=_free_port(), token=token)
    access, last_project = serving.access(), LastProject(default_path().parent, file)
    pn.state.cache[ACCESS], pn.state.cache[LAST_PROJECT] = access, last_project
    server = make_server(serving, access, main)
    server.start()
    with tempfile.TemporaryDirectory(prefix="ccviz-window-", ignore_cleanup_errors=True) as profile:
        address = f"http://127.0.0.1:{serving.port}/main?token={token}"
        window = open_window(address, Path(profile))
        try:
            _serve_until_closed(server, window)
        finally:
            last_project.save_and_close()
            _close(window)
            server.stop()


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


def _close(window: subprocess.Popen[bytes]) -> None:
    window.terminate()
    try:
        window.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        window.kill()


def _free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port
