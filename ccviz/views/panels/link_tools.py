"""Points by number, and links by the dozen: from the known classes, from a file and into one."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.data.link_files import links_text
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.many_links import draw_links, load_links
from ccviz.views.lab.session import Session
from ccviz.views.panels.file_button import FileButton
from ccviz.views.panels.file_field import FileField
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.point_field import PointField
from ccviz.views.upstream.float_input import FloatInput

_DRAW = (
    "Links between random pairs of points: must-link where their known classes are the same, "
    "cannot-link where they differ. A share of them may be wrong."
)

_MOST_BYTES = 64_000_000
_SMALL = 10_000
"""Links that are written at once: to begin a process takes longer."""


class LinkTools(pn.viewable.Viewer):
    """A card that opens under the list of links."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        half: Any = {"sizing_mode": "stretch_width", "margin": (2, 4)}
        self._weight = FloatInput(
            name="Weight of new links", value=None, start=0.0, step=1.0, placeholder="hard",
            description="Empty for hard links; a soft link may be broken at this price.", **half,
        )  # fmt: skip
        self._weight.param.watch(self._on_weight, "value")
        self._points = PointField(session)
        self._many = pn.widgets.IntInput(name="How many", value=20, start=1, **half)
        self._noise = FloatInput(
            name="Share wrong", value=0.0, start=0.0, end=1.0, step=0.05, **half
        )
        self._draw = pn.widgets.Button(
            name="Draw from classes", margin=(4, 4),
            description=Tooltip(content=_DRAW, position="right"),
        )  # fmt: skip
        self._draw.on_click(
            lambda _: in_one_message(draw_links)(session, self._many.value, self._noise.value)
        )
        self._from_classes = pn.Column(
            Html(Markup('<p class="about">Links drawn from the known classes:</p>'), margin=(4, 4)),
            pn.Row(self._many, self._noise, margin=0, sizing_mode="stretch_width"),
            self._draw, margin=0, sizing_mode="stretch_width",
        )  # fmt: skip
        self._clear = pn.widgets.Button(name="Delete all", margin=(4, 4))
        self._clear.on_click(lambda _: in_one_message(session.remove_links)(session.draft.links))
        self._export = FileButton(
            session, "Export", partial(links_download, session), margin=(4, 4)
        )
        self._import = FileField(
            partial(load_links, session), label="Drop links, or choose a file",
            most_bytes=_MOST_BYTES, sizing_mode="stretch_width", margin=(4, 4),
        )  # fmt: skip
        session.param.watch(self._follow, "draft")
        self._follow()

    def __panel__(self) -> Any:
        # A card shows again, when it opens, what of its own parts was hidden meanwhile.
        inside = pn.Column(
            self._points,
            self._from_classes,
            pn.Row(self._weight, margin=0, sizing_mode="stretch_width"),
            pn.FlexBox(self._export, self._clear, margin=0),
            self._import,
            margin=0, sizing_mode="stretch_width",
        )  # fmt: skip
        return pn.Card(
            inside, title="Pick, draw, import, export", collapsed=True, margin=(2, 4),
            sizing_mode="stretch_width",
        )  # fmt: skip

    def _follow(self, *_: Any) -> None:
        self._from_classes.visible = self._session.draft.data.truth is not None

    def _on_weight(self, event: Any) -> None:
        self._session.weight = event.new or inf


def links_download(session: Session) -> DownloadRequest:
    """Return how the current links are written to a file."""
    problem = session.draft.given
    links = (problem.must_link, problem.cannot_link)
    small = sum(map(len, links)) <= _SMALL
    return DownloadRequest("links.txt", "text/plain", links_text, links, small)
