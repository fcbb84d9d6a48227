"""Access rules: host names of the server, tokens, and the signed cookie of a browser.

A server for one person (the default) uses no cookies: every browser that reaches it is that
person's. With a token, a browser that knows it gets a cookie. A class always uses cookies, because
each browser has its own runs; the teacher's token shows all runs. Cookies are signed
(`tornado.web`). The key is stored beside the archive, so that a browser finds its runs after a
restart of the server.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import panel as pn
from tornado.web import create_signed_value, decode_signed_value

from ccviz.errors import CcvizError
from ccviz.system import put_in_place
from ccviz.views.person import ALONE, Person

_KEY_FILE = "cookie-key"
_KEY_BYTES = 32
COOKIE_DAYS = 365
"""Lifetime of a cookie in days."""


@dataclass(frozen=True)
class Access:
    """The rules by which a server admits people."""

    hosts: frozenset[str]  # Host names of the server, without ports
    key: bytes = b""
    # token, teacher_token: What people and the teacher must enter. An empty token is not asked for;
    # with an empty teacher's token there is no teacher.
    token: str = ""
    teacher_token: str = ""
    is_class: bool = False  # Whether each browser has its own runs
    # Name of the cookie. Browsers share cookies between all ports of a machine, so each server
    # needs its own name.
    cookie: str = "ccviz"

    def knows(self, host: str) -> bool:
        """Return whether a request names one of the server's hosts.

        Another site can point its own name at the address of this machine (DNS rebinding). The
        browser then treats the server as part of that site, but the request still carries that
        site's name.
        """
        name = host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host
        return name.lower() in self.hosts

    @property
    def has_cookies(self) -> bool:
        """Whether browsers are distinguished, or a token is required."""
        return self.is_class or bool(self.token)

    def person(self, cookie: str) -> Person | None:
        """Return the owner of a cookie; None if this server did not issue it."""
        if not self.has_cookies:
            return ALONE
        browser, role, seal = self._read(cookie)
        if not browser or not _same(seal, self._seal(role)):
            return None
        return Person(browser, is_teacher=role == "teacher") if self.is_class else ALONE

    def admit(self, token: str, cookie: str = "") -> str | None:
        """Return the cookie for a browser that entered a token, or None if the token is wrong.

        `cookie`: The browser's cookie so far: the browser keeps its identity when its role changes.
        """
        if self.teacher_token and _same(token, self.teacher_token):
            role = "teacher"
        elif not self.token or _same(token, self.token):
            role = "person"
        else:
            return None
        browser = self._read(cookie)[0] or self._browser_of_0_2(cookie) or secrets.token_hex(8)
        value = f"{browser}.{role}.{self._seal(role)}"
        return create_signed_value(self.key, self.cookie, value).decode()

    def _read(self, cookie: str) -> tuple[str, str, str]:
        """Return browser, role and token seal of a cookie; all empty if it is forged."""
        value = decode_signed_value(self.key, self.cookie, cookie, COOKIE_DAYS, min_version=2)
        browser, role, seal = value.decode().split(".") if value else ("", "", "")
        return browser, role, seal

    def _seal(self, role: str) -> str:
        """Return a digest of the role's token: a new token makes old cookies invalid."""
        token = self.teacher_token if role == "teacher" else self.token
        return self._digest("token", token)

    def _browser_of_0_2(self, cookie: str) -> str:
        """Return the browser of a cookie of version 0.2, so that it keeps its runs; else empty."""
        browser, _, rest = cookie.partition(".")
        return browser if _same(rest.partition(".")[0], self._digest(browser)) else ""

    def _digest(self, *words: str) -> str:
        return hmac.new(self.key, ".".join(words).encode(), hashlib.sha256).hexdigest()


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def load_key(folder: Path) -> bytes:
    """Return the key that signs cookies; it is made on first use.

    Raises `CcvizError` if it can be neither read nor written.
    """
    path = folder / _KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.stat().st_size:  # of a start on a full disk
            path.unlink(missing_ok=True)
        if not path.exists():
            put_in_place(path, secrets.token_bytes(_KEY_BYTES))
        key = path.read_bytes()
    except OSError as broken:
        raise CcvizError(f"{path} cannot be used: {os.strerror(broken.errno or 0)}.") from None
    if len(key) != _KEY_BYTES:
        raise CcvizError(f"{path} is no key; delete it, and browsers get new cookies.")
    return key


# --- The person whose page is being built ---------------------------------------------------------


ACCESS = "access"
"""Key of the access rules in `panel.state.cache`."""


def visitor() -> Person:
    """Return the person of the current request; without access rules there is only one."""
    access: Access | None = pn.state.cache.get(ACCESS)
    if access is None:
        return Person()
    cookie = pn.state.cookies.get(access.cookie, "")
    return access.person(cookie) or Person(browser="unknown")
