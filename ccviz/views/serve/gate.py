"""The door as the web server has it: before every page, file and socket, and around what it sends.

Tornado asks the routes in turn; `Outside` stands before all others and takes every request that the
door does not let in to `Threshold`. `Headers` goes with every answer.
"""

from __future__ import annotations

import re
import secrets
from typing import Any
from urllib.parse import urlencode, urlsplit

from markupsafe import Markup
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import Application, OutputTransform, RequestHandler

from ccviz.views.serve.door import Door

_YEAR_DAYS = 365
_POLICY = (
    "default-src 'self'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' blob: data: {sockets}; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'self'"
)
"""What a page may do. Bokeh makes functions of text (eval) and modules of text (blob:); a script
in the page itself, or in an attribute, runs only with the nonce, which is new for every page."""

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


def guard(application: Application, door: Door) -> None:
    """Put a door before an application, and strict headers on all that comes out.

    Parameters
    ----------
    application : tornado.web.Application
    door : Door
    """
    application.default_router.rules.insert(0, Rule(Outside(door), Threshold, {"door": door}))
    application.add_transform(Headers)


def _cookie_of(door: Door, request: HTTPServerRequest) -> str:
    found = request.cookies.get(door.cookie)
    return found.value if found else ""


def is_refused(door: Door, request: HTTPServerRequest) -> str:
    """Return why a request is not answered, whoever it is from; empty if it is.

    Parameters
    ----------
    door : Door
    request : HTTPServerRequest

    Returns
    -------
    str
        A sentence.
    """
    if not door.knows(request.host):
        return "This server is not known by that name; start it with --host to make it known."
    origin = request.headers.get("Origin", "")
    if origin and urlsplit(origin).netloc.lower() != request.host.lower():
        return "Another site's page asked for this."
    if "bokeh-session-id" in request.arguments or "Bokeh-Session-Id" in request.headers:
        return "A page cannot be entered by the number of a session."
    return ""


class Outside(Matcher):
    """Matches what the door does not let in.

    Parameters
    ----------
    door : Door
    """

    def __init__(self, door: Door) -> None:
        self._door = door

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return no parameters for a request that stays outside, None for one that comes in."""
        brings_token = self._door.has_cookies and "token" in request.arguments
        if brings_token or is_refused(self._door, request):
            return {}
        return None if self._door.person(_cookie_of(self._door, request)) else {}


class Threshold(RequestHandler):
    """Gives cookies to whom the door admits, and answers the others."""

    def initialize(self, door: Door) -> None:
        """Take the door."""
        self._door = door

    def check_xsrf_cookie(self) -> None:
        """Ask for nothing: nothing is changed here."""

    def get(self) -> None:
        """Answer a request for a page."""
        refused = is_refused(self._door, self.request)
        cookie = None if refused else self._cookie()
        if refused:
            self._say(refused)
        elif cookie is None:
            wrong = self.get_argument("token", "")
            self._say("This token is not the right one." if wrong else "What is the token?", _FORM)
        else:
            self._let_in(cookie)

    post = put = delete = head = options = get

    def _cookie(self) -> str | None:
        given = self.get_argument("token", "")
        return self._door.admit(given, _cookie_of(self._door, self.request))

    def _let_in(self, cookie: str) -> None:
        """Set the cookie, and ask for the same page again, without the token in its address."""
        self.set_cookie(
            self._door.cookie, cookie, expires_days=_YEAR_DAYS,
            httponly=True, samesite="Lax", secure=self.request.protocol == "https",
        )  # fmt: skip
        rest = [(name, value) for name, values in self.request.query_arguments.items()
                for value in values if name != "token"]  # fmt: skip
        self.redirect(f"{self.request.path}{'?' if rest else ''}{urlencode(rest)}")

    def _say(self, sentence: str, form: str = "") -> None:
        self.set_status(403)
        self.finish(str(_PAGE.format(sentence=sentence, form=form)))


class Headers(OutputTransform):
    """Adds to every answer what a browser is to be strict about."""

    def __init__(self, request: HTTPServerRequest) -> None:
        super().__init__(request)
        secure = request.protocol == "https"
        self._sockets = f"{'wss' if secure else 'ws'}://{request.host}"

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Return the first part of an answer with our headers, a page with its nonce."""
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        if headers.get("Content-Type", "").startswith("text/html"):
            nonce = secrets.token_urlsafe(16)
            chunk = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), chunk)
            headers["Content-Security-Policy"] = _POLICY.format(nonce=nonce, sockets=self._sockets)
            headers.pop("Etag", None)  # no page is the same again
            if "Content-Length" in headers:
                headers["Content-Length"] = str(len(chunk))
        return status_code, headers, chunk
