"""Bounds and gaps of several runs in one figure, with switches for its lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn
import param
from markupsafe import Markup

from ccviz.runs.run import Run
from ccviz.views.figures.race import RaceFigure
from ccviz.views.frames.race import Lane, race
from ccviz.views.frames.runs import run_names
from ccviz.views.lab.session import Session
from ccviz.views.palette import look
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.upstream.figure_callbacks import FigurePane

_KINDS: dict[str, tuple[Any, bool]] = {
    "Bounds": ("bounds", False),
    "Gap": ("gap", False),
    "Gap, log": ("gap", True),
}
_ONE, _SEVERAL = "Bounds", "Gap, log"
"""What is drawn of one run, and of several, until a person chooses."""

_OTHER = Markup(
    '<p class="caution">Another problem than the one shown, with other points, k, links, sizes or '
    "rules: {}. Compare only gaps.</p>"
)

_AGAINST = {"Time": "time", "Nodes": "nodes"}


class RacePanel(pn.viewable.Viewer):
    """The run that is shown, and past runs of the archive that were chosen to race it.

    Attributes
    ----------
    in_front : bool
        Whether its tab is visible; nothing is drawn in a hidden one.
    """

    in_front = param.Boolean(default=True)

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self._session = session
        self._past: dict[str, Run] = {}
        self._figures: dict[str, RaceFigure] = {}
        self._kind = pn.widgets.RadioButtonGroup(options=list(_KINDS), name="What is drawn")
        self._against = pn.widgets.RadioButtonGroup(options=_AGAINST, name="Against what")
        self._following, self._chosen = Following(), False
        self._other = Html("", margin=0, sizing_mode="stretch_width", visible=False)
        self._place = pn.Column(sizing_mode="stretch_both", margin=0)
        self._kind.param.watch(self._following.unless(self._on_kind), "value")
        self._against.param.watch(self._refresh, "value")
        session.player.param.watch(self._refresh, "shot")
        session.param.watch(self._refresh, "compared")
        session.param.watch(self._on_dark, "dark")
        self.param.watch(self._refresh, "in_front")
        self._refresh()

    def __panel__(self) -> Any:
        switches = pn.FlexBox(self._kind, self._against, margin=0)
        hint = Html(
            Markup(
                '<p class="about">Tick past runs in the tab Runs to draw them over this one.</p>'
            ),
            margin=0,
        )
        return pn.Column(
            switches, hint, self._other, self._place, sizing_mode="stretch_both", margin=0
        )

    def _on_kind(self, _: Any) -> None:
        self._chosen = True
        self._refresh()

    def _choose_kind(self, lanes: list[Lane]) -> None:
        """Draw what shows where runs differ, unless a person has chosen what is drawn."""
        have_gaps = [lane for lane in lanes if np.isfinite(lane.gap).any()]
        if not self._chosen:
            with self._following:
                self._kind.value = _SEVERAL if len(have_gaps) > 1 else _ONE

    def _warn(self, runs: list[tuple[str, Run]]) -> None:
        problems = [run.problem for _, run in runs]
        others = [name for (name, _), asked in zip(runs, problems, strict=True)
                  if not asked.asks_the_same(problems[0])]  # fmt: skip
        self._other.object = _OTHER.format(", ".join(others))
        self._other.visible = bool(others)

    def _on_dark(self, event: Any) -> None:
        for figure in self._figures.values():
            figure.dress(look(event.new))

    def _figure(self, words: str) -> RaceFigure:
        """Return a figure, made when it is first asked for: the page opens sooner."""
        if words not in self._figures:
            self._figures[words] = RaceFigure(look(self._session.dark), *_KINDS[words])
        return self._figures[words]

    def _runs(self) -> list[tuple[str, Run]]:
        archive, chosen = self._session.archive, self._session.compared
        self._past = {at: self._past.get(at) or archive.load(at) for at in chosen}
        shown = self._session.run
        ours = [] if shown is None else [("this run", shown)]
        others = [at for at in self._past if at != self._session.player.run_id]
        names = run_names(archive.runs()) if others else {}
        return [*ours, *((names[at], self._past[at]) for at in others)]

    def _refresh(self, *_: Any) -> None:
        if not self.in_front:
            return
        runs = self._runs()
        self._warn(runs)
        lanes = race(runs, self._against.value)
        self._choose_kind(lanes)
        # Bokeh complains about a plot that has no data to take its ranges from.
        if not any(len(lane.at) for lane in lanes):
            self._place.objects = []
            return
        figure = self._figure(self._kind.value)
        figure.show(lanes, self._against.value)
        pane = self._place.objects[0] if self._place.objects else None
        if pane is None or pane.object is not figure.plot:
            self._place.objects = [FigurePane(figure.plot, sizing_mode="stretch_both", margin=0)]
