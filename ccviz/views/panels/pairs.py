"""The scatter matrix: every pair of features at a glance; a click goes to that plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from markupsafe import Markup

from ccviz.arrays import IntArray
from ccviz.views.figures.pairs import PairsFigure
from ccviz.views.frames.pairs import MOST_FEATURES, MOST_POINTS, pairs
from ccviz.views.lab.session import Session
from ccviz.views.palette import look
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.upstream.figure_callbacks import FigurePane

_ABOUT = Markup('<p class="about">{}</p>')


class PairsPanel(pn.viewable.Viewer):
    """Made when it is first looked at.

    Parameters
    ----------
    session : Session
    labels : callable
        Returns the (n,) colours of the points on the plot, so that both look alike.
    on_tap : callable
        Called with the two features of the cell that was clicked.

    Attributes
    ----------
    in_front : bool
        Whether its tab is visible.
    """

    in_front = param.Boolean(default=False)

    def __init__(
        self,
        session: Session,
        labels: Callable[[], IntArray],
        on_tap: Callable[[str, str], None],
    ) -> None:
        super().__init__()
        self._session, self._labels, self._on_tap = session, labels, in_one_message(on_tap)
        self._figure: PairsFigure | None = None
        self._words = Html("", margin=0, sizing_mode="stretch_width")
        self._place = pn.Column(sizing_mode="stretch_both", margin=0)
        session.param.watch(self._on_draft, "draft")
        session.param.watch(self.refresh, "picked")
        session.player.param.watch(self.refresh, "shot")
        session.param.watch(self._on_dark, "dark")
        self.param.watch(self.refresh, "in_front")

    def __panel__(self) -> Any:
        return pn.Column(self._words, self._place, sizing_mode="stretch_both", margin=0)

    def _on_draft(self, event: Any) -> None:
        if event.old is None or event.old.X is not event.new.X:
            self._figure = None
        self.refresh()

    def _on_dark(self, event: Any) -> None:
        if self._figure is not None:
            self._figure.dress(look(event.new))

    def refresh(self, *_: Any) -> None:
        """Draw the changes, if the figure is visible."""
        if not self.in_front:
            return
        session, draft = self._session, self._session.draft
        if draft.X.shape[1] < 2:
            self._words.object = _ABOUT.format("These data have a single feature.")
            self._place.objects = []
            return
        if self._figure is None:
            self._draw()
        assert self._figure is not None
        self._figure.show_labels(self._labels())
        self._figure.show_picked(draft.X, draft.data.features, session.picked)

    def _draw(self) -> None:
        frame = pairs(self._session.draft)
        self._figure = PairsFigure(look(self._session.dark), frame, self._on_tap)
        self._words.object = _ABOUT.format(self._about())
        self._place.objects = [FigurePane(self._figure.grid, sizing_mode="stretch_both")]

    def _about(self) -> str:
        n, d = self._session.draft.X.shape
        words = ["Click a cell to see it large."]
        if d > MOST_FEATURES:
            words.append(f"The {MOST_FEATURES} features with the largest variance of {d}.")
        if n > MOST_POINTS:
            words.append(f"{MOST_POINTS:,} of {n:,} points.")
        return " ".join(words)
