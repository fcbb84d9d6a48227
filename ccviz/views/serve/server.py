"""Serves the dashboard under its access rules."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import panel as pn
from panel.io.server import get_server

from ccviz.errors import CcvizError
from ccviz.runs.database import default_path
from ccviz.views.serve.access import Access, load_key
from ccviz.views.serve.access_handlers import guard
from ccviz.views.serve.visitor import ACCESS
from ccviz.views.upstream.page_messages import limit_pages
from ccviz.views.upstream.socket_logs import shorten_socket_logs

_THIS_MACHINE = ("localhost", "127.0.0.1")


@dataclass(frozen=True)
class Serving:
    """Settings of the server.

    Attributes
    ----------
    port : int
    address : str
        Address of this machine to listen on.
    hosts : tuple of str
        Further names and addresses of the server.
    token, teacher_token : str
        See `ccviz.views.serve.access.Access`.
    is_class : bool
    certificate, private_key : str
        Files for TLS; empty for none.
    show : bool
        Whether to open a browser.

    Raises
    ------
    CcvizError
        If the settings contradict each other.
    """

    port: int = 5006
    address: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()
    token: str = ""
    teacher_token: str = ""
    is_class: bool = False
    certificate: str = ""
    private_key: str = ""
    show: bool = False

    def __post_init__(self) -> None:
        if not (_is_loopback(self.address) or self.is_class or self.token):
            raise CcvizError(
                f"anyone who reaches {self.address} would have full access; "
                "give a --token, or serve a --class."
            )
        if self.teacher_token and not self.is_class:
            raise CcvizError(
                "a teacher's token needs --class; use --token to protect a server for one person."
            )
        if self.teacher_token and self.teacher_token == self.token:
            raise CcvizError("the teacher's token and the token must differ.")
        if bool(self.certificate) != bool(self.private_key):
            raise CcvizError("TLS needs both --ssl-certfile and --ssl-keyfile.")
        for path in filter(None, (self.certificate, self.private_key)):
            if not Path(path).is_file():
                raise CcvizError(f"there is no file {path}.")

    @property
    def names(self) -> tuple[str, ...]:
        """All host names of the server."""
        own = () if self.address in ("0.0.0.0", "::") else (self.address,)
        return tuple(dict.fromkeys((*_THIS_MACHINE, *own, *(h.lower() for h in self.hosts))))

    def access(self) -> Access:
        """Return the access rules of this server."""
        key = load_key(default_path().parent) if self.is_class or self.token else b""
        return Access(
            frozenset(self.names), key, self.token, self.teacher_token, self.is_class,
            cookie=f"ccviz-{self.port}",
        )  # fmt: skip


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def serve(serving: Serving, main: Path) -> None:
    """Serve the dashboard until Ctrl-C.

    Parameters
    ----------
    serving : Serving
    main : path
        The script that builds a page.
    """
    access = serving.access()
    pn.state.cache[ACCESS] = access
    try:
        server = make_server(serving, access, main)
    except OSError as broken:
        reason = (broken.strerror or str(broken)).lower()
        raise CcvizError(
            f"the server cannot listen on port {serving.port} of {serving.address}: {reason}; "
            "choose another with --port or --address."
        ) from None
    shorten_socket_logs()
    limit_pages()
    server.start()
    server.io_loop.start()


def make_server(serving: Serving, access: Access, main: Path) -> Any:
    """Return a server that is not started yet.

    Parameters
    ----------
    serving : Serving
    access : Access
    main : path

    Returns
    -------
    panel.io.server.Server
    """
    tls: Any = {}
    if serving.certificate:
        tls = {"ssl_certfile": serving.certificate, "ssl_keyfile": serving.private_key}
    # Bokeh checks name and port of a socket's origin; behind a proxy the port is the proxy's.
    origins = [f"{name}:{port}" for name in serving.names for port in (serving.port, 80, 443)]
    server = get_server(
        {"/main": str(main)}, port=serving.port, address=serving.address, start=False,
        show=serving.show, websocket_origin=origins, **tls,
    )  # fmt: skip
    guard(server._tornado, access)
    return server
