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
from ccviz.views.serve.access import ACCESS, Access, load_key
from ccviz.views.serve.access_handlers import guard
from ccviz.views.upstream import close_components, limit_pages, shorten_socket_logs

_THIS_MACHINE = ("localhost", "127.0.0.1")
_MOST_BODY_BYTES = 16_384
"""No page sends a body; files come in by the socket."""
_BODY_S = 10.0


@dataclass(frozen=True)
class Serving:
    """Settings of the server."""

    port: int = 5006
    address: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()  # Further names and addresses of the server
    token: str = ""  # token, teacher_token: See `ccviz.views.serve.access.Access`
    teacher_token: str = ""
    is_class: bool = False
    certificate: str = ""  # certificate, private_key: Files for TLS; empty for none
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

    `main`: The script that builds a page.
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
    close_components()
    server.start()
    server.io_loop.start()


def make_server(serving: Serving, access: Access, main: Path) -> Any:
    """Return a server that is not started yet."""
    tls: Any = {}
    if serving.certificate:
        tls = {"ssl_certfile": serving.certificate, "ssl_keyfile": serving.private_key}
    # Bokeh checks name and port of a socket's origin; behind a proxy the port is the proxy's.
    origins = [f"{name}:{port}" for name in serving.names for port in (serving.port, 80, 443)]
    server = get_server(
        {"/main": str(main)}, port=serving.port, address=serving.address, start=False,
        show=serving.show, websocket_origin=origins,
        http_server_kwargs={"max_body_size": _MOST_BODY_BYTES, "body_timeout": _BODY_S}, **tls,
    )  # fmt: skip
    guard(server._tornado, access)
    return server
