"""The plot in the middle with its bar: which view, which axes, the questions, the brush."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from markupsafe import Markup

from ccviz.arrays import IntArray
from ccviz.numbers import count, number
from ccviz.views.figures.matrix import PairsFigure
from ccviz.views.frames.projection import offered_axes
from ccviz.views.frames.scatter import MOST_FEATURES, MOST_POINTS, SetQuestion, pairs, set_question
from ccviz.views.lab.asking import PAIR, SEVERAL, Asking, AskState
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import MOST_CLASSES, TOOLS, Painter
from ccviz.views.lab.session import Session
from ccviz.views.palette import cluster_colors, look
from ccviz.views.panels.base import (
    BRUSH,
    LAMP,
    TAG,
    Component,
    Following,
    Html,
    Panel,
    Watching,
    about,
    assets,
    button,
    in_one_message,
    watches,
)
from ccviz.views.panels.scatter import ScatterPanel
from ccviz.views.upstream import FigurePane

# --------------------------------------------------------------------------------------------------
# The question over a set, above the plot: its points as buttons, their features, the answers.


class QuestionSetPanel(Component):
    """Which of these points do not belong with the others? Visible while sets are asked about."""

    shown = param.Dict(default={"points": [], "features": []})
    odd = param.List(default=[])
    waits = param.Boolean(default=False, doc="For the next question, which is worked out.")

    _esm, _stylesheets = assets("question_set.js", "question_set.css")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, sizing_mode="stretch_width", margin=0, visible=False, **params)

    @watches("asking.active", "asking.asked", "asking.size")
    def _refresh(self, *_: Any) -> None:
        """Show the question; while the next one is worked out, the last one stays in place."""
        asking = self._session.asking
        if asking.several:
            self.shown = content(set_question(self._session.draft.data, asking.points))
        waits = asking.active and asking.asked is None
        self.param.update(odd=[], waits=waits, visible=asking.several or (waits and self.visible))

    @watches("asking.odd")
    def _mark(self, *_: Any) -> None:
        asking = self._session.asking
        self.odd = [asking.points.index(point) for point in asking.odd]

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "mark":
            session.edits.mark_odd(int(message["place"]))
        elif what == "answer":
            session.edits.answer_set()
        elif what == "unsure":
            session.edits.unsure()
        elif what == "undo":
            session.edits.undo()
        else:
            session.asking.stop()


def content(question: SetQuestion) -> dict[str, Any]:
    """Return a set as the page shows it."""
    return {
        "features": list(question.features),
        "points": [
            {
                "name": name,
                "values": [number(value) for value in values.tolist()],
                "picture": picture,
            }
            for name, values, picture in zip(
                question.names,
                question.values,
                question.pictures or [""] * len(question.names),
                strict=True,
            )
        ],
    }


_SHOWN = Markup(
    "<br>The colours are the clusters that your answers make likely, not those of the run. "
    "<b>Ask me</b> again, or Esc, gives those of the run back."
)


class AskButton(Panel):
    """*Ask me*, and the same again to stop."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._box = button(
            "Ask me",
            session.edits.ask,
            "Which points belong together? (A)",
            icon=LAMP,
            margin=(0, 0, 0, 3),
            css_classes=["bar"],
        )
        self.follow(session)

    @watches("asking.active")
    def _on_active(self, event: Any) -> None:
        self._box.button_type = "primary" if event.new else "default"


