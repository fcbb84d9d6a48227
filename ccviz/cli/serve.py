"""`ccviz app`: the dashboard."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from ccviz.cli.common import tell
from ccviz.cli.parameters import option
from ccviz.distribution import install_command
from ccviz.errors import CcvizError

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE.parent / "apps" / "main.py", _PACKAGE / "apps" / "main.py")


def serve(
    port: Annotated[int, option(help="Port on this machine.", min=0, max=65535)] = 5006,
    show: Annotated[bool, option("--show/--no-show", help="Open it in the browser.")] = False,
    address: Annotated[
        str, option(help="Address to listen on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    host: Annotated[
        list[str] | None, option(help="A name by which others reach this machine.")
    ] = None,
    token: Annotated[str, option(help="What people must know to come in.")] = "",
    class_: Annotated[
        bool, option("--class", help="Each browser sees and changes its own runs only.")
    ] = False,
    teacher_token: Annotated[str, option(help="With it, one sees all runs of a class.")] = "",
    ssl_certfile: Annotated[str, option(help="Certificate, to be served by TLS.")] = "",
    ssl_keyfile: Annotated[str, option(help="Its private key.")] = "",
) -> None:
    """Serve the dashboard until Ctrl-C; on this machine only, by default."""
    main = find_page()
    # Imported here: Panel takes a second, and no other command needs it.
    from ccviz.views.serve.server import Serving
    from ccviz.views.serve.server import serve as serve_page

    serving = Serving(
        port=port, address=address, hosts=tuple(host or ()), token=token,
        teacher_token=teacher_token, is_class=class_, show=show,
        certificate=ssl_certfile, private_key=ssl_keyfile,
    )  # fmt: skip
    scheme = "https" if ssl_certfile else "http"
    tell(f"{scheme}://{(host or ['localhost'])[0]}:{port}/main")
    serve_page(serving, main)


def find_page() -> Path:
    """Return the script that builds the page.

    Raises
    ------
    CcvizError
        If the extra ``app`` is not installed.
    """
    main = next((place for place in _PLACES if place.is_file()), None)
    if main is None or find_spec("panel") is None:
        raise CcvizError(f"the dashboard is not installed; {install_command('app')} brings it.")
    return main
