"""Bokeh figures lose their Python callbacks in Panel.

Defect: `panel.pane.Bokeh` removes a figure's callbacks when its tab is left or its place is
refilled, and does not restore them when the figure is shown again.
Seen in: Panel 1.9.4.
Upstream: near https://github.com/holoviz/panel/issues/5298 (figures in dynamic tabs).
"""

from __future__ import annotations

from typing import Any

import panel as pn


class FigurePane(pn.pane.Bokeh):
    """A Bokeh figure that keeps its callbacks."""

    def _cleanup(self, root: Any = None) -> None:
        figure = self.object
        kept = figure._callbacks, figure._event_callbacks
        super()._cleanup(root)
        figure._callbacks, figure._event_callbacks = kept
