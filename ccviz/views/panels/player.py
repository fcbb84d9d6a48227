"""Run, pause, step, back, stop, speed and scrub, with the event at hand as a sentence."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.numbers import count
from ccviz.views.frames.card import IN_STATUS, Card
from ccviz.views.frames.tables import sentence
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.player import PACES
from ccviz.views.lab.session import Session
from ccviz.views.panels.base import (
    BACK,
    PAUSE,
    PLAY,
    PRESENT,
    STEP,
    STOP,
    Following,
    Html,
    Panel,
    button,
    css,
    watches,
)

_WORDS = Markup('<div class="words" role="status" title="{words}"><b>{place}</b> {words}</div>')


class PlayerPanel(Panel):
    """The bar under the plot."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._run = _button("Run", PLAY, "Run (Space)", session.play, kind="primary")
        self._pause = _button("Pause", PAUSE, "Pause (Space)", session.playback.pause)
        self._back = _button("Back", BACK, "One event back (←)", session.playback.back)
        self._step = _button("Step", STEP, "One event on (→)", session.step)
        self._stop = _button("Stop", STOP, "End the run; keep what it found", session.playback.stop)
        self._pace = pn.widgets.Select.from_param(
            session.player.param.pace, name="Speed",
            options={f"Speed: {pace}": pace for pace in PACES}, width=112, margin=0,
            description=None, css_classes=["unlabelled"],
        )  # fmt: skip
        self._slider = pn.widgets.IntSlider(
            name="Moment of the run", start=0, end=1, value=0, show_value=False,
            sizing_mode="stretch_width", margin=(6, 14, 0, 14), css_classes=["scrub", "untitled"],
        )  # fmt: skip
        self._following = Following()
        self._following.hear(self._slider, session.playback.seek)
        self._words = Html("", sizing_mode="stretch_width", margin=(0, 12, 6, 12))
        self.follow(session)
        self._refresh()

    def __panel__(self) -> Any:
        buttons = [self._run, self._pause, self._back, self._step, self._stop]
        bar = pn.Row(
            *buttons, pn.Spacer(sizing_mode="stretch_width"), self._pace,
            sizing_mode="stretch_width", margin=(8, 10, 2, 10), css_classes=["wraps"],
        )  # fmt: skip
        return pn.Column(
            bar, self._slider, self._words,
            sizing_mode="stretch_width", css_classes=["section"], styles={"padding": "0"},
        )  # fmt: skip

    @watches("player.shot", "player.playing", "runner.state", "runner.waiting", "solver", "draft")
    def _refresh(self, *_: Any) -> None:
        session, shot = self._session, self._session.player.shot
        moving = session.player.playing or session.runner.state in ("running", "queued")
        self._run.disabled = moving and session.runner.state != "queued"
        goes_on = session.can_go_on or session.can_resume
        self._run.name = "Go on" if goes_on else "Run"
        self._pause.disabled = not moving
        self._back.disabled = shot is None or shot.seq < 0
        ended = shot is not None and shot.at_end and not session.runner.busy
        self._step.disabled = ended
        self._stop.disabled = not session.runner.busy
        with self._following:
            self._slider.param.update(
                end=max(1, shot.last if shot else 1), value=max(0, shot.seq) if shot else 0,
                disabled=shot is None,
            )  # fmt: skip
        place, words = self._sentence()
        self._words.object = _WORDS.format(place=place, words=words)

    def _sentence(self) -> tuple[str, str]:
        """Return the place in the run and what happened there."""
        session, shot = self._session, self._session.player.shot
        if session.runner.state == "queued":
            waiting = session.runner.waiting
            return "", f"Waiting in the queue: {waiting} to end before this run starts."
        if shot is None or shot.last < 0:
            loading = "The solver is being loaded…"
            return "", loading if session.runner.busy else "Nothing has run yet."
        names = session.draft.data.names
        words = "Before the first event." if shot.event is None else sentence(shot.event, names)
        if not shot.run.problem.asks_the_same(session.draft.problem):
            words = f"Of the problem before the edit: {words}"
        return f"{shot.seq + 1:,} / {shot.last + 1:,}", words


def _button(
    name: str, icon: str, help_text: str, on_click: Any, kind: str = "default"
) -> pn.widgets.Button:
    return button(
        name, on_click, help_text, icon=icon, color=kind, margin=(0, 2, 0, 0),
        css_classes=[] if kind == "primary" else ["brief"],
    )  # fmt: skip


# --- The line over every tab: badge, WCSS, lower bound and gap of the run, and its name -----------


_LINE = Markup(
    '<div class="status" role="region" aria-label="Status"><span class="pill {status}">{headline}'
    '</span><span class="whose">{whose}</span><span class="figures" style="--letters:{letters}">'
    "{facts}</span></div>"
)
_ASKED = Markup(
    '<div class="status" role="region" aria-label="Status"><span class="pill edited">'
    'From your answers</span><span class="figures">{} so far{}</span></div>'
)
_THEN = "; the run's clusters come back when you stop"
_FACT = Markup('<span title="{}">{} <b>{}</b></span>')
_ABOUT = {
    "Cost": "The sum of squared distances of all points to the mean of their cluster.",
    "Bound": "No clustering that keeps the constraints costs less than this.",
    "Gap": "How much cheaper the best clustering may still be, as a share of the cost.",
}
"""What the figures are, by their words on the page."""


class StatusPanel(Panel):
    """The badge and the figures of the run at the player's cursor.

    `may_present`: Whether the whole screen can be taken.
    """

    def __init__(
        self, session: Session, inspection: Inspection, *, may_present: bool = True
    ) -> None:
        super().__init__()
        self._session = session
        self._html = Html(
            "",
            stylesheets=[css("status.css")],
            sizing_mode="stretch_width",
            margin=0,
            name="status",
        )
        self._present = button(
            "Present",
            partial(present, session),
            icon=PRESENT,
            margin=0,
            align="center",
            color="light",
            visible=may_present,
            css_classes=["icon-only", "named"],
            description=Tooltip(
                content="Points and proof on the whole screen (F)", position="bottom"
            ),
        )
        self.follow(session, inspection=inspection)
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Row(
            self._html, self._present, sizing_mode="stretch_width", margin=(0, 0, 4, 0),
            css_classes=["section", "slim", "standing"],
        )  # fmt: skip

    @watches(
        "inspection.moved", "draft", "asking.active", "asking.asked", "repair.partition",
        "staying.found",
    )  # fmt: skip
    def _refresh(self, *_: Any) -> None:
        run = self._session.run
        labels = self._session.asking.labels
        if labels is not None:
            many, back = count(len(np.unique(labels)), "cluster"), "" if run is None else _THEN
            self._html.object = _ASKED.format(many, back)
            return
        frame = self._session.card(with_scores=False)
        started = None if run is None else run.started
        whose = "" if started is None else f"{started.solver}, seed {started.seed}"
        self._html.object = _line(frame, whose)


def present(session: Session) -> None:
    """Show points and proof alone on the whole screen, or the page again."""
    session.presenting = not session.presenting
    if session.presenting and session.notice is not None and session.notice.kind == "info":
        session.notice = None  # it would hide points from a whole room


def _line(frame: Card, whose: str) -> Markup:
    rows = dict(frame.rows)
    shown = [(words, rows[name]) for name, words in IN_STATUS.items() if name in rows]
    facts = Markup().join(_FACT.format(_ABOUT[words], words, value) for words, value in shown)
    return _LINE.format(
        status=frame.status, headline=frame.headline, facts=facts, whose=whose,
        letters=sum(len(words) + len(value) + 2 for words, value in shown) or 1,
    )  # fmt: skip
