"""HTML on the page: the only place where text becomes markup.

::

    Html("a < b")                                       # text: shown as it is
    Html(Markup("<b>{}</b>").format(draft.data.name))   # markup, and a text in it

Anything but `markupsafe.Markup` is text and is escaped; `Markup.format` and `Markup.join` escape
their arguments. So a name from a file cannot become a script, and a forgotten `Markup` shows angle
brackets on the page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from ccviz.views.upstream import HTMLPane


class Html(HTMLPane):
    """A pane for markup; other text is escaped."""

    def _transform_object(self, obj: Any) -> dict[str, Any]:
        return super()._transform_object(str(escape(obj or "")))


def step_heading(number: int, words: str) -> Markup:
    """Return the heading of one of the three steps on the left."""
    return Markup('<h2 class="step"><b>{}</b>{}</h2>').format(number, words)


# --- Icons as SVG text, so that none is fetched from anywhere -------------------------------------


def _icon(body: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" '
        'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
        f"{body}</svg>"
    )


PLAY = _icon('<path d="M7 4v16l13-8z" fill="currentColor"/>')
PAUSE = _icon('<path d="M8 5v14M16 5v14" stroke-width="4"/>')
STOP = _icon('<rect x="5" y="5" width="14" height="14" rx="2" fill="currentColor"/>')
STEP = _icon('<path d="M6 5v14l9-7z" fill="currentColor"/><path d="M19 5v14"/>')
BACK = _icon('<path d="M18 5v14l-9-7z" fill="currentColor"/><path d="M5 5v14"/>')
UNDO = _icon('<path d="M9 14L4 9l5-5"/><path d="M4 9h10a6 6 0 0 1 0 12h-4"/>')
REDO = _icon('<path d="M15 14l5-5-5-5"/><path d="M20 9H10a6 6 0 0 0 0 12h4"/>')
THEME = _icon(
    '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>'
)
CLOSE = _icon('<path d="M6 6l12 12M18 6L6 18"/>')
KEYS = _icon(
    '<rect x="2" y="6" width="20" height="12" rx="2"/>'
    '<path d="M6 10h.01M10 10h.01M14 10h.01M18 10h.01M8 14h8"/>'
)
PRESENT = _icon('<rect x="3" y="4" width="18" height="12" rx="1"/><path d="M12 16v4M8 20h8"/>')
BRUSH = _icon('<path d="M20 4L10 14"/><path d="M10 14c-3 0-5 2-5 6 4 0 6-2 6-5z"/>')
TAG = _icon('<path d="M3 12V4h8l10 10-8 8z"/><circle cx="8" cy="9" r="1.2" fill="currentColor"/>')
LAMP = _icon(
    '<path d="M9 18h6M10 21h4"/><path d="M8 15a6 6 0 1 1 8 0c-.7.6-1 1.2-1 2H9c0-.8-.3-1.4-1-2z"/>'
)


# --------------------------------------------------------------------------------------------------
# Scripts and style sheets of this folder; all scripts share one template that escapes markup.


_HERE = Path(__file__).parent


def with_template(*names: str) -> str:
    """Return scripts of this folder, after the shared `template.js`."""
    return _text("template.js", *names)


def css(*names: str) -> str:
    """Return style sheets of this folder as one text, with what all controls share."""
    return _text(*names, "controls.css")


def _text(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)
