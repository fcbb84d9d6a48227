"""The list of links, with delete, and links drawn from the known classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ccviz.views.draft import Link
from ccviz.views.frames.links import is_broken
from ccviz.views.frames.numbers import count
from ccviz.views.panels.commit import held
from ccviz.views.panels.html import Html
from ccviz.views.panels.link_tools import LinkTools
from ccviz.views.session import Session

_MOST_ROWS = 400
_MOST_HEIGHT = 150

_STYLE = """
.links { max-height: 150px; overflow-y: auto; scrollbar-width: thin; font-size: 13px; }
ul { list-style: none; margin: 0; padding: 0; }
li { display: flex; align-items: center; gap: 8px; padding: 1px 4px; border-radius: 5px; }
li:hover { background: var(--back); }
li.broken { background: var(--bad-back); color: var(--bad); }
.pair { font-variant-numeric: tabular-nums; font-weight: 600; }
.note { color: var(--faint); font-size: 12px; flex: 1; }
li.broken .note { color: var(--bad); }
line { stroke: var(--ink); stroke-width: 2.5; }
line.cannot { stroke: var(--cannot, #c2410c); stroke-dasharray: 5 3; }
button { border: none; background: none; color: var(--faint); cursor: pointer; border-radius: 4px;
  padding: 3px 6px; }
button:hover, button:focus-visible { color: var(--bad); background: var(--bad-back);
  outline: none; }
"""


class LinkList(JSComponent):
    """Rows of links; sends the place of the one whose delete button was pressed."""

    rows = param.List(default=[])

    _esm = Path(__file__).parent / "link_list.js"
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, on_delete: Any, **params: Any) -> None:
        super().__init__(**params)
        self._on_delete = on_delete

    def _handle_msg(self, data: int) -> None:
        held(self._on_delete)(data)


class LinksPanel(pn.viewable.Viewer):
    """All links of the problem; those that the clustering shown breaks are lit."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._title = Html("", margin=(0, 4), sizing_mode="stretch_width")
        self._list = LinkList(self._delete, sizing_mode="stretch_width", margin=(2, 0, 0, 0))
        self._tools = LinkTools(session)
        session.param.watch(self._refresh, "draft")
        session.player.param.watch(self._refresh, "shot")
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Column(
            self._title, self._list, self._tools,
            sizing_mode="stretch_width", css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip

    def _delete(self, place: int) -> None:
        self._session.remove_links([self._shown[place]])

    def _refresh(self, *_: Any) -> None:
        links = self._session.draft.links
        run = self._session.run
        labels = run.labels if run else None
        # The newest first: that is the one that was just clicked.
        self._shown = links[: -_MOST_ROWS - 1 : -1]
        rows = [_row(link, is_broken(link, labels)) for link in self._shown]
        if rows != self._list.rows:
            self._list.param.update(rows=rows, height=min(_MOST_HEIGHT, 2 + 25 * len(rows)))
        self._title.object = f"<h2>Links</h2>{_summary(links)}"


def _row(link: Link, broken: bool) -> dict[str, Any]:
    notes = [] if link.is_hard else [f"soft, weight {link.weight:g}"]
    if broken:
        notes.append("broken")
    return {
        "kind": link.kind, "i": link.i, "j": link.j, "broken": broken,
        "note": ", ".join(notes), "name": str(link),
    }  # fmt: skip


def _summary(links: tuple[Link, ...]) -> str:
    if not links:
        return (
            '<p style="color:var(--faint);margin:4px 0">Click two points of the plot, then press '
            "<b>M</b> (must-link) or <b>C</b> (cannot-link).</p>"
        )
    must = sum(link.kind == "must" for link in links)
    hidden = f", the newest {_MOST_ROWS} below" if len(links) > _MOST_ROWS else ""
    words = f"{count(must, 'must-link')}, {count(len(links) - must, 'cannot-link')}{hidden}"
    return f'<p style="color:var(--faint);margin:2px 0">{words}</p>'
