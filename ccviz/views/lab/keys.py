"""The keys of the laboratory: what each does, and the sentences that list them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

PAGE_KEYS = (
    "Press M for a must-link, C for a cannot-link, H to hold a group, A for a question, U for "
    "unsure, P to paint, Esc to let go; Z to undo, Shift+Z to redo; Space to run or pause, ← → to "
    "step one event, 1 to 6 for the tabs on the right; F for the presenter's view, in which Page "
    "Down and Page Up go from one step of the proof to the next."
)
CELL_KEYS = (
    "Once you have clicked in the cell, press M for a must-link, C for a cannot-link, A for a "
    "question, U for unsure, Esc to let go; Z to undo, Shift+Z to redo; Space to play or pause, "
    "← → to step one event. Tab to the plot to pick without a mouse: arrows move a marker, Page Up "
    "and Page Down take the points by number, Enter picks."
)


def key_actions(session: Session) -> dict[str, Callable[[], Any]]:
    """Return the action of each key that works on the page and in a notebook cell.

    Parameters
    ----------
    session : Session

    Returns
    -------
    dict of str to callable
        By the key as the browser names it, in lower case; Shift+Z is ``"y"``.
    """
    return {
        "m": lambda: session.link("must"),
        "c": lambda: session.link("cannot"),
        "h": session.hold,
        "a": session.ask,
        "u": session.unsure,
        "escape": session.cancel,
        "z": session.undo,
        "y": session.redo,
        " ": session.play_or_pause,
        "arrowleft": session.playback.back,
        "arrowright": session.step,
    }


def tell_keys(session: Session, keys: str = PAGE_KEYS) -> None:
    """Show the list of keys as a notice.

    Parameters
    ----------
    session : Session
    keys : str
        The sentence.
    """
    session.notice = Notice("info", keys)
