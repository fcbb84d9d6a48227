"""Scripts that listen to the keyboard, with the functions that the page and the cell share."""

from __future__ import annotations

from pathlib import Path

_SHARED = Path(__file__).parent / "keyboard.js"


def with_keyboard(script: Path) -> str:
    """Return a script with the shared keyboard functions in front."""
    return "\n".join(each.read_text(encoding="utf-8") for each in (_SHARED, script))
