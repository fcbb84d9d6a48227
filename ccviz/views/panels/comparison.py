"""Those runs that are ticked in the table, side by side."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.arrays import IntArray
from ccviz.numbers import count
from ccviz.views.frames.comparison import Row, comparison, differing
from ccviz.views.frames.runs import run_names
from ccviz.views.lab.session import Session
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css

_STYLE = css("comparison.css")


class ComparisonPanel(pn.viewable.Viewer):
    """Visible if two runs are ticked; the best value of each line is highlighted."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._html = Html(
            "", stylesheets=[_STYLE], sizing_mode="stretch_width", margin=0, name="comparison"
        )
        self._show = pn.widgets.Button(name="", margin=(4, 0), visible=False)
        self._show.on_click(lambda _: in_one_message(self._light)())
        self._apart: tuple[int, ...] = ()
        self._box = pn.Column(
            self._html, self._show, sizing_mode="stretch_width", margin=(8, 0, 0, 0), scroll=True,
            max_height=280, visible=False,
        )  # fmt: skip
        session.param.watch(self._refresh, "compared")
        self._refresh()

    def __panel__(self) -> Any:
        return self._box

    def _refresh(self, *_: Any) -> None:
        archive, chosen = self._session.archive, self._session.compared
        self._box.visible = len(chosen) > 1
        if len(chosen) < 2:
            return
        infos = [archive.info(run_id) for run_id in chosen]
        found = [archive.load(run_id).incumbent for run_id in chosen]
        labels = [each.labels if each else None for each in found]
        most = max((each.problem.k for each in found if each), default=1)
        self._apart = self._differing(labels[0], labels[1], most)
        self._show.visible = bool(self._apart)
        self._show.name = (
            f"Show the {count(len(self._apart), 'point')} in which the first two differ"
        )
        rows = comparison(infos, labels)
        names = run_names(archive.runs())
        self._html.object = _html([names[info.id] for info in infos], rows)

    def _differing(self, first: IntArray | None, other: IntArray | None, k: int) -> tuple[int, ...]:
        """Return the points in which two runs differ, if they are those on the plot."""
        n = self._session.draft.n
        if first is None or other is None or not len(first) == len(other) == n:
            return ()
        return tuple(differing(first, other, k).tolist())

    def _light(self) -> None:
        session = self._session
        session.differing = () if session.differing else self._apart


_TABLE = Markup(
    '<table aria-label="Runs side by side"><thead><tr><td></td>{head}</tr></thead>'
    "<tbody>{lines}</tbody></table>"
)


def _html(names: list[str], rows: tuple[Row, ...]) -> Markup:
    head = Markup().join(Markup('<th scope="col">{}</th>').format(name) for name in names)
    return _TABLE.format(head=head, lines=Markup().join(map(_line, rows)))


def _line(row: Row) -> Markup:
    cells = Markup().join(
        Markup("<td{}>{}</td>").format(Markup(" class=best") if place in row.best else "", cell)
        for place, cell in enumerate(row.cells)
    )
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(row.name, cells)
