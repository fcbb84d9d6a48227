"""Serves the dashboard under its access rules: a check before each request, headers on each answer.

Tornado tries its routes in order. `Unlisted` is the first: what is not in `ROUTES` is not found,
whatever routes Panel adds. `NotAdmitted` is the second and sends each request that the access rules
refuse to `AdmissionHandler`. `SecurityHeaders` changes each answer.
"""

from __future__ import annotations

import logging
import re
import secrets
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import panel as pn
from markupsafe import Markup
from panel.io.server import get_server
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import Application, OutputTransform, RequestHandler

from ccviz.errors import CcvizError
from ccviz.runs.database import default_path
from ccviz.views.serve.access import ACCESS, COOKIE_DAYS, Access, load_key
from ccviz.views.upstream import SHEET, close_components, limit_pages, shorten_socket_logs

ROUTES = {
    "/": "the page, by a redirect",
    "/main/?": "the page",
    "/main/ws": "the socket of a page",
    r"/favicon\.ico": "the icon",
    "/static/(?!extensions/).+": "scripts of Bokeh",
    "/static/extensions/panel/.+": "scripts and styles of Panel",
    re.escape(SHEET): "our style sheet, where Panel links it",
}
"""Every address that the server answers; each asks for the admission that a page needs.

Panel serves more: `/components/…` imports the module that the address names, so any sender could
run modules of this machine; `autoload.js` and `metadata` are for pages that embed this one, and no
page may.
"""
_LISTED = re.compile("|".join(ROUTES))
_PAGES = re.compile("/|/main/?")

_POLICY = (
    "default-src 'self'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' blob: data: {sockets}; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'self'"
)
"""Content security policy. Bokeh compiles functions (eval) and modules (blob:) from text; a script
in the page or in an attribute runs only with the nonce, which is new for each page."""

_SCRIPT = re.compile(rb"<script(?=[\s>])")

