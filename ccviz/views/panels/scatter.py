"""The plot in the middle: click points, link them, watch them change colour."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn

from ccviz.views.figures.decisions import DecisionsOverlay
from ccviz.views.figures.scatter import ScatterFigure
from ccviz.views.frames.links import lines, path
from ccviz.views.frames.scatter import coloring, plane
from ccviz.views.inspection import Inspection, node_labels, node_lines
from ccviz.views.palette import look
from ccviz.views.panels.commit import held
from ccviz.views.panels.popup import LinkPopup
from ccviz.views.picker import nearest
from ccviz.views.session import Session


class ScatterPanel(pn.viewable.Viewer):
    """Points on two axes, with links, clusters and centres; the place where pairs are picked.

    Parameters
    ----------
    session : Session
    inspection : Inspection, optional
        Where a node of the tree is chosen: its decisions and colours are drawn.
    """

    def __init__(self, session: Session, inspection: Inspection | None = None) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._figure = ScatterFigure(look(session.dark))
        self._popup = LinkPopup(session.link, session.cancel)
        self._figure.plot.elements.append(self._popup.model)
        # Bokeh calls the second of two quick taps a double one, wherever it falls.
        for kind in ("tap", "doubletap"):
            self._figure.plot.on_event(kind, held(self._on_tap))
        self._figure.points.selected.on_change("indices", held(self._on_select))
        if inspection is not None:
            self._decisions = DecisionsOverlay(self._figure.plot, look(session.dark))
            inspection.param.watch(self._on_node, "node")
        session.param.watch(self._on_problem, ["draft", "x_axis", "y_axis"])
        session.param.watch(self._on_picked, "picked")
        session.param.watch(self._on_lit, "lit")
        session.param.watch(self._on_dark, "dark")
        session.player.param.watch(self._on_shot, "shot")
        self._pane = pn.pane.Bokeh(self._figure.plot, sizing_mode="stretch_both", margin=0)
        self._place()

    def __panel__(self) -> Any:
        return self._pane

    def _place(self) -> None:
        session = self._session
        self._plane = plane(session.draft, session.x_axis, session.y_axis)
        self._figure.show_plane(self._plane)
        self._color()

    def _color(self) -> None:
        session, run = self._session, self._session.run
        leaning = node_labels(self._inspection)
        frame = coloring(run, self._plane, self._figure.labels, leaning)
        self._figure.show_clusters(session.draft.k, frame)
        labels = frame.labels if run is not None and run.labels is not None else None
        must, cannot = (
            lines(session.draft, kind, self._plane, labels) for kind in ("must", "cannot")
        )
        self._figure.show_links(must, cannot)

    def _on_problem(self, *events: Any) -> None:
        moved = any(
            event.name != "draft" or event.old is None or event.old.X is not event.new.X
            for event in events
        )
        if moved:
            self._place()
        else:
            self._color()

    def _on_shot(self, _: Any) -> None:
        self._color()

    def _on_node(self, _: Any) -> None:
        together, apart = node_lines(self._inspection, self._plane)
        self._decisions.show(together, apart)
        self._color()

    def _on_picked(self, event: Any) -> None:
        picked = event.new
        self._figure.show_picked(self._plane, picked)
        if len(picked) < 2:
            self._popup.hide()
            return
        at = self._plane.x[list(picked)], self._plane.y[list(picked)]
        last = (float(at[0][-1]), float(at[1][-1]))
        self._popup.show(picked, last, self._figure.screen)

    def _on_lit(self, event: Any) -> None:
        self._figure.show_path(path(event.new, self._plane))

    def _on_dark(self, event: Any) -> None:
        self._figure.dress(look(event.new))
        if self._inspection is not None:
            self._decisions.dress(look(event.new))

    def _on_tap(self, event: Any) -> None:
        where = (event.x, event.y)
        self._session.pick(nearest(self._plane.x, self._plane.y, where, self._figure.screen))

    def _on_select(self, _attr: str, _old: list[int], new: list[int]) -> None:
        if len(new) > 1:
            self._session.pick_group(np.sort(new).tolist())
