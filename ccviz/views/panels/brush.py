"""The bar of the brush: paint or erase, the class of its points, its width."""

from __future__ import annotations

from typing import Any

import panel as pn

from ccviz.views.lab.painter import MOST_CLASSES, TOOLS, Painter
from ccviz.views.palette import cluster_colors
from ccviz.views.panels.messages import in_one_message


class BrushPanel(pn.viewable.Viewer):
    """Visible while points are painted."""

    def __init__(self, painter: Painter) -> None:
        super().__init__()
        tools = pn.widgets.RadioButtonGroup.from_param(
            painter.param.tool, name="What the mouse does", options=TOOLS, margin=(0, 6, 0, 0)
        )
        classes = pn.widgets.RadioButtonGroup.from_param(
            painter.param.cluster, name="Class of new points", margin=(0, 6, 0, 0),
            options={str(place + 1): place for place in range(MOST_CLASSES)},
            stylesheets=[_colored(cluster_colors(MOST_CLASSES))], css_classes=["swatches"],
        )  # fmt: skip
        radius = pn.widgets.IntSlider.from_param(
            painter.param.radius, name="Width", width=58, margin=(8, 8, 0, 4), show_value=False,
            css_classes=["untitled"],
        )  # fmt: skip
        blank = pn.widgets.Button(name="Clear", margin=0)
        blank.on_click(lambda _: in_one_message(painter.take_blank)())
        self._row = pn.FlexBox(
            tools, classes, radius, blank, margin=(0, 0, 4, 0), visible=painter.active,
            align_items="center", gap="4px",
        )  # fmt: skip
        painter.param.watch(lambda event: setattr(self._row, "visible", event.new), "active")

    def __panel__(self) -> Any:
        return self._row


def _colored(colors: list[str]) -> str:
    """Return a style sheet that gives each button the colour of its class."""
    return "\n".join(
        f".bk-btn:nth-of-type({place}) {{ border-bottom: 4px solid {color} !important; "
        "padding: 4px 7px !important; }"
        for place, color in enumerate(colors, start=1)
    )
