"""Inside the solver: tabs for those views that the run has, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from markupsafe import Markup

from ccviz.views.catalogue import View
from ccviz.views.figures.binary import BinaryFigure
from ccviz.views.figures.cuts import CutsFigure
from ccviz.views.figures.diversity import DiversityFigure
from ccviz.views.figures.duals import DualsFigure
from ccviz.views.figures.master import MasterFigure
from ccviz.views.figures.matrix import MatrixFigure
from ccviz.views.figures.population import PopulationFigure
from ccviz.views.figures.pricing import PricingFigure
from ccviz.views.figures.residuals import ResidualsFigure
from ccviz.views.frames.population import SEARCHED
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.palette import look
from ccviz.views.panels.figure import FigurePane
from ccviz.views.panels.html import Html
from ccviz.views.panels.tree import TreePanel

Drawn = tuple[Any, Callable[[Inspection], Any]]
"""A figure, and which frame it shows."""

_FIGURES: dict[str, tuple[tuple[type[Any], Callable[[Inspection], Any]], ...]] = {
    "relaxation": (
        (MatrixFigure, lambda at: at.relaxations.frame(_incumbent(at), at.node)),
        (CutsFigure, lambda at: at.cuts.frame(at.node)),
    ),
    "columns": (
        (MasterFigure, lambda at: at.columns.frame()),
        (PricingFigure, lambda at: at.columns.frame()),
        (DualsFigure, lambda at: at.columns.duals()),
    ),
    "residuals": (
        (ResidualsFigure, lambda at: at.residuals.frame()),
        (BinaryFigure, lambda at: at.residuals.relaxed()),
    ),
    "population": (
        (PopulationFigure, lambda at: at.population.frame()),
        (DiversityFigure, lambda at: at.population.frame()),
    ),
}

_WORDS: dict[str, dict[str, str]] = {"population": SEARCHED}
"""What to say over the figures of a view, by solver."""

PANELS = frozenset({"tree", *_FIGURES})
"""Names of the views that can be drawn."""


def _incumbent(at: Inspection) -> Any:
    return at.run.incumbent.labels if at.run and at.run.incumbent else None


class FiguresPanel(pn.viewable.Viewer):
    """Figures over one another, each with its frame of the inspection, and words over them."""

    def __init__(self, session: Session, inspection: Inspection, name: str) -> None:
        super().__init__()
        self._inspection = inspection
        self._sayings = _WORDS.get(name, {})
        self._words = Html("", sizing_mode="stretch_width", margin=(6, 0, 0, 0), visible=False)
        self._drawn: list[Drawn] = [
            (figure(look(session.dark)), frame) for figure, frame in _FIGURES[name]
        ]
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
        """Draw what is new."""
        run = self._inspection.run
        saying = self._sayings.get(run.started.solver, "") if run and run.started else ""
        self._words.object = Markup('<p class="about">{}</p>').format(saying)
        self._words.visible = bool(saying)
        for figure, frame in self._drawn:
            figure.show(frame(self._inspection))


class InsidePanel(pn.viewable.Viewer):
    """The tabs; only the one in front is drawn.

    Attributes
    ----------
    in_front : bool
        Whether anybody can see them; nothing is drawn where nobody looks.
    """

    in_front = param.Boolean(default=True)

    def __init__(self, session: Session, inspection: Inspection, **params: Any) -> None:
        super().__init__(**params)
        self._session, self._inspection = session, inspection
        self._shown: tuple[View, ...] = ()
        self._panels: dict[str, Any] = {}
        self._tabs = pn.Tabs(sizing_mode="stretch_both", margin=0, dynamic=True, visible=False)
        self._tabs.param.watch(self._refresh, "active")
        inspection.param.watch(self._refresh, "moved")
        self.param.watch(self._refresh, "in_front")
        self._refresh()

    def __panel__(self) -> Any:
        return self._tabs

    def _refresh(self, *_: Any) -> None:
        if self._inspection.views != self._shown:
            self._arrange(self._inspection.views)
        if self._shown and self.in_front:
            self._panels[self._shown[self._tabs.active].name].refresh()

    def _arrange(self, views: tuple[View, ...]) -> None:
        front = self._shown[self._tabs.active] if self._shown else None
        self._shown = views
        for view in views:
            if view.name not in self._panels:
                self._panels[view.name] = self._panel(view.name)
                self._panels[view.name].refresh()  # an empty figure has no range to begin with
        self._tabs[:] = [(view.title, self._panels[view.name]) for view in views]
        if views:
            self._tabs.active = views.index(front) if front in views else 0
        self._tabs.visible = bool(views)

    def _panel(self, name: str) -> Any:
        if name == "tree":
            return TreePanel(self._session, self._inspection)
        return FiguresPanel(self._session, self._inspection, name)
