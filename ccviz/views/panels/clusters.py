"""What marks the clusters of the answer, feature by feature, and the files to take home."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ccviz.data.names import NameBook
from ccviz.errors import CcvizError
from ccviz.numbers import count
from ccviz.problem.partition import Partition
from ccviz.views.cluster_names import ClusterName
from ccviz.views.frames.clusters import Cell, Clusters, FeatureRow, Head, clusters
from ccviz.views.frames.rules import RuleRow, rule_rows
from ccviz.views.lab.download import Download, deliver
from ccviz.views.lab.session import Session
from ccviz.views.lab.take_home import answer_download
from ccviz.views.palette import cluster_colors
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_NONE = "The features of each cluster are listed here after a run: choose a solver, press Run."
_SOON = "The features of each cluster are being compared…"
_AT_ONCE, _SOON_MS = 2_000_000, 25
"""Numbers of a table up to which no sentence comes first, and the time that one has to be sent."""
_STYLE = css("clusters.css")
_MOST_COLUMNS = 4
"""Clusters up to which each is a column of the table."""


class ClustersPanel(JSComponent):
    """The table, drawn while it is visible.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    in_front : bool
        Whether its tab is visible.
    """

    table = param.Dict(default={"about": ""})
    chosen = param.Integer(default=None, allow_None=True)
    point = param.String(default="")
    in_front = param.Boolean(default=False)

    _esm = with_template("clusters.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it
    _rename = {"in_front": None}  # noqa: RUF012, not for the browser

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(sizing_mode="stretch_both", margin=0, **params)
        self._session = session
        self._drawn: tuple[Partition | None, tuple[ClusterName, ...]] | None = None
        session.player.param.watch(self._refresh, ["shot", "playing"])
        session.param.watch(self._refresh, "draft")
        session.param.watch(lambda event: setattr(self, "chosen", event.new), "isolated")
        session.param.watch(self._on_picked, "picked")
        self.param.watch(self._refresh, "in_front")

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
        self.table = content(clusters(session.draft.data, shown, names), _rules(answer))

    def _on_picked(self, event: Any) -> None:
        """Offer to move the point that is picked alone."""
        names = self._session.draft.data.names
        one = event.new[0] if len(event.new) == 1 else None
        self.point = "" if one is None else names[one] if names else str(one)

    def _hand(self, download: Download) -> None:
        self._send_msg(asdict(download))

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        with session.in_words():
            if what == "file":
                deliver(session, answer_download(session, message["file"]), self._hand)
            elif what == "name":
                session.name_cluster(message["cluster"], message["name"])
            elif what == "merge":
                session.merge_clusters(message["one"], message["other"])
            elif what == "move":
                session.move_point(self._one_point(str(message["point"])), message["cluster"])
            else:
                session.isolate(message["cluster"])

    def _one_point(self, text: str) -> int:
        draft = self._session.draft
        points = NameBook(draft.n, draft.data.names).read(text)
        if len(points) != 1:
            raise CcvizError("Type one point to move.")
        return points[0]


def _rules(answer: Partition) -> tuple[RuleRow, ...]:
    return rule_rows(tuple(each.rule for each in answer.kept_rules), answer)


def content(frame: Clusters, rules: tuple[RuleRow, ...] = ()) -> dict[str, Any]:
    """Return the table as the page shows it.

    Parameters
    ----------
    frame : Clusters
    rules : tuple of RuleRow
        Those that were asked for, and whether they hold.

    Returns
    -------
    dict
    """
    hidden = frame.features - len(frame.rows)
    how = ", by means of clusters" if frame.simplified else ""
    how += ", of some of the points" if frame.sampled else ""
    many = len(frame.heads) > _MOST_COLUMNS
    about = (
        f"Means; blue is above that of all, orange below. Silhouette {frame.silhouette:.2f}{how}."
        if many
        else "Mean ± deviation; blue is above the mean of all, orange below. First come the "
        "features with the largest share of their variance between the clusters. Under a cluster "
        f"stand its points, its share and its silhouette ({frame.silhouette:.2f} in all{how})."
    )
    return {
        "about": about,
        "many": many,
        "rules": [{"words": f"{each.words}: {each.verdict}", "holds": each.holds}
                  for each in rules],
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
