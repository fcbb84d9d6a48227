"""Run, pause, step, back, stop, speed and scrub, with the event at hand as a sentence."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.solvers.forecast import Forecast, forecast
from ccviz.views.frames.words import sentence
from ccviz.views.lab.player import PACES
from ccviz.views.lab.session import Session
from ccviz.views.panels import icons
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message

_FORECAST = Markup('<span class="forecast" title="{words}">{short}</span>')
_WORDS = Markup('<div class="words" role="status" title="{words}"><b>{place}</b> {words}</div>')


class PlayerPanel(pn.viewable.Viewer):
    """The bar under the plot."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._run = _button("Run", icons.PLAY, "Run (Space)", session.play, kind="primary")
        self._pause = _button("Pause", icons.PAUSE, "Pause (Space)", session.playback.pause)
        self._back = _button("Back", icons.BACK, "One event back (←)", session.playback.back)
        self._step = _button("Step", icons.STEP, "One event on (→)", session.step)
        self._stop = _button(
            "Stop", icons.STOP, "End the run; keep what it found", session.playback.stop
        )
        self._pace = pn.widgets.Select.from_param(
            session.player.param.pace, name="Speed",
            options={f"Speed: {pace}": pace for pace in PACES}, width=112, margin=0,
            description=None, css_classes=["unlabelled"],
        )  # fmt: skip
        self._forecast = Html("", margin=(0, 12, 6, 0), name="forecast")
        self._slider = pn.widgets.IntSlider(
            name="Moment of the run", start=0, end=1, value=0, show_value=False,
            sizing_mode="stretch_width", margin=(6, 14, 0, 14), css_classes=["scrub", "untitled"],
        )  # fmt: skip
        self._following = Following()
        self._slider.param.watch(
            self._following.unless(lambda event: session.playback.seek(event.new)), "value"
        )
        self._words = Html("", sizing_mode="stretch_width", margin=(0, 12, 6, 12))
        session.player.param.watch(self._refresh, ["shot", "playing"])
        session.runner.param.watch(self._refresh, ["state", "waiting"])
        session.param.watch(self._refresh, ["solver", "draft"])
        self._refresh()

    def __panel__(self) -> Any:
        buttons = [self._run, self._pause, self._back, self._step, self._stop]
        bar = pn.Row(
            *buttons, pn.Spacer(sizing_mode="stretch_width"), self._pace,
            sizing_mode="stretch_width", margin=(8, 10, 2, 10), css_classes=["wraps"],
        )  # fmt: skip
        return pn.Column(
            bar, self._slider,
            pn.Row(self._words, self._forecast, sizing_mode="stretch_width", margin=0),
            sizing_mode="stretch_width", css_classes=["section"], styles={"padding": "0"},
        )  # fmt: skip

    def _refresh(self, *_: Any) -> None:
        session, shot = self._session, self._session.player.shot
        moving = session.player.playing or session.runner.state in ("running", "queued")
        self._run.disabled = moving and session.runner.state != "queued"
        self._run.name = "Go on" if session.can_go_on else "Run"
        self._pause.disabled = not moving
        self._back.disabled = shot is None or shot.seq < 0
        self._stop.disabled = not session.runner.busy
        self._follow()
        place, words = self._sentence()
        self._words.object = _WORDS.format(place=place, words=words)
        self._tell_forecast(moving)

    def _tell_forecast(self, moving: bool) -> None:
        """Say how long a proof may take, where Run would begin a run of another problem."""
        found = None if moving or self._session.can_go_on else self._new_forecast()
        told = _FORECAST.format(words=found.words, short=found.short) if found else ""
        self._forecast.object = told

    def _new_forecast(self) -> Forecast | None:
        """Return the forecast of a run, None if the run shown is of the same problem."""
        session, run = self._session, self._session.run
        asked = session.draft.problem_for(session.solver)
        found = forecast(asked, session.solver.name)
        if found is None or run is None or run.started is None:
            return found
        is_shown = run.started.solver == found.solver and run.problem.asks_the_same(asked)
        return None if is_shown else found

    def _follow(self) -> None:
        shot = self._session.player.shot
        with self._following:
            self._slider.param.update(
                end=max(1, shot.last if shot else 1), value=max(0, shot.seq) if shot else 0,
                disabled=shot is None,
            )  # fmt: skip

    def _sentence(self) -> tuple[str, str]:
        """Return the place in the run and what happened there."""
        session, shot = self._session, self._session.player.shot
        if session.runner.state == "queued":
            waiting = session.runner.waiting
            return "", f"Waiting in the queue: {waiting} to end before this run starts."
        if shot is None or shot.last < 0:
            return "", "The solver is loaded…" if session.runner.busy else "Nothing has run yet."
        words = sentence(shot.event) if shot.event is not None else "Before the first event."
        return f"{shot.seq + 1:,} / {shot.last + 1:,}", words


def _button(
    name: str, icon: str, help_text: str, on_click: Any, kind: str = "default"
) -> pn.widgets.Button:
    button = pn.widgets.Button(
        name=name,
        icon=icon,
        color=kind,
        css_classes=[] if kind == "primary" else ["brief"],
        margin=(0, 2, 0, 0),
        description=Tooltip(content=help_text, position="top"),
    )
    button.on_click(lambda _: in_one_message(on_click)())
    return button
