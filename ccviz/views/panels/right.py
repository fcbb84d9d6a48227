"""The right side of the page: the status, and under it the result and the solver's views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import panel as pn
import param
from markupsafe import Markup

from ccviz.data.names import NameBook
from ccviz.errors import CcvizError
from ccviz.numbers import count
from ccviz.problem.partition import Partition
from ccviz.views.draft import ClusterName
from ccviz.views.figures.curves import BoundsFigure, Moments
from ccviz.views.frames.bounds import bounds
from ccviz.views.frames.card import RuleRow, answer_rows
from ccviz.views.frames.clusters import Cell, Clusters, FeatureRow, Head, clusters, sums_in_words
from ccviz.views.frames.node import NodeLog
from ccviz.views.lab.download import answer_download, deliver
from ccviz.views.lab.inspection import Inspection, View
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import TABS, Course
from ccviz.views.palette import cluster_colors, look
from ccviz.views.panels.base import (
    Component,
    Html,
    Panel,
    assets,
    in_one_message,
    watches,
)
from ccviz.views.panels.player import StatusPanel
from ccviz.views.panels.prices import SureTools
from ccviz.views.panels.result import RacePanel, ResultPanel
from ccviz.views.panels.runs import RunsPanel
from ccviz.views.panels.share import AddressPanel, SharePanel, Texts
from ccviz.views.upstream import FigurePane

# --- What marks the clusters of the answer, feature by feature, and the files to take home --------


_NONE = "The features of each cluster are listed here after a run: choose a solver, press Run."
_SOON = "The features of each cluster are being compared…"
_AT_ONCE, _SOON_MS = 2_000_000, 25
"""Numbers of a table up to which no sentence comes first, and the time that one has to be sent."""
_MOST_CALLED = 4  # of the points that are picked
_MOST_COLUMNS = 4
"""Clusters up to which each is a column of the table."""


class ClustersPanel(Component):
    """The table, drawn while it is visible."""

    table = param.Dict(default={"about": ""})
    chosen = param.Integer(default=None, allow_None=True)
    point = param.String(default="")
    in_front = param.Boolean(default=False)

    _esm, _stylesheets = assets("clusters.js", "clusters.css")
    _rename = {"in_front": None}  # noqa: RUF012, not for the browser

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, sizing_mode="stretch_both", margin=0, **params)
        self._drawn: tuple[Partition | None, tuple[ClusterName, ...]] | None = None

    @watches("player.shot", "player.playing", "draft", "staying.found", "self.in_front")
    def _refresh(self, *_: Any) -> None:
        session, answer = self._session, self._session.answer
        now = (answer, session.draft.cluster_names)
        # No table is made for a clustering that is shown only for a moment.
        if not self.in_front or session.player.playing or now == self._drawn:
            return
        self._drawn = now
        document = pn.state.curdoc
        if answer is None:
            self.table = {"about": _NONE}
        elif answer.problem.X.size <= _AT_ONCE or document is None:
            self._draw(answer)
        else:
            self.table = {"about": _SOON}

            def draw() -> None:
                if self._drawn is now:  # no other answer came
                    self._draw(answer)

            document.add_timeout_callback(in_one_message(draw), _SOON_MS)

    def _draw(self, answer: Partition) -> None:
        session = self._session
        colors = session.cluster_colors.of(answer)
        shown = Partition(answer.problem, colors)
        names = session.cluster_names(colors)
        table = content(
            clusters(session.draft.data, shown, names), answer_rows(answer),
            sums_in_words(shown, names),
        )  # fmt: skip
        origin = session.draft.data.origin
        self.table = table | {"is_map": origin is not None and bool(origin.shapes)}

    @watches("isolated")
    def _on_isolated(self, event: Any) -> None:
        self.chosen = event.new

    @watches("picked")
    def _on_picked(self, event: Any) -> None:
        """Offer to move the points that are picked."""
        names = self._session.draft.data.names
        words = [names[each] if names else str(each) for each in event.new[:_MOST_CALLED]]
        more = len(event.new) - len(words)
        self.point = ", ".join(words) + (f" and {more:,} more" if more else "")

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        with session.reporting_errors():
            if what == "file":
                deliver(session, answer_download(session, message["file"]), self._hand)
            elif what == "name":
                session.edits.name_cluster(message["cluster"], message["name"])
            elif what == "merge":
                session.edits.merge_clusters(message["one"], message["other"])
            elif what == "move":
                session.edits.move_points(self._points(str(message["point"])), message["cluster"])
            elif what == "split":
                session.edits.split_cluster(message["cluster"])
            elif what == "keep":
                session.edits.keep_cluster(message["cluster"])
            else:
                session.edits.isolate(message["cluster"])

    def _points(self, text: str) -> Sequence[int]:
        draft, picked = self._session.draft, self._session.picked
        if picked and text == self.point:
            return picked
        points = NameBook(draft.n, draft.data.names).read(text)
        if not points:
            raise CcvizError("Type points to move, or pick them on the plot.")
        return points


_MOST_MEMBERS = 5000
"""Names that are listed; all are in the file of the rows."""


class Members(Texts):
    """The names of the points of the cluster that is alone in colour, to be copied."""

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(
            visible=False, sizing_mode="stretch_width", margin=(0, 0, 4, 0),
            css_classes=["section", "members"], **params,
        )  # fmt: skip
        self._session = session
        self.follow(session)

    @watches("isolated", "player.shot", "player.playing", "draft", "staying.found")
    def _refresh(self, *_: Any) -> None:
        session, chosen = self._session, self._session.isolated
        answer = None if chosen is None or session.player.playing else session.answer
        self.visible = answer is not None and answer.problem.n_points == session.draft.n
        if self.visible and answer is not None:
            colors, names = session.cluster_colors.of(answer), session.draft.data.names
            rows = np.flatnonzero(colors[: session.draft.n] == chosen).tolist()
            called = session.cluster_names(colors).get(chosen, f"cluster {chosen}")
            listed = [names[row] if names else str(row) for row in rows[:_MOST_MEMBERS]]
            title = f"{called}: {count(len(rows), 'point')}"
            title += f", the first {len(listed):,}" if len(listed) < len(rows) else ""
            text = "\n".join(listed)
            self.blocks = [{"title": title, "about": "", "text": text, "sound": True}]


def content(
    frame: Clusters, rules: tuple[RuleRow, ...] = (), sums: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the table as the page shows it.

    `rules`: Those that were asked for, and whether they hold. `sums`: What they limit, by cluster.
    """
    hidden = frame.features - len(frame.rows)
    how = ", by means of clusters" if frame.simplified else ""
    how += ", of some of the points" if frame.sampled else ""
    many = len(frame.heads) > _MOST_COLUMNS
    about = (
        f"Means; blue is above that of all, orange below. Silhouette {frame.silhouette:.2f}{how}."
        if many
        else "Mean ± deviation; blue is above the mean of all, orange below. First are the "
        "features with the largest share of their variance between the clusters. Under a cluster "
        f"are its points, its share and its silhouette ({frame.silhouette:.2f} in all{how})."
    )
    return {
        "about": about,
        "many": many,
        "rules": [{"words": f"{each.words}: {each.verdict}", "holds": each.holds}
                  for each in rules] + [{"words": each, "holds": True} for each in sums],
        "heads": [_head(each) for each in frame.heads],
        "rows": [_row(each) for each in frame.rows],
        "more": f"And {count(hidden, 'more feature')} in the files." if hidden else "",
    }  # fmt: skip


