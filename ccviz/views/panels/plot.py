"""The plot in the middle with its bar: which view, which axes, the questions, the brush."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import Tooltip

from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.session import Session
from ccviz.views.panels import icons
from ccviz.views.panels.axes import Axes
from ccviz.views.panels.brush import BrushPanel
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.pairs import PairsPanel
from ccviz.views.panels.question_progress import AskButton, QuestionProgress
from ccviz.views.panels.scatter import ScatterPanel

_VIEWS = ("Plane", "Matrix")


class PlotPanel(pn.viewable.Viewer):
    """One plane of the data, or all pairs of features at once."""

    def __init__(self, session: Session, inspection: Inspection, painter: Painter) -> None:
        super().__init__()
        self._session, self._painter = session, painter
        self._scatter = ScatterPanel(session, inspection, painter)
        self._legend = self._scatter.legend
        self._pairs = PairsPanel(session, lambda: self._scatter.labels, self._show_plane)
        self._view = pn.widgets.RadioButtonGroup(
            name="View of the points",
            options=list(_VIEWS),
            margin=(0, 5, 0, 0),
            css_classes=["bar"],
        )
        self._axes = Axes(session)
        self._classes = _button("Classes", icons.TAG, "Colour by the known classes")
        self._classes.param.update(css_classes=["advice"], margin=(2, 0))
        self._ask = AskButton(session)
        self._paint = _button("Paint", icons.BRUSH, "Paint points by hand (P)")
        self._brush, self._asking = BrushPanel(painter), QuestionProgress(session)
        self._head = pn.Row(self._legend, self._classes, sizing_mode="stretch_width", margin=0)
        self._place = pn.Column(self._scatter, sizing_mode="stretch_both", margin=0)
        self._watch()
        self._follow()

    def _watch(self) -> None:
        session = self._session
        self._view.param.watch(self._on_view, "value")
        self._classes.on_click(lambda _: in_one_message(self._on_classes)())
        self._paint.on_click(lambda _: in_one_message(self._painter.toggle)())
        self._painter.param.watch(self._on_brush, "active")
        session.asking.param.watch(self._on_asking, "active")
        session.asking.param.watch(self._make_room, ["active", "asked"])
        session.param.watch(self._follow, "draft")
        session.param.watch(self._pairs.refresh, ["isolated", "differing"])

    def __panel__(self) -> Any:
        bar = pn.Row(
            self._view, self._axes.x, self._axes.y, pn.Spacer(sizing_mode="stretch_width"),
            self._ask, self._paint,
            sizing_mode="stretch_width", margin=(0, 0, 4, 0), css_classes=["wraps"],
        )  # fmt: skip
        return pn.Column(
            bar,
            self._brush,
            self._asking,
            self._head,
            self._place,
            sizing_mode="stretch_both",
            margin=0,
        )

    def _on_view(self, event: Any) -> None:
        matrix = event.new == "Matrix"
        self._pairs.in_front = matrix
        self._axes.show(not matrix)
        self._place.objects = [self._pairs if matrix else self._scatter]

    def _on_classes(self) -> None:
        self._scatter.by_class = not self._scatter.by_class
        self._classes.button_type = "primary" if self._scatter.by_class else "default"
        self._pairs.refresh()

    def _show_plane(self, x_axis: str, y_axis: str) -> None:
        """Leave the matrix for one of its cells."""
        self._session.show_axes(x_axis, y_axis)
        self._view.value = "Plane"

    def _on_brush(self, event: Any) -> None:
        self._paint.button_type = "primary" if event.new else "default"
        if event.new:
            self._view.value = "Plane"

    def _on_asking(self, event: Any) -> None:
        if event.new:
            self._view.value = "Plane"

    def _make_room(self, *_: Any) -> None:
        """On a phone, let the plot have the legend's room while five points are asked about."""
        asking = self._session.asking
        if asking.asked is not None or not asking.active:
            self._head.css_classes = ["yields"] if asking.several else []

    def _follow(self, *_: Any) -> None:
        self._classes.visible = self._session.draft.data.truth is not None


def _button(name: str, icon: str, help_text: str) -> pn.widgets.Button:
    # Above, for below it would hide the bar of the brush.
    return pn.widgets.Button(
        name=name, icon=icon, margin=(0, 0, 0, 3), css_classes=["bar"],
        description=Tooltip(content=help_text, position="top"),
    )  # fmt: skip
