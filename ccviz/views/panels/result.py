"""The result card; under it both bounds, or the objective of a method that has none."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.errors import ParameterError
from ccviz.problem.partition import Partition
from ccviz.runs.run import Run
from ccviz.solvers import solver_class
from ccviz.views.figures.bounds import BoundsFigure
from ccviz.views.figures.descent import DescentFigure
from ccviz.views.frames.bounds import bounds
from ccviz.views.frames.card import Card, card
from ccviz.views.frames.descent import DescentLog
from ccviz.views.frames.rules import RuleRow
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.palette import cluster_colors, look
from ccviz.views.panels.html import Html
from ccviz.views.panels.template import css
from ccviz.views.upstream.figure_callbacks import FigurePane

_STYLE = css("result.css")


class ResultPanel(pn.viewable.Viewer):
    """Result of the run at the player's cursor.

    Parameters
    ----------
    session : Session
    inspection : Inspection
    hint : str
        The sentence shown before the first run.
    """

    def __init__(self, session: Session, inspection: Inspection, hint: str) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._first = Markup("<p>{}</p>").format(hint)
        self._html = Html(
            "", stylesheets=[_STYLE], sizing_mode="stretch_width", margin=0, name="result"
        )
        self._bounds = BoundsFigure(look(session.dark))
        self._descent = DescentFigure(look(session.dark))
        panes: Any = {"sizing_mode": "stretch_both", "margin": 0}
        self._plots = {
            "Bounds": FigurePane(self._bounds.plot, **panes),
            "Objective by iteration": FigurePane(self._descent.plot, **panes),
        }
        self._title = Html(Markup("<h2>Bounds</h2>"), margin=0)
        self._place = pn.Column(sizing_mode="stretch_both", margin=0, visible=False)
        inspection.param.watch(self._refresh, "moved")
        session.player.param.watch(self._refresh, "playing")
        session.param.watch(self._refresh, "draft")
        session.repair.param.watch(self._refresh, "partition")
        session.param.watch(self._on_dark, "dark")
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Column(
            pn.Column(self._html, sizing_mode="stretch_width", css_classes=["section"]),
            pn.Column(
                self._title, self._place,
                sizing_mode="stretch_both", css_classes=["section"], margin=(8, 0, 0, 0),
                min_height=200,
            ),
            sizing_mode="stretch_both", margin=0,
        )  # fmt: skip

    def _refresh(self, *_: Any) -> None:
        run = self._session.run
        # Scores take milliseconds and say little about a state that is gone in a moment.
        frame = card(
            run, with_scores=not self._session.player.playing,
            asked=self._session.draft.problem, repaired=self._session.repair.partition,
            known=self._session.known_bound,
        )  # fmt: skip
        answer = self._session.answer
        if answer is not None:
            colors = self._session.cluster_colors.of(answer)
            sizes = Partition(answer.problem, colors).kept_sizes
            frame = replace(frame, sizes=tuple(sizes.tolist()))
        self._html.object = _html(frame, self._first if run is None else Markup())
        self._show_figure(run)

    def _on_dark(self, event: Any) -> None:
        for figure in (self._bounds, self._descent):
            figure.dress(look(event.new))

    def _show_figure(self, run: Run | None) -> None:
        """Show both bounds, or how the objective falls where the method proves no bound."""
        descent, both = self._inspection.log(DescentLog).frame(), bounds(run)
        falls = run is not None and not _bounds_are_proved(run) and len(descent.at) > 1
        # Bokeh complains about a plot that has no data to take its ranges from, or is not visible.
        self._place.visible = falls or len(both.at) > 0
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
    '<p class="{status}"><b>{headline}</b></p><p>{ending}</p>'
    "{caution}{more}{rows}{sizes}{rules}{scores}</div>"
)


def _html(frame: Card, more: Markup) -> Markup:
    return _CARD.format(
        status=frame.status,
        headline=frame.headline,
        ending=frame.ending,
        caution=Markup('<p class="caution">{}</p>').format(frame.caution) if frame.caution else "",
        more=more,
        rows=_definitions(frame.rows),
        sizes=_sizes(frame.sizes),
        rules=rules_list(frame.rules),
        scores=_definitions(frame.scores, "scores"),
    )


def rules_list(rows: tuple[RuleRow, ...]) -> Markup:
    """Return rules as a list, each with whether it holds.

    Parameters
    ----------
    rows : tuple of RuleRow
    """
    if not rows:
        return Markup()
    line = Markup('<li class="{}">{}: <b>{}</b></li>')
    lines = (line.format("" if each.holds else "broken", _upper(each.words), each.verdict)
             for each in rows)  # fmt: skip
    return Markup('<ul aria-label="Rules of the answer">{}</ul>').format(Markup().join(lines))


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


def _definitions(rows: tuple[tuple[str, str], ...], css: str = "") -> Markup:
    if not rows:
        return Markup()
    cell = Markup("<div><dt>{}</dt><dd>{}</dd></div>")
    cells = Markup().join(cell.format(name, value) for name, value in rows)
    return Markup('<dl class="{}">{}</dl>').format(css, cells)


def _sizes(sizes: tuple[int, ...]) -> Markup:
    bar = Markup('<i style="flex:{size};background:{color}" title="{size} points"></i>')
    colors = cluster_colors(len(sizes))
    bars = Markup().join(
        bar.format(size=size, color=color) for size, color in zip(sizes, colors, strict=True)
    )
    words = ", ".join(map(str, sizes))
    whole = Markup('<div class="sizes" role="img" aria-label="cluster sizes {}">{}</div>')
    return whole.format(words, bars)
