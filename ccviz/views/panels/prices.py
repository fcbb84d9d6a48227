"""The row under the list of links that proves their prices and sorts by them."""

from __future__ import annotations

from typing import Any, Literal

import panel as pn
import param
from markupsafe import Markup

from ccviz.views.frames.links import price_list, sure_words
from ccviz.views.lab.queued_call import MOST_POINTS, Pricing, Sureness
from ccviz.views.lab.session import Session
from ccviz.views.panels.base import Html, Panel, button, in_one_message, watches

_SMALL: Any = {"margin": (2, 4), "css_classes": ["small"]}


class _StudyTools(Panel):
    """Starts and stops a study of the run shown; there only where that is a proof.

    `names`: Of the button that starts it, and of the one that stops it.
    """

    def __init__(
        self,
        session: Session,
        study: Pricing | Sureness,
        names: tuple[str, str],
        about: str,
        position: Literal["left", "right"],
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._session, self._study, self._names = session, study, names
        self._button = button(names[0], self._start_or_stop, about, position, **_SMALL)
        self._words = Html("", margin=(6, 4), sizing_mode="stretch_width")

    def _start_or_stop(self) -> None:
        if self._study.busy:
            self._study.stop()
            return
        with self._session.reporting_errors():
            self._study.start()
            self._on_start()

    def _on_start(self) -> None:
        """Do what else a start means."""

    def _show(self, words: str, *beside: pn.widgets.Widget) -> None:
        """Show what is known in words, and other widgets beside them once something is."""
        study, known = self._study, self._study.known
        words = words or study.why_not
        if study.busy:
            words = f"{words}…" if words else "estimating…"
        if self._button.name != self._names[study.busy]:
            self._button.name = self._names[study.busy]
        is_whole = known is not None and not known.todo
        self._button.visible = study.busy or (study.may_start and not is_whole)
        for each in beside:
            each.visible = known is not None
        self._words.object = Markup('<span class="about">{}</span>').format(words)
        self._box.visible = self._button.visible or bool(words)


_ABOUT_PRICES = (
    "How much each link raises the optimum, between two proved limits. A wrong link often has "
    "the highest price. Proofs run in the background and are kept with the run."
)


class PriceTools(_StudyTools):
    """The proofs of prices of the links."""

    highest_first = param.Boolean(default=False)

    def __init__(self, session: Session) -> None:
        super().__init__(session, session.pricing, ("Prices", "Stop"), _ABOUT_PRICES, "right")
        self._sort = pn.widgets.Toggle.from_param(
            self.param.highest_first, name="Highest first", **_SMALL
        )
        self._box = pn.Row(
            self._button, self._sort, self._words, sizing_mode="stretch_width", margin=0
        )
        self.follow(session)
        self._refresh()

    @watches("pricing.known", "pricing.busy", "player.shot", "draft")
    def _refresh(self, *_: Any) -> None:
        found = price_list(self._study.known, self._session.draft.problem)
        self._show(found.words, self._sort)


# --- The row over the clusters that says how sure the points are, with the tolerated rise ---------


_ABOUT_MARGINS = (
    "Margins: how much more the opposite would cost. Each is the optimum with the point and the "
    "most central block of its cluster apart, less the optimum, between two proved limits. "
    "Points that might leave within the tolerated rise lose their colour. Bounds are computed in "
    "the background, the least sure points first, and are kept with the run."
)
_WHAT_MOVES_COST = "The column “why” of the rows below has what a move of each point costs."
_FIRST_RISE = 2.0
_MOST_RISE = 20.0


class SureTools(_StudyTools):
    """The bounds of the margins of points."""

    def __init__(self, session: Session) -> None:
        names = "How sure", "Stop bounds"
        super().__init__(session, session.sureness, names, _ABOUT_MARGINS, "left")
        self._shown = pn.widgets.Toggle(name="Show on the plot", **_SMALL)
        self._rise = pn.widgets.FloatSlider(
            name="Tolerated rise (%)", value=_FIRST_RISE, start=0.0, end=_MOST_RISE, step=0.1,
            sizing_mode="stretch_width", margin=(2, 8),
        )  # fmt: skip
        for widget in (self._shown, self._rise):
            widget.param.watch(in_one_message(self._on_rise), "value")
        buttons = pn.Row(
            self._button, self._shown, self._words, sizing_mode="stretch_width", margin=0
        )
        self._box = pn.Column(buttons, self._rise, sizing_mode="stretch_width", margin=0)
        self.follow(session)
        self._refresh()

    def _on_start(self) -> None:
        self._shown.value = True

    def _why_not(self) -> str:
        """Return why a proof that is shown has no margins; empty where it may have them."""
        if self._study.why_not:
            return f"{self._study.why_not} {_WHAT_MOVES_COST}"
        shot = self._session.player.shot
        if shot is None or shot.info.status != "optimal" or self._study.may_start:
            return ""
        if shot.run.problem.n > MOST_POINTS:
            return f"How sure points are is proved for at most {MOST_POINTS:,} of them."
        return "Run it yourself to see how sure the points are." if shot.run.problem.k > 1 else ""

    def _on_rise(self, *_: Any) -> None:
        self._session.rise = self._rise.value / 100.0 if self._shown.value else None

    @watches("sureness.known", "sureness.busy", "player.shot", "draft", "rise")
    def _refresh(self, *_: Any) -> None:
        known, rise = self._study.known, self._rise.value / 100.0
        words = sure_words(known, rise, self._session.draft.problem)
        self._show(words or self._why_not(), self._shown, self._rise)
