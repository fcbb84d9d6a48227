"""The plot in the middle: click points, link them, watch them change colour."""

from __future__ import annotations

from typing import Any

import numpy as np
import param
from bokeh.events import Pan, PanEnd, PanStart, SelectionGeometry

from ccviz.arrays import IntArray
from ccviz.problem.partition import Partition
from ccviz.problem.rule_base import NO_PAIRS
from ccviz.studies.why import sentences
from ccviz.views.figures.overlays import DecisionsOverlay
from ccviz.views.figures.scatter import ScatterFigure
from ccviz.views.frames.links import (
    answer_words,
    legend_words,
    lines,
    price_list,
    stay_words,
    sure_only,
)
from ccviz.views.frames.scatter import (
    MOST_TOOLTIPS,
    MOST_WHY,
    classes,
    coloring,
    has_answered,
    learned,
    links_of,
    only,
    plane,
    question,
    repaired,
)
from ccviz.views.lab.inspection import Inspection, node_decisions, node_labels
from ccviz.views.lab.painter import NAME as PAINTED
from ccviz.views.lab.painter import Painter, blank_plane
from ccviz.views.lab.session import Session
from ccviz.views.lab.state import inside, nearest
from ccviz.views.palette import cluster_colors, look
from ccviz.views.panels.base import Component, Panel, assets, in_one_message, watches
from ccviz.views.panels.popup import LinkPopup, QuestionPopup
from ccviz.views.upstream import FigurePane

# --- The legend over the plot: each cluster by its colour and its size, and what widths mean ------


_MOST, _OF_MORE = 24, 12
"""Most clusters that are all named, and how many are of more: the plot keeps its room."""
_MOST_IN_FULL = 4
"""Most clusters that are called by the word and the number; more are called by the number."""


class Legend(Component):
    """A button for each cluster, which leaves it alone in colour."""

    rows = param.List(default=[])
    chosen = param.Integer(default=None, allow_None=True)
    note = param.String(default="")
    left_out = param.Integer(default=0)
    unknown = param.Integer(default=0)
    more = param.Integer(default=0)

    _esm, _stylesheets = assets("legend.js", "legend.css")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, min_height=24, margin=0, sizing_mode="stretch_width", **params)

    @watches("isolated")
    def _on_isolated(self, event: Any) -> None:
        self.chosen = event.new

    def show(self, colors: IntArray, names: dict[int, str]) -> None:
        """Show what the colours of the plot mean."""
        sizes = np.bincount(colors[colors >= 0])
        filled = np.flatnonzero(sizes).tolist()
        shown = filled[: _MOST if len(filled) <= _MOST else _OF_MORE]
        in_short = len(shown) > _MOST_IN_FULL
        rows = [
            {
                "number": number,
                "color": cluster_colors(number + 1)[-1],
                "said": _words(names.get(number, f"cluster {number}"), sizes[number]),
                "words": _words(
                    names.get(number, str(number) if in_short else f"cluster {number}"),
                    sizes[number],
                ),
            }
            for number in shown
        ]
        if rows != self.rows:
            self.rows = rows
        self.more = len(filled) - len(shown)

    def _act(self, message: int) -> None:
        self._session.edits.isolate(message)


def _words(name: str, size: int) -> str:
    return f"{name}: {size:,}"


