"""The line over every tab: badge, WCSS, lower bound and gap of the run, and its name."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.events import Started
from ccviz.numbers import count
from ccviz.views.frames.card import Card, card
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.panels import icons
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css

_SHOWN = {"WCSS": "WCSS", "Lower bound": "Bound", "Gap": "Gap"}
"""Rows of the card that are shown, and what they are called here."""

_STYLE = css("status.css")
_LINE = Markup(
    '<div class="status" role="region" aria-label="Status"><span class="pill {status}">{headline}'
    '</span>{facts}<span class="whose">{whose}</span></div>'
)
_ASKED = Markup(
    '<div class="status" role="region" aria-label="Status"><span class="pill edited">'
    "From your answers</span><span>{} so far{}</span></div>"
)
_THEN = "; the run's clusters come back when you stop"
_FACT = Markup("<span>{} <b>{}</b></span>")


class StatusPanel(pn.viewable.Viewer):
    """The badge and the figures of the run at the player's cursor.

    Parameters
    ----------
    session : Session
    inspection : Inspection
    may_present : bool
        Whether the whole screen can be taken.
    """

    def __init__(
        self, session: Session, inspection: Inspection, *, may_present: bool = True
    ) -> None:
        super().__init__()
        self._session = session
        self._html = Html(
            "", stylesheets=[_STYLE], sizing_mode="stretch_width", margin=0, name="status"
        )
        self._present = pn.widgets.Button(
            name="Present", icon=icons.PRESENT, margin=0, align="center", color="light",
            visible=may_present,
            css_classes=["icon-only"],
            description=Tooltip(content="Points and proof on the whole screen (F)",
                                position="bottom"),
        )  # fmt: skip
        self._present.on_click(lambda _: in_one_message(partial(present, session))())
        inspection.param.watch(self._refresh, "moved")
        session.param.watch(self._refresh, "draft")
        session.asking.param.watch(self._refresh, ["active", "asked"])
        session.repair.param.watch(self._refresh, "partition")
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Row(
            self._html, self._present, sizing_mode="stretch_width", margin=(0, 0, 4, 0),
            css_classes=["section", "slim", "standing"],
        )  # fmt: skip

    def _refresh(self, *_: Any) -> None:
        run = self._session.run
        labels = self._session.asking.labels
        if labels is not None:
            many, back = count(len(np.unique(labels)), "cluster"), "" if run is None else _THEN
            self._html.object = _ASKED.format(many, back)
            return
        session = self._session
        frame = card(
            run, with_scores=False, asked=session.draft.problem,
            repaired=session.repair.partition, known=session.known_bound,
        )  # fmt: skip
        whose = "" if run is None or run.started is None else _whose(run.started)
        self._html.object = _line(frame, whose)


def present(session: Session) -> None:
    """Show points and proof alone on the whole screen, or the page again.

    Parameters
    ----------
    session : Session
    """
    session.presenting = not session.presenting
    if session.presenting and session.notice is not None and session.notice.kind == "info":
        session.notice = None  # it would hide points from a whole room


def _whose(started: Started) -> str:
    return f"{started.solver}, seed {started.seed}"


def _line(frame: Card, whose: str) -> Markup:
    facts = (_FACT.format(_SHOWN[name], value) for name, value in frame.rows if name in _SHOWN)
    return _LINE.format(
        status=frame.status, headline=frame.headline, facts=Markup().join(facts), whose=whose
    )  # fmt: skip
