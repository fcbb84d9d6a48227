"""The row under the list of links that proves their prices and sorts by them."""

from __future__ import annotations

from typing import Any

import panel as pn
import param
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.views.frames.prices import price_list
from ccviz.views.lab.session import Session
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message

_ABOUT = (
    "How much each link raises the optimum, between two proved limits. A wrong link often has "
    "the highest price. Proofs run in the background and are kept with the run."
)


class PriceTools(pn.viewable.Viewer):
    """Starts and stops the proofs of prices; there only where the run shown is a proof.

    Attributes
    ----------
    highest_first : bool
        Whether the list of links begins with the highest price.
    """

    highest_first = param.Boolean(default=False)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        small: Any = {"margin": (2, 4), "css_classes": ["small"]}
        self._button = pn.widgets.Button(
            name="Prices", description=Tooltip(content=_ABOUT, position="right"), **small
        )
        self._button.on_click(lambda _: in_one_message(self._start_or_stop)())
        self._sort = pn.widgets.Toggle.from_param(
            self.param.highest_first, name="Highest first", **small
        )
        self._words = Html("", margin=(6, 4), sizing_mode="stretch_width")
        self._row = pn.Row(
            self._button, self._sort, self._words, sizing_mode="stretch_width", margin=0
        )
        session.pricing.param.watch(self._refresh, ["known", "busy"])
        session.player.param.watch(self._refresh, "shot")
        session.param.watch(self._refresh, "draft")
        self._refresh()

    def __panel__(self) -> Any:
        return self._row

    def _start_or_stop(self) -> None:
        pricing = self._session.pricing
        if pricing.busy:
            pricing.stop()
            return
        with self._session.in_words():
            pricing.start()

    def _refresh(self, *_: Any) -> None:
        pricing = self._session.pricing
        known = pricing.known
        words = price_list(known, self._session.draft.problem).words
        if pricing.busy:
            words = f"{words}…" if words else "estimating…"
        is_whole = known is not None and not known.todo
        shown = {"name": "Stop" if pricing.busy else "Prices"}
        if self._button.name != shown["name"]:
            self._button.param.update(**shown)
        self._button.visible = pricing.busy or (pricing.may_start and not is_whole)
        self._sort.visible = known is not None
        self._words.object = Markup('<span class="about">{}</span>').format(words)
        self._row.visible = self._button.visible or self._sort.visible
