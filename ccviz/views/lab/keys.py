"""What the keyboard does, in words."""

from __future__ import annotations

from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

KEYS = (
    "Keys: M must-link, C cannot-link, H hold a group, A ask me, U unsure, P paint, Esc let go; "
    "Z undo, Shift+Z redo; Space run or pause, ← → one event, 1 to 6 the tabs on the right."
)


def tell_keys(session: Session) -> None:
    """Say which keys do what."""
    session.notice = Notice("info", KEYS, title="keys")
