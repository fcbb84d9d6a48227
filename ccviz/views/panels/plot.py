"""The plot in the middle with its bar: which view, which axes, the questions, the brush."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import Tooltip

from ccviz.views.frames.projection import axis_names
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.session import Session
from ccviz.views.panels import icons
from ccviz.views.panels.asking import AskButton, AskingPanel
from ccviz.views.panels.brush import BrushPanel
from ccviz.views.panels.commit import held
from ccviz.views.panels.following import Following
from ccviz.views.panels.pairs import PairsPanel
from ccviz.views.panels.scatter import ScatterPanel

_VIEWS = ("Plane", "Matrix")


class PlotPanel(pn.viewable.Viewer):
    """One plane of the data, or all pairs of features at once."""

    def __init__(self, session: Session, inspection: Inspection, painter: Painter) -> None:
        super().__init__()
        self._session, self._painter = session, painter
        self._following = Following()
        self._scatter = ScatterPanel(session, inspection, painter)
        self._legend = self._scatter.legend
        self._pairs = PairsPanel(session, lambda: self._scatter.labels, self._show_plane)
        bare: Any = {"width": 74, "margin": (0, 3, 0, 0), "css_classes": ["unlabelled"]}
        self._view = pn.widgets.RadioButtonGroup(
            name="View of the points",
            options=list(_VIEWS),
            margin=(0, 5, 0, 0),
            css_classes=["bar"],
        )
        self._x = pn.widgets.Select(name="Across", **bare)
        self._y = pn.widgets.Select(name="Up", **bare)
        self._classes = _button("Classes", icons.TAG, "Colour by the known classes")
        self._classes.param.update(css_classes=["advice"], margin=(2, 0))
        self._ask = AskButton(session)
        self._paint = _button("Paint", icons.BRUSH, "Paint points by hand (P)")
        self._brush, self._asking = BrushPanel(painter), AskingPanel(session)
        self._place = pn.Column(self._scatter, sizing_mode="stretch_both", margin=0)
        self._watch()
        self._follow()

    def _watch(self) -> None:
        session, on = self._session, self._following.unless
        self._view.param.watch(self._on_view, "value")
        self._x.param.watch(on(lambda event: setattr(session, "x_axis", event.new)), "value")
        self._y.param.watch(on(lambda event: setattr(session, "y_axis", event.new)), "value")
        self._classes.on_click(lambda _: held(self._on_classes)())
        self._paint.on_click(lambda _: held(self._painter.toggle)())
        self._painter.param.watch(self._on_brush, "active")
        session.asking.param.watch(self._on_asking, "active")
        session.param.watch(self._follow, ["draft", "x_axis", "y_axis"])
        session.param.watch(self._pairs.refresh, ["isolated", "differing"])

    def __panel__(self) -> Any:
        bar = pn.Row(
            self._view, self._x, self._y, pn.Spacer(sizing_mode="stretch_width"),
            self._ask, self._paint,
            sizing_mode="stretch_width", margin=(0, 0, 4, 0), css_classes=["wraps"],
        )  # fmt: skip
        return pn.Column(
            bar,
            self._brush,
            self._asking,
            pn.Row(self._legend, self._classes, sizing_mode="stretch_width", margin=0),
            self._place,
            sizing_mode="stretch_both",
            margin=0,
        )

    def _on_view(self, event: Any) -> None:
        matrix = event.new == "Matrix"
        self._pairs.in_front = matrix
        self._x.visible = self._y.visible = not matrix
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

    def _follow(self, *_: Any) -> None:
        session = self._session
        axes = axis_names(session.draft.data.features)
        with self._following:
            self._x.param.update(options=axes, value=session.x_axis)
            self._y.param.update(options=axes, value=session.y_axis)
        self._classes.visible = session.draft.data.truth is not None


def _button(name: str, icon: str, help_text: str) -> pn.widgets.Button:
    # Above, for below it would hide the bar of the brush.
    return pn.widgets.Button(
        name=name, icon=icon, margin=(0, 0, 0, 3), css_classes=["bar"],
        description=Tooltip(content=help_text, position="top"),
    )  # fmt: skip
