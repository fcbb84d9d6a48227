"""Figures over one another, each with its frame of the inspection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.palette import look
from ccviz.views.panels.html import Html
from ccviz.views.upstream.figure_callbacks import FigurePane

Drawn = tuple[type[Any], Callable[[Inspection], Any]]
"""A figure (with `plot`, `dress` and `show`), and which frame it shows."""


def figures(
    *drawn: Drawn, words: Mapping[str, str] | None = None
) -> Callable[[Session, Inspection], FiguresPanel]:
    """Return what makes the panel of these figures, for a `ccviz.views.lab.view.View`.

    Parameters
    ----------
    *drawn : (figure type, callable)
        From the top down.
    words : mapping of str to str, optional
        What to say over them, by solver.
    """
    return lambda session, inspection: FiguresPanel(session, inspection, drawn, words or {})


class FiguresPanel(pn.viewable.Viewer):
    """Figures over one another, each with its frame of the inspection, and words over them."""

    def __init__(
        self,
        session: Session,
        inspection: Inspection,
        drawn: tuple[Drawn, ...],
        words: Mapping[str, str],
    ) -> None:
        super().__init__()
        self._inspection = inspection
        self._sayings = words
        self._words = Html("", sizing_mode="stretch_width", margin=(6, 0, 0, 0), visible=False)
        self._drawn = [(figure(look(session.dark)), frame) for figure, frame in drawn]
        session.param.watch(self._on_dark, "dark")
        inspection.param.watch(self.refresh, "node")

    def __panel__(self) -> Any:
        panes = [
            FigurePane(figure.plot, sizing_mode="stretch_both", margin=0)
            for figure, _ in self._drawn
        ]
        return pn.Column(self._words, *panes, sizing_mode="stretch_both", margin=0)

    def _on_dark(self, event: Any) -> None:
        for figure, _ in self._drawn:
            figure.dress(look(event.new))

    def refresh(self, *_: Any) -> None:
        """Draw the changes."""
        run = self._inspection.run
        saying = self._sayings.get(run.started.solver, "") if run and run.started else ""
        self._words.object = Markup('<p class="about">{}</p>').format(saying)
        self._words.visible = bool(saying)
        for figure, frame in self._drawn:
            figure.show(frame(self._inspection))