class QuestionProgress(Panel):
    """Questions so far, pairs implied for free, the agreement; and when it is enough, why.

    Beside it is the choice what a question is about, and below it the question over a set.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._asking = session.asking
        self._html = Html("", sizing_mode="stretch_width", margin=(2, 4, 4, 4))
        self._size = pn.widgets.RadioButtonGroup(
            name="Points of a question", options={"Pairs": PAIR, "Five points": SEVERAL},
            value=session.asking.size, margin=(0, 4, 4, 0), css_classes=["bar"],
        )  # fmt: skip
        self._size.param.watch(
            lambda event: in_one_message(session.edits.ask_about)(event.new), "value"
        )
        line = pn.Row(
            self._html, self._size, sizing_mode="stretch_width", margin=0, css_classes=["wraps"]
        )
        self._box = pn.Column(
            line, QuestionSetPanel(session), sizing_mode="stretch_width", margin=0, visible=False
        )
        self.follow(session)

    @watches("asking.active", "asking.asked")
    def _refresh(self, *_: Any) -> None:
        self._html.object = words(self._asking)
        self._box.visible = self._asking.active

    @watches("asking.size")
    def _on_size(self, event: Any) -> None:
        if event.new in self._size.options.values():
            self._size.value = event.new


def words(asking: Asking) -> Markup:
    """Return the state of the questions in words."""
    asked = asking.asked
    state = "Working out the next question…" if asked is None else _state(asked)
    # Five points take the room of this sentence.
    shown = "" if asking.several else _SHOWN
    return Markup('<div class="asking" role="status">{}{}</div>').format(state, shown)


def _state(asked: AskState) -> Markup:
    facts = [f"{count(asked.questions, 'question')} so far", f"{asked.implied:,} implied for free"]
    if asked.ari is not None:
        facts.append(f"ARI {asked.ari:.3f}")
    line = Markup("<b>{}</b>").format(" · ".join(facts))
    why = asked.enough
    return line if asked.points else line + Markup(" — {}").format(why[:1].upper() + why[1:])


# --- Which plane of the data is drawn -------------------------------------------------------------


class Axes(Watching):
    """Two lists that follow the session, to be put where there is room."""

    def __init__(self, session: Session) -> None:
        self._session, self._following = session, Following()
        bare: Any = {"width": 74, "margin": (0, 3, 0, 0), "css_classes": ["unlabelled"]}
        self.x = pn.widgets.Select(name="Across", **bare)
        self.y = pn.widgets.Select(name="Up", **bare)
        self._following.hear(self.x, lambda name: setattr(session, "x_axis", name))
        self._following.hear(self.y, lambda name: setattr(session, "y_axis", name))
        self.follow(session)
        self._refresh()

    @watches("draft", "x_axis", "y_axis")
    def _refresh(self, *_: Any) -> None:
        session = self._session
        names = offered_axes(session.draft.data)
        with self._following:
            self.x.param.update(options=names, value=session.x_axis)
            self.y.param.update(options=names, value=session.y_axis)


# --- The bar of the brush: paint or erase, the class of its points, its width ---------------------


class BrushPanel(Panel):
    """Visible while points are painted."""

    def __init__(self, painter: Painter) -> None:
        super().__init__()
        tools = pn.widgets.RadioButtonGroup.from_param(
            painter.param.tool, name="What the mouse does", options=TOOLS, margin=(0, 6, 0, 0)
        )
        colored = "\n".join(
            f".bk-btn:nth-of-type({place}) {{ border-bottom: 4px solid {color} !important; "
            "padding: 4px 7px !important; }"
            for place, color in enumerate(cluster_colors(MOST_CLASSES), start=1)
        )
        classes = pn.widgets.RadioButtonGroup.from_param(
            painter.param.cluster, name="Class of new points", margin=(0, 6, 0, 0),
            options={str(place + 1): place for place in range(MOST_CLASSES)},
            stylesheets=[colored], css_classes=["swatches"],
        )  # fmt: skip
        radius = pn.widgets.IntSlider.from_param(
            painter.param.radius, name="Width", width=58, margin=(8, 8, 0, 4), show_value=False,
            css_classes=["untitled"],
        )  # fmt: skip
        blank = button("Clear", painter.take_blank, margin=0)
        self._box = pn.FlexBox(
            tools, classes, radius, blank, margin=(0, 0, 4, 0), visible=painter.active,
            align_items="center", gap="4px",
        )  # fmt: skip
        self.follow(painter=painter)

    @watches("painter.active")
    def _on_active(self, event: Any) -> None:
        self._box.visible = event.new


# --- The scatter matrix: every pair of features at a glance; a click goes to that plane -----------


class PairsPanel(Panel):
    """Made when it is first looked at.

    `labels`: Returns the (n,) colours of the points on the plot, so that both look alike. `on_tap`:
    Called with the two features of the cell that was clicked.
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
        self.follow(session)

    def __panel__(self) -> Any:
        return pn.Column(self._words, self._place, sizing_mode="stretch_both", margin=0)

    @watches("draft")
    def _on_draft(self, event: Any) -> None:
        if event.old is None or event.old.X is not event.new.X:
            self._figure = None
        self.refresh()

    @watches("dark")
    def _on_dark(self, event: Any) -> None:
        if self._figure is not None:
            self._figure.apply_theme(look(event.new))

    @watches("picked", "player.shot", "self.in_front", "isolated", "differing")
    def refresh(self, *_: Any) -> None:
        """Draw the changes, if the figure is visible."""
        if not self.in_front:
            return
        session, draft = self._session, self._session.draft
        if draft.X.shape[1] < 2:
            self._words.object = about("These data have a single feature.")
            self._place.objects = []
            return
        if self._figure is None:
            self._figure = PairsFigure(look(session.dark), pairs(draft), self._on_tap)
            self._words.object = about(self._about())
            self._place.objects = [FigurePane(self._figure.grid, sizing_mode="stretch_both")]
        self._figure.show_labels(self._labels())
        self._figure.show_picked(draft.X, draft.data.features, session.picked)

    def _about(self) -> str:
        n, d = self._session.draft.X.shape
        words = ["Click a cell to see it large."]
        if d > MOST_FEATURES:
            words.append(f"The {MOST_FEATURES} features with the largest variance of {d}.")
        if n > MOST_POINTS:
            words.append(f"{MOST_POINTS:,} of {n:,} points.")
        return " ".join(words)


