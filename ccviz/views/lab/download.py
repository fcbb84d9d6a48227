"""Downloads: files written for the browser, in a process of their own if that takes long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccviz.data.datasets import Dataset
from ccviz.views.lab.session import Session

_SMALL = 20_000
"""Number of table values up to which the server writes it: starting a process takes longer."""


@dataclass(frozen=True)
class Download:
    """A file for the browser.

    Attributes
    ----------
    name : str
    kind : str
        Media type (MIME).
    content : str or bytes
    """

    name: str
    kind: str
    content: str | bytes


@dataclass(frozen=True, eq=False)
class DownloadRequest:
    """A function that writes a file, with its arguments.

    Attributes
    ----------
    name, kind : str
        As of the `Download`.
    work : callable
        A module-level function that returns the content.
    args : tuple
    at_once : bool
        Whether to call it in the server: it takes less time than starting a process.
    """

    name: str
    kind: str
    work: Callable[..., str | bytes]
    args: tuple[Any, ...]
    at_once: bool = False


def is_small(data: Dataset) -> bool:
    """Return whether writing these points takes less time than starting a process.

    Parameters
    ----------
    data : Dataset
    """
    return data.X.size <= _SMALL


def deliver(session: Session, request: DownloadRequest, hand: Callable[[Download], None]) -> None:
    """Write a file, now or by a later tick of the session, and pass it to ``hand``.

    Parameters
    ----------
    session : Session
    request : DownloadRequest
    hand : callable
    """

    def hand_over(content: str | bytes) -> None:
        session.notice = None
        hand(Download(request.name, request.kind, content))

    session.prepare(
        request.name, request.work, *request.args, then=hand_over, at_once=request.at_once
    )
