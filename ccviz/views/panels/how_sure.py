"""The row over the clusters that says how sure the points are, with the tolerated rise."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.views.frames.sureness import sure_words
from ccviz.views.lab.session import Session
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message

_ABOUT = (
    "How much the cost must rise before a point leaves its cluster, between two proved limits: the "
    "optimum with the point and the most central block of its cluster apart, less the optimum. "
    "Points that might leave within the tolerated rise lose their colour. Bounds are computed in "
    "the background, the least sure points first, and are kept with the run."
)
_FIRST_RISE = 2.0
_MOST_RISE = 20.0


class SureTools(pn.viewable.Viewer):
    """Starts and stops the bounds of margins; there only where the run shown is a proof."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        small: Any = {"margin": (2, 4), "css_classes": ["small"]}
        self._button = pn.widgets.Button(
            name="How sure", description=Tooltip(content=_ABOUT, position="left"), **small
        )
        self._button.on_click(lambda _: in_one_message(self._start_or_stop)())
        self._shown = pn.widgets.Toggle(name="Show on the plot", **small)
        self._rise = pn.widgets.FloatSlider(
            name="Tolerated rise (%)", value=_FIRST_RISE, start=0.0, end=_MOST_RISE, step=0.1,
            sizing_mode="stretch_width", margin=(2, 8),
        )  # fmt: skip
        for widget, name in ((self._shown, "value"), (self._rise, "value")):
            widget.param.watch(in_one_message(self._on_rise), name)
        self._words = Html("", margin=(6, 4), sizing_mode="stretch_width")
        self._buttons = pn.Row(
            self._button, self._shown, self._words, sizing_mode="stretch_width", margin=0
        )
        self._all = pn.Column(self._buttons, self._rise, sizing_mode="stretch_width", margin=0)
        session.sureness.param.watch(self._refresh, ["known", "busy"])
        session.player.param.watch(self._refresh, "shot")
        session.param.watch(self._refresh, ["draft", "rise"])
        self._refresh()

    def __panel__(self) -> Any:
        return self._all

    def _start_or_stop(self) -> None:
        sureness = self._session.sureness
        if sureness.busy:
            sureness.stop()
            return
        with self._session.in_words():
            sureness.start()
            self._shown.value = True

    def _on_rise(self, *_: Any) -> None:
        self._session.rise = self._rise.value / 100.0 if self._shown.value else None

    def _refresh(self, *_: Any) -> None:
        sureness = self._session.sureness
        known = sureness.known
        words = sure_words(known, self._rise.value / 100.0, self._session.draft.problem)
        if sureness.busy:
            words = f"{words}…" if words else "estimating…"
        name = "Stop bounds" if sureness.busy else "How sure"
        if self._button.name != name:
            self._button.name = name
        is_whole = known is not None and not known.todo
        self._button.visible = sureness.busy or (sureness.may_start and not is_whole)
        self._shown.visible = self._rise.visible = known is not None
        self._words.object = Markup('<span class="about">{}</span>').format(words)
        self._all.visible = self._button.visible or self._shown.visible