class ScatterPanel(Panel):
    """Points on two axes, with links, clusters and centres; the place where pairs are picked.

    `inspection`: Where a node of the tree is chosen: its decisions and colours are drawn.
    `painter`: Who has the mouse while points are painted. `legend`: What the colours mean, to
    be put somewhere near.
    """

    # Whether points have the colours of their known classes, where there are any.
    by_class = param.Boolean(default=False)

    def __init__(
        self,
        session: Session,
        inspection: Inspection | None = None,
        painter: Painter | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._session, self._inspection = session, inspection
        self._painter = painter or Painter(session)
        self._figure = ScatterFigure(look(session.dark))
        self._popup = LinkPopup(session.edits.link, session.edits.hold, session.edits.cancel)
        self._question = QuestionPopup(
            session.edits.link, session.edits.unsure, session.edits.undo, session.asking.stop
        )
        self._figure.plot.elements += [self._popup.model, self._question.model]
        # Bokeh calls the second of two quick taps a double one, wherever it falls.
        for kind in ("tap", "doubletap"):
            self._figure.plot.on_event(kind, in_one_message(self._on_tap))
        self._figure.points.selected.on_change("indices", in_one_message(self._on_select))
        self._figure.plot.on_event(SelectionGeometry, in_one_message(self._on_lasso))
        plot = self._figure.plot
        for event in (PanStart, Pan):
            plot.on_event(event, in_one_message(self._on_stroke))
        plot.on_event(PanEnd, in_one_message(self._on_lift))
        if inspection is not None:
            self._decisions = DecisionsOverlay(self._figure.plot, look(session.dark))
        self.legend = Legend(session)
        # The clustering that the tooltips explain, and how its clusters are called.
        self._explained: tuple[Partition | None, dict[int, str]] = None, {}
        self._box = FigurePane(self._figure.plot, sizing_mode="stretch_both", margin=0)
        self.follow(session, inspection=inspection, painter=self._painter)
        self._place()

    @property
    def labels(self) -> IntArray:
        """(n,) colours of the points, -1 for none."""
        return self._figure.labels

    @property
    def _is_blank(self) -> bool:
        return not len(self._plane.x)

    def _place(self, keep_view: bool = False) -> None:
        session = self._session
        self._plane = plane(session.draft, session.x_axis, session.y_axis)
        self._figure.show_plane(self._plane, keep_view)
        self._explained = None, {}  # the browser has the points without words
        self._say_links()
        self._draw_neighbors()
        self._draw_decisions()
        self._on_set()
        self._color()

    def _draw_decisions(self) -> None:
        if self._inspection is None:
            return
        at = None if self._is_blank else self._inspection
        self._decisions.show(*node_decisions(at, self._plane))

    def _say_links(self) -> None:
        session, draft = self._session, self._session.draft
        if draft.n <= MOST_TOOLTIPS:
            words = links_of(draft.data, draft.links)
            found = session.staying.found
            if found is not None:
                why = session.why_moved(found)
                for point in found.reasons:
                    words[point] = " ".join(filter(None, (found.words(point, why), words[point])))
            self._figure.say("links", words)

    def _say_why(self, answer: Partition | None) -> None:
        """Let tooltips say why points are in the clusters of a run's answer, if that is shown."""
        session, names = self._session, {}
        if answer is not None and answer.problem.n_points == session.draft.n <= MOST_WHY:
            colors = session.cluster_colors.of(answer)
            names = session.cluster_names(colors)
        else:
            answer = None
        if self._explained == (answer, names):
            return
        self._explained, words = (answer, names), [""] * session.draft.n
        if answer is not None:
            words = sentences(answer, session.draft.data, answer.problem.shown(colors), names)
        self._figure.say("why", words)

    def _color(self) -> None:
        if self._is_blank:
            return
        session, run = self._session, self._session.run
        if run is not None and run.labels is None and session.player.playing:
            run = None  # the old colours stay until there are new ones
        truth = session.draft.data.truth
        painted = run is None and self._painter.active
        colors, inside_node = session.cluster_colors, node_labels(self._inspection)
        kept = session.kept
        instead = session.repair.partition or (kept.partition if kept else None)
        if instead is not None and session.asking.labels is None:
            frame = repaired(instead, self._plane, colors.shown)
        elif session.asking.labels is None:
            before = colors.shown if run is None else colors.before
            frame = coloring(run, self._plane, before, inside_node)
        else:
            frame = learned(session.asking.labels, session.draft.k, colors.shown)
        is_repaired = instead is not None
        alone = session.asking.labels is None and inside_node is None and not is_repaired
        colors.keep(frame.labels, is_answer=alone and has_answered(run))
        found = session.asking.labels is not None or (run is not None and run.labels is not None)
        labels = frame.labels if found else None
        names: dict[int, str] = {}
        if truth is not None and (self.by_class or painted):
            frame = classes(truth, None if painted else session.cluster_colors.shown)
            called = session.draft.data.classes or [f"class {j}" for j in range(truth.max() + 1)]
            known, first = np.unique(truth, return_index=True)
            each = zip(known.tolist(), first.tolist(), strict=True)
            names = {int(frame.labels[at]): called[j] for j, at in each if j >= 0}
        self.legend.left_out = 0 if names else _left_out(session)
        self.legend.unknown = int((frame.labels < 0).sum()) if names else 0
        self.legend.show(frame.labels, names or session.cluster_names(frame.labels))
        key = [{"words": each["said"], "color": each["color"]} for each in self.legend.rows]
        self._figure.show_key(key)
        if alone and not names:
            frame = sure_only(frame, session.sureness.known, session.rise)
        self._figure.show_clusters(only(frame, session.isolated, session.differing), bool(names))
        ended = run if alone and not names and has_answered(run) else None
        self._say_why(ended.incumbent if ended else None)
        by_price = session.links_drawn == "price"
        priced = session.pricing.known if by_price else None
        prices = price_list(priced, session.draft.problem)
        self.legend.note = legend_words(prices) if by_price and session.draft.links else ""
        at_node = session.asking.labels is None and not (names or is_repaired)
        if inside_node is not None and self._inspection is not None and at_node:
            self.legend.note = f"clusters at node {self._inspection.node}"
        if kept is not None and instead is kept.partition:
            self.legend.note = f"{stay_words(kept)} (circled)"
        must, cannot = (
            lines(session.draft, kind, self._plane, labels, prices) for kind in ("must", "cannot")
        )
        self._figure.show_links(must, cannot, session.links_drawn)

    @watches("draft", "x_axis", "y_axis")
    def _on_problem(self, *events: Any) -> None:
        moved = self._is_blank or any(
            event.name != "draft" or event.old is None or event.old.X is not event.new.X
            for event in events
        )
        if moved:
            drawing = self._painter.active and self._session.draft.data.name == PAINTED
            self._place(keep_view=drawing)
        else:
            self._say_links()
            self._draw_neighbors()
            self._color()

    @watches("neighbors_drawn")
    def _draw_neighbors(self, *_: Any) -> None:
        near, seen = self._session.draft.near, self._session.neighbors_drawn
        pairs = near.pairs if near is not None and seen and not self._is_blank else NO_PAIRS
        self._figure.show_neighbors(self._plane, pairs)

    @watches("staying.found")
    def _on_stay(self, event: Any) -> None:
        """Ring the points that moved, and let their tooltips say why."""
        moved = [] if event.new is None else event.new.moved.tolist()
        self._figure.show_held(self._plane, moved or self._session.held)
        self._say_links()
        self._color()

    @watches(
        "isolated", "differing", "links_drawn", "rise", "player.shot", "sureness.known",
        "repair.partition", "asking.active", "asking.asked", "self.by_class",
    )  # fmt: skip
    def _on_shot(self, *_: Any) -> None:
        self._color()

    @watches("pricing.known")
    def _on_prices(self, _: Any) -> None:
        if self._session.links_drawn == "price":
            self._color()

    @watches("inspection.node")
    def _on_node(self, _: Any) -> None:
        self._draw_decisions()
        self._color()

    @watches("picked", "held")
    def _on_picked(self, *_: Any) -> None:
        picked, aside = self._session.picked, self._session.held
        self._figure.show_picked(self._plane, picked)
        self._figure.show_held(self._plane, aside)
        places = [(float(self._plane.x[point]), float(self._plane.y[point]))
                  for point in picked[-2:]]  # fmt: skip
        if picked and picked == self._session.asking.points:
            self._popup.hide()
            if self._session.asking.several:  # it is above the plot
                self._question.hide()
                return
            data = self._session.draft.data
            first, second = places
            sureness = self._session.sureness.known
            cost = answer_words(sureness, picked, self._session.draft.problem)
            self._question.show(question(data, picked, cost), first, second, self._figure.screen)
            return
        self._question.hide()
        if len(picked) < 2 and not (picked and aside):
            self._popup.hide()
            return
        beside = places[0] if len(picked) == 2 else None
        names = self._session.draft.data.names
        self._popup.show(picked, aside, places[-1], self._figure.screen, beside, names)

    @watches("asking.active", "asking.asked", "asking.odd")
    def _on_set(self, *_: Any) -> None:
        asking = self._session.asking
        points = asking.points if asking.several else ()
        self._figure.show_set(self._plane, points, asking.odd)

    @watches("lit")
    def _on_lit(self, event: Any) -> None:
        self._figure.show_path(self._plane, event.new)

    @watches("dark", "presenting")
    def _on_look(self, *_: Any) -> None:
        colors = look(self._session.dark, large=self._session.presenting)
        self._figure.apply_theme(colors)
        if self._inspection is not None:
            self._decisions.apply_theme(colors)

    def _on_tap(self, event: Any) -> None:
        where = (event.x, event.y)
        if self._painter.active:
            self._painter.move(where, self._figure.screen)
            self._painter.lift(self._plane, self._figure.screen)
        else:
            self._session.edits.pick(
                nearest(self._plane.x, self._plane.y, where, self._figure.screen)
            )

    def _on_stroke(self, event: Any) -> None:
        if self._painter.active:
            self._painter.move((event.x, event.y), self._figure.screen)

    def _on_lift(self, _: Any) -> None:
        if self._painter.active:
            self._painter.lift(self._plane, self._figure.screen)

    @watches("painter.active")
    def _on_brush(self, event: Any) -> None:
        self._figure.paint(event.new)
        self._color()

    @watches("painter.wet")
    def _on_wet(self, event: Any) -> None:
        painter, colors = self._painter, look(self._session.dark)
        erasing = painter.tool == "erase"
        color = colors.broken if erasing else cluster_colors(painter.cluster + 1)[-1]
        self._figure.show_wet(event.new, color, 2.0 * painter.radius if erasing else 9.0)

    @watches("painter.blank")
    def _on_blank(self, event: Any) -> None:
        if event.new:
            self._plane = blank_plane()
            self._figure.show_plane(self._plane)
            self._figure.show_blank()
            self._draw_decisions()
        elif not self._painter.active:
            self._place()

    def _on_select(self, _attr: str, _old: list[int], new: list[int]) -> None:
        if len(new) > 1:
            self._session.edits.pick_group(np.sort(self._figure.rows[new]).tolist())

    def _on_lasso(self, event: Any) -> None:
        """Pick a group where there are too many points for the browser."""
        if not event.final or not self._figure.is_dense:
            return
        found = inside(self._plane.x, self._plane.y, _corners(event.geometry))
        if len(found) > 1:
            self._session.edits.pick_group(found.tolist())


def _left_out(session: Session) -> int:
    """Return the number of points that the clustering on show leaves out."""
    run = session.run
    if run is None or run.labels is None:
        return 0
    return int((run.labels >= run.problem.n_clusters).sum())


def _corners(geometry: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the corners of what a lasso or a box went around."""
    if geometry["type"] == "rect":
        (left, right), (bottom, top) = ((geometry[f"{axis}0"], geometry[f"{axis}1"])
                                        for axis in "xy")  # fmt: skip
        return [(left, bottom), (right, bottom), (right, top), (left, top)]
    return list(zip(geometry["x"], geometry["y"], strict=True))
