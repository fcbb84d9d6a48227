"""A file for a person to take home, written in a process of its own where that takes long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccviz.data.datasets import Dataset
from ccviz.views.lab.session import Session

_SMALL = 20_000
"""Values of a table that is written at once: to begin a process takes longer."""


@dataclass(frozen=True)
class Parcel:
    """A file to be taken home.

    Attributes
    ----------
    name : str
    kind : str
        Its type in the words of the web.
    content : str or bytes
    """

    name: str
    kind: str
    content: str | bytes


@dataclass(frozen=True, eq=False)
class Order:
    """How a file is written.

    Attributes
    ----------
    name, kind : str
        As of the `Parcel`.
    work : callable
        A function of a module, which returns the content.
    args : tuple
    at_once : bool
        Whether that takes no longer than to begin a process.
    """

    name: str
    kind: str
    work: Callable[..., str | bytes]
    args: tuple[Any, ...]
    at_once: bool = False


def is_small(data: Dataset) -> bool:
    """Return whether it takes no longer to write a table of these points than to begin a process.

    Parameters
    ----------
    data : Dataset
    """
    return data.X.size <= _SMALL


def deliver(session: Session, order: Order, hand: Callable[[Parcel], None]) -> None:
    """Write a file, now or until some tick of the session, and hand it over.

    Parameters
    ----------
    session : Session
    order : Order
    hand : callable
    """

    def hand_over(content: str | bytes) -> None:
        session.notice = None
        hand(Parcel(order.name, order.kind, content))

    session.prepare(order.name, order.work, *order.args, then=hand_over, at_once=order.at_once)
