"""The search tree with its switch, and the node that was clicked beside it."""

from __future__ import annotations

from typing import Any

import panel as pn

from ccviz.views.figures.tree import TreeFigure
from ccviz.views.frames.node import NodeLog
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.palette import look
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.node import NodePanel
from ccviz.views.upstream.figure_callbacks import FigurePane

_LEAST_HEIGHT = "clamp(60px, 11vh, 104px)"
"""Height kept for the details under the tree, so that most clicks move nothing."""

_AXES = {"Lower bound": "bound", "Depth": "depth"}


class TreePanel(pn.viewable.Viewer):
    """Grows with the run; clicking a node selects it, clicking a folded one opens it."""

    def __init__(self, session: Session, inspection: Inspection) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._figure = TreeFigure(
            look(session.dark, large=session.presenting), in_one_message(inspection.select)
        )
        self._node = NodePanel(inspection)
        self._axis = pn.widgets.RadioButtonGroup(
            options=_AXES, value=inspection.axis, name="Height of a node",
            align="end", margin=(-36, 0, 6, 0), styles={"z-index": "1"},
            css_classes=["beside-tabs"],
        )  # fmt: skip
        self._axis.param.watch(in_one_message(self._on_axis), "value")
        session.param.watch(self._dress, ["dark", "presenting"])
        self._details = pn.Column(
            self._node, sizing_mode="stretch_width", margin=(2, 8),
            styles={"flex": "0 0 auto", "min-height": _LEAST_HEIGHT},
        )  # fmt: skip
        inspection.param.watch(self.refresh, "node")

    def __panel__(self) -> Any:
        figure = FigurePane(self._figure.plot, sizing_mode="stretch_both", margin=0)
        return pn.Column(
            pn.Column(self._axis, figure, sizing_mode="stretch_both", margin=0),
            self._details,
            sizing_mode="stretch_both",
            margin=0,
        )

    def _dress(self, *_: Any) -> None:
        self._figure.dress(look(self._session.dark, large=self._session.presenting))

    def _on_axis(self, event: Any) -> None:
        self._inspection.axis = event.new
        self.refresh()

    def refresh(self, *_: Any) -> None:
        """Draw the changes."""
        frame = self._inspection.tree_frame()
        if frame is not None:
            self._figure.show(frame, self._inspection.log(NodeLog).lives(frame.node))
            self._figure.select(self._inspection.node)