_LEAST_FEATURES = 3
"""Features from which on a matrix of planes shows more than the plane."""


class PlotPanel(Panel):
    """One plane of the data, or all pairs of features at once."""

    def __init__(self, session: Session, inspection: Inspection, painter: Painter) -> None:
        super().__init__()
        self._session, self._painter = session, painter
        self._scatter = ScatterPanel(session, inspection, painter)
        self._legend = self._scatter.legend
        self._pairs = PairsPanel(session, lambda: self._scatter.labels, self._show_plane)
        self._matrix = pn.widgets.Toggle(
            name="Matrix", margin=(0, 5, 0, 3), css_classes=["bar", "yields"]
        )
        self._axes = Axes(session)
        self._classes = _button("Classes", TAG, "Colour by the known classes", self._on_classes)
        self._classes.param.update(css_classes=["advice"], margin=(2, 0))
        self._ask = AskButton(session)
        self._paint = _button("Paint", BRUSH, "Paint points by hand (P)", painter.toggle)
        self._brush, self._asking = BrushPanel(painter), QuestionProgress(session)
        self._head = pn.Row(self._legend, self._classes, sizing_mode="stretch_width", margin=0)
        self._place = pn.Column(self._scatter, sizing_mode="stretch_both", margin=0)
        self._bar = pn.Row(
            self._axes.x, self._axes.y, self._matrix, pn.Spacer(sizing_mode="stretch_width"),
            self._ask, self._paint,
            sizing_mode="stretch_width", margin=(0, 0, 4, 0), css_classes=["wraps"],
        )  # fmt: skip
        self.follow(session, painter=painter)
        self._on_draft()

    def __panel__(self) -> Any:
        return pn.Column(
            self._bar,
            self._brush,
            self._asking,
            self._head,
            self._place,
            sizing_mode="stretch_both",
            margin=0,
        )

    @watches("self._matrix.value")
    def _on_view(self, event: Any) -> None:
        matrix = event.new
        self._pairs.in_front = matrix
        self._axes.x.visible = self._axes.y.visible = not matrix
        self._place.objects = [self._pairs if matrix else self._scatter]

    def _on_classes(self) -> None:
        self._scatter.by_class = not self._scatter.by_class
        self._classes.button_type = "primary" if self._scatter.by_class else "default"
        self._pairs.refresh()

    def _show_plane(self, x_axis: str, y_axis: str) -> None:
        """Leave the matrix for one of its cells."""
        self._session.show_axes(x_axis, y_axis)
        self._matrix.value = False

    @watches("painter.active")
    def _on_brush(self, event: Any) -> None:
        self._paint.button_type = "primary" if event.new else "default"
        if event.new:
            self._matrix.value = False

    @watches("asking.active")
    def _on_asking(self, event: Any) -> None:
        if event.new:
            self._matrix.value = False

    @watches("asking.active", "asking.asked")
    def _make_room(self, *_: Any) -> None:
        """On a phone, let the plot have the legend's room while five points are asked about."""
        asking = self._session.asking
        if asking.asked is not None or not asking.active:
            self._head.css_classes = ["yields"] if asking.several else []

    @watches("draft", "presenting")
    def _on_draft(self, *_: Any) -> None:
        data, presenting = self._session.draft.data, self._session.presenting
        self._bar.visible = not presenting
        self._classes.visible = data.truth is not None and not presenting
        self._matrix.visible = len(data.features) >= _LEAST_FEATURES
        self._matrix.value &= self._matrix.visible


def _button(name: str, icon: str, help_text: str, on_click: Any) -> pn.widgets.Button:
    # The help is above, for below it would hide the bar of the brush.
    return button(name, on_click, help_text, icon=icon, margin=(0, 0, 0, 3), css_classes=["bar"])
