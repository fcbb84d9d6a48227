"""Both bounds under the solver's own view, with the life of the node that is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn

from ccviz.views.figures.bounds import BoundsFigure
from ccviz.views.figures.moments import Moments
from ccviz.views.frames.bounds import bounds
from ccviz.views.frames.node import NodeLog
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.palette import look
from ccviz.views.upstream.figure_callbacks import FigurePane

_ROOM = {"flex": "0 0 auto", "height": "clamp(120px, 24%, 340px)"}
"""About a quarter of the tab: the tree above it needs the rest."""


class ProofBounds(pn.viewable.Viewer):
    """The bounds of the run; nothing where it has proved none."""

    def __init__(self, session: Session, inspection: Inspection) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._figure = BoundsFigure(look(session.dark), "proof-bounds", low=True)
        self._moments = Moments(self._figure.plot)
        figure = FigurePane(self._figure.plot, sizing_mode="stretch_both", margin=0)
        self._pane = pn.Column(
            figure, sizing_mode="stretch_both", margin=0, styles=_ROOM, visible=False
        )
        self._dress()
        session.param.watch(self._dress, ["dark", "presenting"])
        inspection.param.watch(self.refresh, "node")

    def __panel__(self) -> Any:
        return self._pane

    def _dress(self, *_: Any) -> None:
        colors = look(self._session.dark, large=self._session.presenting)
        for each in (self._figure, self._moments):
            each.dress(colors)

    def refresh(self, *_: Any) -> None:
        """Draw what is new."""
        run, node = self._inspection.run, self._inspection.node
        frame = bounds(run)
        # Bokeh complains about a plot that has no data to take its ranges from.
        self._pane.visible = bool(np.isfinite(frame.lower).any())
        if not self._pane.visible or run is None:
            return
        self._figure.show(frame)
        facts = None if node is None else self._inspection.log(NodeLog).frame(run, node)
        self._moments.show(facts, run.time_s)
