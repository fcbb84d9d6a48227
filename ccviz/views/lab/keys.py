"""The keys of the laboratory: what each does, their list, and the scripts that listen to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

_LINKS = (
    ("M, C", "must-link, cannot-link between the picked points"),
    ("A, U", "ask me, or stop; unsure"),
    ("Esc", "let go of the picked points"),
    ("Z, Shift+Z", "undo, redo"),
    ("Space", "run or pause"),
    ("←, →", "one event back or on"),
)
PAGE_KEYS = (
    *_LINKS,
    ("H, P", "hold a group; paint"),
    ("1 to 6", "the tabs on the right; while five points are asked about: mark one"),
    ("F", "the presenter's view"),
    ("Page Down, Page Up", "there: one step of the proof on or back"),
)
"""Keys, and what each does."""

CELL_KEYS = (
    *_LINKS,
    ("Tab to the plot", "pick without a mouse"),
    ("arrows, Page Up, Page Down", "there: to another point"),
    ("Enter", "there: pick it"),
)
"""Keys of a notebook cell, once a person has clicked in it."""


def key_actions(session: Session) -> dict[str, Callable[[], Any]]:
    """Return the action of each key that works on the page and in a notebook cell.

    Returns: By the key as the browser names it, in lower case; Shift+Z is ``"y"``.
    """
    return {
        "m": lambda: session.edits.link("must"),
        "c": lambda: session.edits.link("cannot"),
        "h": session.edits.hold,
        "a": session.edits.ask,
        "u": session.edits.unsure,
        "escape": session.edits.cancel,
        "z": session.edits.undo,
        "y": session.edits.redo,
        " ": session.play_or_pause,
        "arrowleft": session.playback.back,
        "arrowright": session.step,
    }


def show_keys(
    session: Session,
    keys: tuple[tuple[str, str], ...] = PAGE_KEYS,
    where: str = "outside of fields",
) -> None:
    """Show keys as a notice.

    `keys` (str, str): Each with what it does.
    """
    session.notice = Notice("info", f"These keys work {where}.", rows=keys)


_SHARED = Path(__file__).parents[1] / "keyboard.js"


def with_keyboard(script: Path) -> str:
    """Return a script with the shared keyboard functions in front."""
    return "\n".join(each.read_text(encoding="utf-8") for each in (_SHARED, script))
