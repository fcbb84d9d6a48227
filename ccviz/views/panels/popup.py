"""The buttons that appear at the pointer once two points, or a group, are picked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bokeh.models import XY, Button, Column, Div, Row
from bokeh.models import Panel as BokehPanel

from ccviz.views.draft import Kind
from ccviz.views.panels.commit import held
from ccviz.views.picker import Screen

_FRAME = """
:host { background: var(--paper, #fff); border: 1px solid var(--line, #dfe5ec); border-radius: 8px;
  padding: 6px 8px; color: var(--ink, #1d2733);
  box-shadow: 0 4px 16px rgb(0 0 0 / 0.18); }
"""
_BUTTON = """
.bk-btn { border-radius: 6px; border: 1px solid var(--line, #dfe5ec);
  background: var(--paper, #fff); color: var(--ink, #1d2733);
  font: 550 13px var(--font, sans-serif); padding: 4px 9px; }
.bk-btn:hover, .bk-btn:focus-visible { border-color: var(--accent, #0b62a4);
  color: var(--accent, #0b62a4); }
"""
_TITLE = (
    ":host { font: 12px var(--font, sans-serif); color: var(--faint, #5b6876); margin: 0 2px 4px; }"
)
# Not the property `visible`: Bokeh attaches an invisible panel to the plot only much later.
_SHOWN = {"z-index": "10", "visibility": "visible"}
_ASIDE = {
    "left": "14px", "top": "14px", "center": "0", "right": "-14px", "bottom": "-14px",
}  # fmt: skip
"""How far it stands from its point: Bokeh counts margins from the upper left in any case."""

_HIDDEN = {"z-index": "10", "visibility": "hidden"}


class LinkPopup:
    """A small frame in the plot with a button for each kind of link.

    Parameters
    ----------
    on_link : callable
        Called with ``"must"`` or ``"cannot"``.
    on_hold : callable
        Puts the group aside.
    on_cancel : callable
    """

    def __init__(
        self,
        on_link: Callable[[Kind], None],
        on_hold: Callable[[], None],
        on_cancel: Callable[[], None],
    ) -> None:
        self._title = Div(text="", stylesheets=[_TITLE])
        buttons = [
            _button("Must-link (M)", "link-must", lambda: on_link("must")),
            _button("Cannot-link (C)", "link-cannot", lambda: on_link("cannot")),
            _button("Hold (H)", "link-hold", on_hold),
            _button("Esc", "link-cancel", on_cancel),
        ]
        self.model = BokehPanel(
            elements=[
                Column(self._title, Row(*buttons[:2], spacing=4), Row(*buttons[2:], spacing=4))
            ],
            position=XY(x=0, y=0),
            anchor="top_left",
            stylesheets=[_FRAME],
            styles=_HIDDEN,
        )

    def show(
        self, points: Sequence[int], held: Sequence[int], at: tuple[float, float], screen: Screen
    ) -> None:
        """Appear beside a place of the plot, where there is room."""
        self._title.text = _words(points) + (f" against {_words(held)}" if held else "")
        vertical = "top" if at[1] > sum(screen.y_range) / 2 else "bottom"
        left, right = screen.x_range
        share = (at[0] - left) / (right - left)
        horizontal = "left" if share < 1 / 3 else "center" if share < 2 / 3 else "right"
        self.model.update(
            position=XY(x=at[0], y=at[1]),
            anchor=f"{vertical}_{horizontal}",
            styles=_SHOWN | {"margin": f"{_ASIDE[vertical]} 0 0 {_ASIDE[horizontal]}"},
        )

    def hide(self) -> None:
        """Disappear."""
        self.model.styles = _HIDDEN


def _words(points: Sequence[int]) -> str:
    if len(points) > 2:
        return f"{len(points)} points"
    return f"point{'s' * (len(points) - 1)} {' and '.join(map(str, points))}"


def _button(label: str, name: str, on_click: Callable[[], None]) -> Button:
    button = Button(label=label, name=name, stylesheets=[_BUTTON])
    button.on_click(held(on_click))
    return button