def _head(head: Head) -> dict[str, Any]:
    return {
        "number": head.number,
        "name": head.name,
        "color": cluster_colors(head.number + 1)[-1],
        "size": f"{head.size:,}",
        "share": f"{head.share:.0%}",
        "silhouette": "–" if math.isnan(head.silhouette) else f"{head.silhouette:.2f}",
    }


def _row(row: FeatureRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "separation": f"{row.separation:.0%}",
        "whole": _cell(row.whole),
        "cells": [_cell(each) for each in row.cells],
    }


def _cell(cell: Cell) -> list[Any]:
    apart = 0.0 if math.isnan(cell.apart) else cell.apart
    return [_short(cell.mean, 4), _short(cell.spread, 3), apart]


def _short(value: float, digits: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


# --- Both bounds under the solver's own view, with the life of the node that is looked at ---------


_ROOM = {"flex": "0 0 auto", "height": "clamp(120px, 24%, 340px)"}
"""About a quarter of the tab: the tree above it needs the rest."""


class ProofBounds(Panel):
    """The bounds of the run; nothing where it has proved none."""

    def __init__(self, session: Session, inspection: Inspection) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._figure = BoundsFigure(look(session.dark), "proof-bounds", low=True)
        self._moments = Moments(self._figure.plot)
        figure = FigurePane(self._figure.plot, sizing_mode="stretch_both", margin=0)
        self._box = pn.Column(
            figure, sizing_mode="stretch_both", margin=0, styles=_ROOM, visible=False
        )
        self._apply_theme()
        self.follow(session, inspection=inspection)

    @watches("dark", "presenting")
    def _apply_theme(self, *_: Any) -> None:
        colors = look(self._session.dark, large=self._session.presenting)
        for each in (self._figure, self._moments):
            each.apply_theme(colors)

    @watches("inspection.node")
    def refresh(self, *_: Any) -> None:
        """Draw what is new."""
        run, node = self._inspection.run, self._inspection.node
        frame = bounds(run)
        # Bokeh complains about a plot that has no data to take its ranges from.
        self._box.visible = bool(np.isfinite(frame.lower).any())
        if not self._box.visible or run is None:
            return
        self._figure.show(frame)
        facts = None if node is None else self._inspection.log(NodeLog).frame(run, node)
        self._moments.show(facts, run.time_s)


# --- Inside the solver: tabs for those views that the run has, and the bounds under them ----------


class InsidePanel(Panel):
    """The tabs; only the one in front is drawn."""

    in_front = param.Boolean(default=True)  # Whether they are visible; hidden ones are not drawn

    def __init__(self, session: Session, inspection: Inspection, **params: Any) -> None:
        super().__init__(**params)
        self._session, self._inspection = session, inspection
        self._shown: tuple[View, ...] = ()
        self._panels: dict[str, Any] = {}
        self._tabs = pn.Tabs(sizing_mode="stretch_both", margin=0, dynamic=True, visible=False)
        self._bounds: ProofBounds | None = None
        self._box = pn.Column(self._tabs, sizing_mode="stretch_both", margin=0)
        self.follow(session, inspection=inspection)
        self._refresh()

    @watches("self._tabs.active", "inspection.moved", "self.in_front")
    def _refresh(self, *_: Any) -> None:
        if self._inspection.views != self._shown:
            self._arrange(self._inspection.views)
        if self._shown and self.in_front:
            self._panels[self._shown[self._tabs.active].name].refresh()
            if self._bounds is None:  # made when it is first seen: the page opens sooner
                self._bounds = ProofBounds(self._session, self._inspection)
                self._bounds.refresh()
                self._box.append(self._bounds)
            self._bounds.refresh()
        elif not self._shown and self._bounds is not None:  # those of the run before go
            self._bounds.refresh()

    def _arrange(self, views: tuple[View, ...]) -> None:
        front = self._shown[self._tabs.active] if self._shown else None
        for view in views:
            if view.name not in self._panels:
                self._panels[view.name] = view.panel(self._session, self._inspection)
                self._panels[view.name].refresh()  # an empty figure has no range to begin with
        self._shown = views
        self._tabs[:] = [(view.title, self._panels[view.name]) for view in views]
        if views:
            self._tabs.active = views.index(front) if front in views else 0
        self._tabs.visible = bool(views)


RESULT, CLUSTERS, INSIDE, BOUNDS, RUNS, SHARE = range(6)
"""Places of the tabs."""

_HINT = "The lessons, at the top of the page, show it at work."


class RightPanel(Panel):
    """Tabs; those for which the run has nothing to show say so.

    `course`: Its step at hand says which tab opens by itself. `own`: See `SharePanel`.
    """

    def __init__(
        self, session: Session, inspection: Inspection, course: Course, *own: AddressPanel
    ) -> None:
        super().__init__()
        self._status, self._members = StatusPanel(session, inspection), Members(session)
        inside = InsidePanel(session, inspection, in_front=False)
        race, runs = RacePanel(session, in_front=False), RunsPanel(session, in_front=False)
        clusters = ClustersPanel(session)
        self._nothing = Html(
            Markup(
                '<p class="about">The views of the solver appear here once it has something to '
                "show: its tree, its relaxation, its columns, its population. The k-means kinds "
                "have none: the plot and the player show all they do.</p>"
            ),
            margin=8,
        )
        self._tabs = pn.Tabs(
            (TABS[RESULT], ResultPanel(session, inspection, _HINT)),
            (TABS[CLUSTERS], pn.Column(SureTools(session), clusters, sizing_mode="stretch_both",
                                   margin=0, css_classes=["section"])),
            (TABS[INSIDE], pn.Column(self._nothing, inside, sizing_mode="stretch_both", margin=0,
                                            css_classes=["section"])),
            (TABS[BOUNDS], pn.Column(race, sizing_mode="stretch_both", margin=0,
                                 css_classes=["section"])),
            (TABS[RUNS], runs),
            (TABS[SHARE], SharePanel(session, course.handout, *own)),
            sizing_mode="stretch_both", margin=0, css_classes=["rooms"], dynamic=True,
        )  # fmt: skip

        def look(event: Any) -> None:
            clusters.in_front = event.new == CLUSTERS
            inside.in_front, race.in_front = event.new == INSIDE, event.new == BOUNDS
            runs.show(event.new == RUNS)

        self._tabs.param.watch(in_one_message(look), "active")
        self._course = course
        self.follow(session, inspection=inspection, course=course)

    def show(self, place: int) -> None:
        """Bring a tab to the front."""
        self._tabs.active = place

    def __panel__(self) -> Any:
        over = (self._status, self._members)
        return pn.Column(*over, self._tabs, sizing_mode="stretch_both", margin=0)

    @watches("inspection.views")
    def _on_views(self, event: Any) -> None:
        self._nothing.visible = not event.new

    @watches("course.lesson", "course.at")
    def _open_for_step(self, *_: Any) -> None:
        """Bring the tab to the front where a lesson's step is seen."""
        course = self._course
        if course.step is not None and course.step.tab:
            self.show(TABS.index(course.step.tab))

    @watches("presenting")
    def _on_presenting(self, event: Any) -> None:
        if event.new:
            self.show(INSIDE)
