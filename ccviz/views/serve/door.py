"""Who may come in, and as whom: names of the server, tokens, and the cookie of a browser.

A server for one person (the default) has no cookies: whoever reaches it is that person. With a
token, who knows it gets a cookie. A class has cookies in any case, for each browser has its own
runs; the teacher's token shows all. A cookie is signed, so nobody writes one; the key is kept with
the archive, so that a browser finds its runs again when the server was started anew.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from ccviz.errors import CcvizError
from ccviz.views.person import ALONE, Person

_KEY_FILE = "cookie-key"
_KEY_BYTES = 32


@dataclass(frozen=True)
class Door:
    """The rules by which a server lets people in.

    Attributes
    ----------
    hosts : frozenset of str
        Names under which the server is known, without ports.
    key : bytes
        Signs the cookies.
    token, teacher_token : str
        What people must know, and what the teacher knows; nobody is asked for an empty one, and
        with an empty one nobody is a teacher.
    is_class : bool
        Whether each browser has runs of its own.
    cookie : str
        Name of the cookie: the servers of a machine have one jar, whatever their ports.
    """

    hosts: frozenset[str]
    key: bytes = b""
    token: str = ""
    teacher_token: str = ""
    is_class: bool = False
    cookie: str = "ccviz"

    def knows(self, host: str) -> bool:
        """Return whether a request for a host is for this server: its name is one of ours.

        A page elsewhere can give its own name the address of this machine (DNS rebinding); then
        its browser takes the server for the page's own, but asks for it by that name.

        Parameters
        ----------
        host : str
            As it stands in the request, with or without a port.

        Returns
        -------
        bool
        """
        name = host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host
        return name.lower() in self.hosts

    @property
    def has_cookies(self) -> bool:
        """Whether people are told apart, or asked for a token."""
        return self.is_class or bool(self.token)

    def person(self, cookie: str) -> Person | None:
        """Return who has a cookie; None if this server gave out no such one.

        Parameters
        ----------
        cookie : str
            Empty if there is none.

        Returns
        -------
        Person or None
        """
        if not self.has_cookies:
            return ALONE
        browser, role, signature = self._read(cookie)
        if not browser or not _same(signature, self._sign(browser, role, self._token_of(role))):
            return None
        return Person(browser, is_teacher=role == "teacher") if self.is_class else ALONE

    def admit(self, token: str, cookie: str = "") -> str | None:
        """Return the cookie of who gives a token, or None if it opens nothing.

        Parameters
        ----------
        token : str
            Empty if none was given.
        cookie : str
            The one so far: the browser stays the same, whatever it becomes.

        Returns
        -------
        str or None
        """
        if self.teacher_token and _same(token, self.teacher_token):
            role = "teacher"
        elif not self.token or _same(token, self.token):
            role = "person"
        else:
            return None
        browser = self._read(cookie)[0] or secrets.token_hex(8)
        signature = self._sign(browser, role, self._token_of(role))
        return f"{browser}.{self._sign(browser)}.{role}.{signature}"

    def _read(self, cookie: str) -> tuple[str, str, str]:
        """Return browser, role and the signature of both; the browser is empty if it is forged.

        A new token makes the last signature wrong, so that old cookies open nothing; the first
        stays right, so that the browser finds its runs again once it has the new token.
        """
        parts = cookie.split(".")
        if len(parts) != 4 or not _same(parts[1], self._sign(parts[0])):
            return "", "", ""
        return parts[0], parts[2], parts[3]

    def _token_of(self, role: str) -> str:
        return self.teacher_token if role == "teacher" else self.token

    def _sign(self, *words: str) -> str:
        return hmac.new(self.key, ".".join(words).encode(), hashlib.sha256).hexdigest()


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def load_key(folder: Path) -> bytes:
    """Return the key that signs cookies, made at the first time.

    Parameters
    ----------
    folder : path
        The archive's.

    Returns
    -------
    bytes

    Raises
    ------
    CcvizError
        If it can be neither read nor written.
    """
    path = folder / _KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
        key = path.read_bytes()
    except OSError as broken:
        raise CcvizError(f"{path} cannot be used: {os.strerror(broken.errno or 0)}.") from None
    if len(key) != _KEY_BYTES:
        raise CcvizError(f"{path} is no key; delete it, and browsers get new cookies.")
    return key
