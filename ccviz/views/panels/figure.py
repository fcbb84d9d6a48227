"""A figure on the page."""

from __future__ import annotations

from typing import Any

import panel as pn


class FigurePane(pn.pane.Bokeh):
    """A Bokeh figure that goes on calling whom it was told to call.

    Panel takes a figure's callbacks from it when its tab is left or its place is filled anew, and
    does not give them back when it is drawn again.
    """

    def _cleanup(self, root: Any = None) -> None:
        figure = self.object
        kept = figure._callbacks, figure._event_callbacks
        super()._cleanup(root)
        figure._callbacks, figure._event_callbacks = kept