_PAGE = Markup(
    "<!DOCTYPE html><html lang=en><title>ccviz</title>"
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<style>body {{ font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 26rem; "
    "padding: 0 1rem }} input, button {{ font: inherit; padding: .3rem .6rem }}</style>"
    "<h1>ccviz</h1><p>{sentence}</p>{form}</html>"
)
_FORM = Markup(
    '<form method="get"><label>Token <input name="token" type="password" autofocus></label> '
    "<button>Open</button></form>"
)


def guard(application: Application, access: Access) -> None:
    """Add access rules and security headers to an application."""
    application.default_router.rules[:0] = [
        Rule(Unlisted(), NotFoundHandler),
        Rule(NotAdmitted(access), AdmissionHandler, {"access": access}),
    ]
    application.add_transform(SecurityHeaders)
    application.settings["log_function"] = log_without_query


def log_without_query(handler: RequestHandler) -> None:
    """Log an answer as Tornado does, without the address's query, which may hold a token."""
    status, request = handler.get_status(), handler.request
    level = logging.INFO if status < 400 else logging.WARNING if status < 500 else logging.ERROR
    logging.getLogger("tornado.access").log(
        level, "%d %s %s (%s) %.2fms", status, request.method, request.path, request.remote_ip,
        1000.0 * request.request_time(),
    )  # fmt: skip


def _cookie_of(access: Access, request: HTTPServerRequest) -> str:
    found = request.cookies.get(access.cookie)
    return found.value if found else ""


def is_refused(access: Access, request: HTTPServerRequest) -> str:
    """Return why a request is refused for any sender; empty if it is not."""
    if not access.knows(request.host):
        return "This server does not answer to that name. Start it with --host NAME to allow it."
    if _is_of_another_site(request):
        return "Another site's page asked for this."
    if "bokeh-session-id" in request.arguments or "Bokeh-Session-Id" in request.headers:
        return "A page cannot be entered by the number of a session."
    if "?" in request.query:  # Panel splits the address there
        return "A second question mark of an address is written as %3F."
    values = (value for given in request.query_arguments.values() for value in given)
    if not all(map(_is_readable, values)):
        return "A number in the address cannot be read."
    return ""


def _is_readable(value: bytes) -> bool:
    """Whether Panel, which takes digits for a number, can read a value of an address."""
    text = value.decode("utf-8", "replace")
    try:
        return not text.isdigit() or int(text) >= 0
    except ValueError:  # more digits than Python reads, or such as ²
        return False


def _is_of_another_site(request: HTTPServerRequest) -> bool:
    """Whether a page of another site made a request, or of another port of this machine.

    Browsers say so in Sec-Fetch-Site where the server has TLS or is this machine; elsewhere their
    Referer does. A link to the page may be followed from anywhere.
    """
    headers = request.headers
    origin, referer = headers.get("Origin", ""), headers.get("Referer", "")
    if origin and urlsplit(origin).netloc.lower() != request.host.lower():
        return True
    is_page = request.method == "GET" and _PAGES.fullmatch(request.path) is not None
    site = headers.get("Sec-Fetch-Site", "")
    if site:
        follows = (headers.get("Sec-Fetch-Mode"), headers.get("Sec-Fetch-Dest"))
        return site not in {"same-origin", "none"} and not (
            is_page and follows == ("navigate", "document")
        )
    if not referer or urlsplit(referer).netloc.lower() == request.host.lower():
        return False
    return not (is_page and headers.get("Accept", "").startswith("text/html"))


class Unlisted(Matcher):
    """Matches the requests for addresses that are not in `ROUTES`."""

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return no parameters for an address that is not listed, None for one that is."""
        # No file has a name with a zero byte, and to look for one is an error.
        is_listed = _LISTED.fullmatch(request.path) and "%00" not in request.path
        return None if is_listed else {}


class PlainHandler(RequestHandler):
    """Answers with a sentence, and names no query in the log."""

    def _request_summary(self) -> str:
        """Return the request as errors name it, without its query."""
        return f"{self.request.method} {self.request.path} ({self.request.remote_ip})"

    def check_xsrf_cookie(self) -> None:
        """Skip the check: these requests change nothing."""

    def say(self, status: int, sentence: str, form: str = "") -> None:
        """Finish with a page of one sentence."""
        self.set_status(status)
        self.finish(str(_PAGE.format(sentence=sentence, form=form)))


class NotFoundHandler(PlainHandler):
    """Answers that an address is not found."""

    def get(self) -> None:
        """Say that there is no such page."""
        self.say(404, "There is no such page here.")

    post = put = patch = delete = head = options = get


class NotAdmitted(Matcher):
    """Matches the requests that are not admitted."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return no parameters for a refused request, None for an admitted one."""
        brings_token = self._access.has_cookies and "token" in request.arguments
        if brings_token or is_refused(self._access, request):
            return {}
        return None if self._access.person(_cookie_of(self._access, request)) else {}


class AdmissionHandler(PlainHandler):
    """Gives cookies to admitted browsers and asks the others for a token."""

    def initialize(self, access: Access) -> None:
        """Keep the access rules."""
        self._access = access

    def get(self) -> None:
        """Answer a request for a page."""
        if refused := is_refused(self._access, self.request):
            self.say(403, refused)
            return
        given = self.get_argument("token", "")
        cookie = self._access.admit(given, _cookie_of(self._access, self.request))
        if cookie is not None:  # to the same page, without the token in its address
            self.set_cookie(
                self._access.cookie, cookie, expires_days=COOKIE_DAYS,
                httponly=True, samesite="Lax", secure=self.request.protocol == "https",
            )  # fmt: skip
            rest = [(name, value) for name, values in self.request.query_arguments.items()
                    for value in values if name != "token"]  # fmt: skip
            self.redirect(f"{self.request.path}{'?' if rest else ''}{urlencode(rest)}")
            return
        sentence = "This token is not the right one." if given else "What is the token?"
        self.say(403, sentence, _FORM)

    post = put = patch = delete = head = options = get


class SecurityHeaders(OutputTransform):
    """Adds strict security headers to each answer."""

    def __init__(self, request: HTTPServerRequest) -> None:
        super().__init__(request)
        secure = request.protocol == "https"
        self._sockets = f"{'wss' if secure else 'ws'}://{request.host}"

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Return the first part of an answer with the headers, and a page with its nonce."""
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        if headers.get("Content-Type", "").startswith("text/html"):
            nonce = secrets.token_urlsafe(16)
            chunk = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), chunk)
            headers["Content-Security-Policy"] = _POLICY.format(nonce=nonce, sockets=self._sockets)
            headers.pop("Etag", None)  # each page has another nonce
            if "Content-Length" in headers:
                headers["Content-Length"] = str(len(chunk))
        return status_code, headers, chunk


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
