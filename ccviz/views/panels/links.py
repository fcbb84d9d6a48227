"""The list of links: weigh and delete them; see which are broken, which follow, and prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from math import inf
from typing import Any

import panel as pn
import param
from markupsafe import Markup
from panel.custom import JSComponent

from ccviz.arrays import IntArray
from ccviz.numbers import count, number
from ccviz.views.frames.implied import Implied, implied
from ccviz.views.frames.link_groups import Entry, entries
from ccviz.views.frames.links import LINKS_DRAWN, MOST_LINES, many_broken
from ccviz.views.frames.prices import PriceList, price_list, price_words
from ccviz.views.lab.session import Session
from ccviz.views.link_table import LinkTable
from ccviz.views.panels.html import Html
from ccviz.views.panels.link_tools import LinkTools
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.prices import PriceTools
from ccviz.views.panels.template import css, with_template

_MOST_ROWS = 400
_MOST_IMPLIED = 60

_STYLE = css("links.css")


class LinkList(JSComponent):
    """Rows of links; sends what to do with the one at a place."""

    rows = param.List(default=[])

    _esm = with_template("link_list.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, on_message: Any, **params: Any) -> None:
        super().__init__(**params)
        self._on_message = on_message

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._on_message)(data)


class LinksPanel(pn.viewable.Viewer):
    """All links of the problem; those that the clustering shown breaks are lit."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._title = Html("", margin=(0, 4), sizing_mode="stretch_width")
        self._list = LinkList(self._act, sizing_mode="stretch_width", margin=(2, 0, 0, 0))
        self._tools = LinkTools(session)
        self._prices = PriceTools(session)
        self._drawn = pn.widgets.Select.from_param(
            session.param.links_drawn, name="Which links are drawn", options=LINKS_DRAWN,
            width=112, margin=(0, 4), css_classes=["unlabelled", "small"],
        )  # fmt: skip
        session.param.watch(self._on_draft, "draft")
        session.player.param.watch(self._refresh, "shot")
        session.repair.param.watch(self._refresh, "partition")
        session.pricing.param.watch(self._on_draft, "known")
        self._prices.param.watch(self._on_draft, "highest_first")
        self._on_draft()

    def __panel__(self) -> Any:
        return pn.Column(
            pn.Row(
                Html(Markup("<h2>Links</h2>"), margin=(0, 4), sizing_mode="stretch_width"),
                self._drawn, margin=0, height=24, sizing_mode="stretch_width",
                css_classes=["head"],
            ),
            self._title, self._list, self._prices, self._tools,
            sizing_mode="stretch_width", css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip

    def _act(self, message: dict[str, Any]) -> None:
        links = self._shown[message["place"]].links
        if message["what"] == "delete":
            self._session.remove_links(links)
            return
        weight = inf if message["weight"] is None else float(message["weight"])
        self._session.add_links([replace(link, weight=weight) for link in reversed(links)])

    def _on_draft(self, *_: Any) -> None:
        links = self._session.draft.links
        # Below thousands of rows they are out of sight, and finding new ones takes long.
        most = _MOST_IMPLIED if len(links) <= MOST_LINES else 0
        self._implied = implied(self._session.draft, most)
        self._known = price_list(self._session.pricing.known, self._session.draft.problem)
        # The newest first: that is the one that was just clicked.
        listed = entries(links)
        if self._prices.highest_first and self._known.by_link:
            listed = iter(sorted(listed, key=self._price_of, reverse=True))
        self._shown = list(islice(listed, _MOST_ROWS))
        self._refresh()

    def _price_of(self, entry: Entry) -> tuple[float, float]:
        price = self._known.of(entry.links)
        return (-1.0, 0.0) if price is None else (price.lower, price.upper)

    def _refresh(self, *_: Any) -> None:
        links = self._session.draft.links
        shown = self._session.repair.partition or self._session.run
        labels = shown.labels if shown else None
        names = self._session.draft.data.names
        rows = [_row(entry, names, labels) | _priced(self._known, entry) for entry in self._shown]
        rows += [_row(Entry((link,)), names, follows=True) for link in self._implied.links]
        if rows != self._list.rows:
            self._list.rows = rows
        self._drawn.visible = bool(links)
        self._title.object = _summary(links, self._implied)


def _row(
    entry: Entry, names: Sequence[str], labels: IntArray | None = None, follows: bool = False
) -> dict[str, Any]:
    link = entry.links[0]
    broken = many_broken(entry.pairs, link.kind, labels)
    note = f"{broken:,} broken" if entry.is_group else "broken"
    return {
        "kind": link.kind, "pair": entry.words(names), "broken": broken > 0, "implied": follows,
        "weight": None if link.is_hard else link.weight,
        "note": note if broken else "",
        "many": f"{broken:,} " if broken and entry.is_group else "",
        "name": f"group of {len(entry.points):,} points" if entry.is_group else str(link),
    }  # fmt: skip


def _priced(known: PriceList, entry: Entry) -> dict[str, Any]:
    """Return the cell of a row's price: a number, the length of its bar, and a sentence."""
    price = known.of(entry.links)
    if price is None:
        return {}
    sign = "" if price.is_proved else "≥ "
    return {
        "price": f"{sign}{number(price.lower, 4)}", "share": round(known.share(price), 3),
        "words": price_words(price),
    }  # fmt: skip


def _summary(links: LinkTable, follow: Implied) -> Markup:
    if not links:
        return Markup(
            '<p style="color:var(--faint);margin:2px 0">Click two points of the plot, then '
            "<b>M</b> (must-link) or <b>C</b> (cannot-link).</p>"
        )
    must = int(links.is_must.sum())
    words = [count(must, "must-link"), count(len(links) - must, "cannot-link")]
    if follow.many:
        words.append(f"{follow.many:,} implied")
    if len(links) > _MOST_ROWS:
        words.append(f"the newest {_MOST_ROWS} below")
    if len(links) > MOST_LINES:
        words.append("drawn as a picture")
    told = Markup('<p style="color:var(--faint);margin:2px 0">{}</p>')
    return told.format(", ".join(words))
