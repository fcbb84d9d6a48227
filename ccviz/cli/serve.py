"""`ccviz app`: the dashboard."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ccviz.errors import CcvizError

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE.parent / "apps" / "main.py", _PACKAGE / "apps" / "main.py")


def serve(
    port: Annotated[int, typer.Option(help="Port on this machine.", min=0, max=65535)] = 5006,
    show: Annotated[bool, typer.Option(help="Open it in the browser.")] = False,
) -> None:
    """Serve the dashboard on this machine only, until Ctrl-C."""
    sys.stdout.flush()
    os.execv(sys.executable, serve_command(port, show))


def serve_command(port: int, show: bool) -> list[str]:
    """Return the command that serves the dashboard.

    Raises
    ------
    CcvizError
        If the extra ``app`` is not installed.
    """
    main = next((place for place in _PLACES if place.is_file()), None)
    if main is None or find_spec("panel") is None:
        raise CcvizError("the dashboard is not installed; pip install 'ccviz[app]' brings it.")
    origins = [f"--allow-websocket-origin={host}:{port}" for host in ("localhost", "127.0.0.1")]
    command = [sys.executable, "-m", "panel", "serve", str(main)]
    command += ["--address", "127.0.0.1", "--port", str(port), *origins]
    return command + ["--show"] * show
