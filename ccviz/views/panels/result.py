"""The result card; under it both bounds, or the objective of a method that has none."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import panel as pn
import param
from markupsafe import Markup

from ccviz.errors import ParameterError
from ccviz.problem.partition import Partition
from ccviz.runs.run import Run
from ccviz.solvers import solver_class
from ccviz.studies.least_change import LeastChange
from ccviz.studies.why import Why
from ccviz.views.figures.curves import BoundsFigure, RaceFigure
from ccviz.views.figures.solvers import DescentFigure
from ccviz.views.frames.bounds import Lane, bounds, race
from ccviz.views.frames.card import IN_STATUS, Card, RuleRow
from ccviz.views.frames.heuristic import DescentLog
from ccviz.views.frames.tables import run_names
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.palette import cluster_colors, look
from ccviz.views.panels.base import Following, Html, Panel, css, watches
from ccviz.views.upstream import FigurePane

_FIRST_SCORES = ("ARI", "Rows")
_LOOKING = Markup("<p>The clustering that keeps the groups is looked for…</p>")
_MOST_MOVES = 40
"""Moved points that are listed."""


class ResultPanel(Panel):
    """Result of the run at the player's cursor.

    `hint`: The sentence shown before the first run.
    """

    def __init__(self, session: Session, inspection: Inspection, hint: str) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._first = Markup("<p>{}</p>").format(hint)
        self._moves: tuple[LeastChange | None, Markup] = (None, Markup())
        self._html = Html(
            "",
            stylesheets=[css("result.css")],
            sizing_mode="stretch_width",
            margin=0,
            name="result",
        )
        self._bounds = BoundsFigure(look(session.dark))
        self._descent = DescentFigure(look(session.dark))
        panes: Any = {"sizing_mode": "stretch_both", "margin": 0}
        self._plots = {
            "Bounds": FigurePane(self._bounds.plot, **panes),
            "Objective by iteration": FigurePane(self._descent.plot, **panes),
        }
        self._title = Html(Markup("<h2>Bounds</h2>"), margin=0)
        self._place = pn.Column(sizing_mode="stretch_both", margin=0)
        self._figure = pn.Column(
            self._title, self._place, sizing_mode="stretch_both", css_classes=["section"],
            margin=(8, 0, 0, 0), min_height=200, visible=False,
        )  # fmt: skip
        self.follow(session, inspection=inspection)
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Column(
            pn.Column(self._html, sizing_mode="stretch_width", css_classes=["section"]),
            self._figure,
            sizing_mode="stretch_both", margin=0,
        )  # fmt: skip

    @watches(
        "inspection.moved", "player.playing", "draft", "repair.partition", "staying.busy",
        "staying.found",
    )  # fmt: skip
    def _refresh(self, *_: Any) -> None:
        run = self._session.run
        # Scores take milliseconds and say little about a state that is gone in a moment.
        frame = self._session.card(with_scores=not self._session.player.playing)
        answer = self._session.answer
        if answer is not None:
            colors = self._session.cluster_colors.of(answer)
            sizes = Partition(answer.problem, colors).kept_sizes
            frame = replace(frame, sizes=tuple(sizes.tolist()))
        self._html.object = _html(frame, self._first if run is None else self._moved())
        self._show_figure(run)

    def _moved(self) -> Markup:
        """Return who moved and why, where groups are kept as they were."""
        kept = self._session.kept
        if kept is None:
            return _LOOKING if self._session.staying.busy else Markup()
        if self._moves[0] is not kept:
            self._moves = (kept, _moves(kept, self._session.why_moved(kept)))
        return self._moves[1]

    @watches("dark")
    def _on_dark(self, event: Any) -> None:
        for figure in (self._bounds, self._descent):
            figure.apply_theme(look(event.new))

    def _show_figure(self, run: Run | None) -> None:
        """Show both bounds, or how the objective falls where the method proves no bound."""
        descent, both = self._inspection.log(DescentLog).frame(), bounds(run)
        falls = run is not None and not _bounds_are_proved(run) and len(descent.at) > 1
        # Bokeh complains about a plot that has no data to take its ranges from, or is not visible.
        self._figure.visible = falls or len(both.at) > 0
        if falls:
            self._descent.show(descent)
        elif len(both.at):
            self._bounds.show(both)
        else:
            return
        name = "Objective by iteration" if falls else "Bounds"
        if self._place.objects != [self._plots[name]]:  # all is gone through for new objects
            self._place.objects = [self._plots[name]]
            self._title.object = Markup("<h2>{}</h2>").format(name)


def _bounds_are_proved(run: Run) -> bool:
    """Whether the run is of a method that proves lower bounds."""
    if run.started is None:
        return False
    with suppress(ParameterError):
        supports = solver_class(run.started.solver).supports
        return supports.exact or supports.bounds
    return run.lower_bound > -inf  # a solver of another version


_CARD = Markup(
    '<div class="card" role="region" aria-label="Result">'
    "<p>{ending}</p>"
    "{caution}{more}{rows}{sizes}{rules}{scores}</div>"
)


def _html(frame: Card, more: Markup) -> Markup:
    return _CARD.format(
        ending=frame.ending,
        caution=Markup('<p class="caution">{}</p>').format(frame.caution) if frame.caution else "",
        more=more,
        rows=_definitions(tuple(row for row in frame.rows if row[0] not in IN_STATUS)),
        sizes=_sizes(frame.sizes),
        rules=rules_list(frame.rules),
        scores=_scores(frame.scores),
    )


def _scores(scores: tuple[tuple[str, str], ...]) -> Markup:
    """Return the adjusted Rand index and on how many rows it is; the others come where it points.

    A finger points at nothing: there all are shown.
    """
    first = tuple(score for score in scores if score[0] in _FIRST_SCORES)
    others = tuple(score for score in scores if score not in first)
    words = ", ".join(f"{name} {value}" for name, value in others)
    hover = Markup('<div title="{}">{}</div>').format(words, _definitions(first, "scores"))
    return hover + _definitions(others, "scores more") if scores else Markup()


def rules_list(rows: tuple[RuleRow, ...]) -> Markup:
    """Return rules as a list, each with whether it holds."""
    if not rows:
        return Markup()
    line = Markup('<li class="{}">{}: <b>{}</b></li>')
    lines = (
        line.format(
            "" if each.holds else "broken", f"{each.words[:1].upper()}{each.words[1:]}",
            each.verdict,
        )
        for each in rows
    )  # fmt: skip
    return Markup('<ul aria-label="Rules of the answer">{}</ul>').format(Markup().join(lines))


def _definitions(rows: tuple[tuple[str, str], ...], css: str = "") -> Markup:
    if not rows:
        return Markup()
    cell = Markup("<div><dt>{}</dt><dd>{}</dd></div>")
    cells = Markup().join(cell.format(name, value) for name, value in rows)
    return Markup('<dl class="{}">{}</dl>').format(css, cells)


def _moves(kept: LeastChange, why: Why) -> Markup:
    """Return the points that moved, each with its old cluster and the reason."""
    moved = kept.moved.tolist()
    line = Markup("<li><b>{}</b>: {}</li>")
    lines = [line.format(why.point(point), kept.words(point, why)) for point in moved[:_MOST_MOVES]]
    if (more := len(moved) - _MOST_MOVES) > 0:
        lines.append(Markup("<li>And {:,} more, on the plot.</li>").format(more))
    return Markup('<ul class="moves">{}</ul>').format(Markup().join(lines)) if lines else Markup()


def _sizes(sizes: tuple[int, ...]) -> Markup:
    bar = Markup('<i style="flex:{size};background:{color}" title="{size} points"></i>')
    colors = cluster_colors(len(sizes))
    bars = Markup().join(
        bar.format(size=size, color=color) for size, color in zip(sizes, colors, strict=True)
    )
    words = ", ".join(map(str, sizes))
    whole = Markup('<div class="sizes" role="img" aria-label="cluster sizes {}">{}</div>')
    return whole.format(words, bars)


# --- Bounds and gaps of several runs in one figure, with switches for its lines -------------------


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


class RacePanel(Panel):
    """The run that is shown, and past runs of the archive that were chosen to race it."""

    # Whether its tab is visible; nothing is drawn in a hidden one.
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
        self._following.hear(self._kind, self._draw_kind)
        self.follow(session)
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

    def _draw_kind(self, _: str) -> None:
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

    @watches("dark")
    def _on_dark(self, event: Any) -> None:
        for figure in self._figures.values():
            figure.apply_theme(look(event.new))

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

    @watches("self._against.value", "player.shot", "compared", "self.in_front")
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
