"""Links: the list with its tools, weights and prices; and rules for all clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import inf
from typing import Any

import numpy as np
import panel as pn
import param
from markupsafe import Markup

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.data.link_files import links_text
from ccviz.data.names import NameBook, column_names, place_columns, suggest, words_to_name
from ccviz.data.neighbors import WAYS
from ccviz.numbers import count, number
from ccviz.problem.links import Links
from ccviz.problem.neighbors import Neighbors
from ccviz.problem.rules import RULE_KINDS
from ccviz.views.frames.card import rule_rows
from ccviz.views.frames.links import (
    LINKS_DRAWN,
    MOST_LINES,
    Entry,
    Implied,
    PriceList,
    entries,
    implied,
    many_broken,
    price_list,
    price_words,
)
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.loading import (
    add_rule,
    draw_links,
    drop_rule,
    labelled,
    link_labels,
    load_links,
    load_neighbors,
    runs_to_name,
)
from ccviz.views.lab.session import Session
from ccviz.views.link_table import LinkTable
from ccviz.views.panels.base import (
    WIDE,
    Component,
    FileButton,
    FileField,
    Following,
    Html,
    Panel,
    Sender,
    about,
    assets,
    button,
    step_heading,
    watches,
)
from ccviz.views.panels.prices import PriceTools
from ccviz.views.upstream import FloatInput

# --- The field that picks points by number or name, and suggests names while one types ------------


class PointField(Component):
    """Names stay on the server, which sends the few that match the typed text."""

    named = param.Boolean(default=False)
    suggestions = param.Dict(default={"text": "", "names": []})

    _esm, _stylesheets = assets("point_field.js", "point_field.css")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, sizing_mode="stretch_width", margin=0, **params)
        self._on_draft()

    @watches("draft")
    def _on_draft(self, *_: Any) -> None:
        self.named = bool(self._session.draft.data.names)

    def _act(self, message: dict[str, Any]) -> None:
        text, names = str(message["text"]), self._session.draft.data.names
        if message["what"] == "type":
            word = text.rpartition(",")[2]
            self.suggestions = {"text": text, "names": suggest(names, word)}
        else:
            with self._session.reporting_errors():
                points = NameBook(self._session.draft.n, names).read(text)
                self._session.edits.pick_group(points)
                self._send_msg("picked")


# --------------------------------------------------------------------------------------------------
# Points by number, and links by the dozen: from the known classes, from a file and into one.


_DRAW = (
    "Links between random pairs of points: must-link where their known classes are the same, "
    "cannot-link where they differ. A share of them may be wrong."
)

_LABELS = (
    "A cluster for each label, in the weight for new links. It is a rule of a few links, which "
    "follows the table; rows without a label are free."
)
_WEIGH = "All links of the source get the weight beside it; an empty one makes them hard."
_LINES = Markup(
    '<p class="about">A file of links has lines such as <b>Anna,Bert,together</b>, or '
    "<b>Anna,Carl,apart,2.5</b> for a soft one.</p>"
)
_MOST_SOURCES = 100  # in the list of sources, those of the most links
_MOST_BYTES = 64_000_000
_SMALL = 10_000
"""Links that are written at once: to begin a process takes longer."""


class LinkTools(Panel):
    """A card that opens under the list of links."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._weight = FloatInput(
            name="Weight of new links", value=None, start=0.0, step=1.0, placeholder="hard",
            description="Empty for hard links; a soft link may be broken at this price.", **WIDE,
        )  # fmt: skip
        self._weight.param.watch(
            lambda event: setattr(session, "weight", event.new or inf), "value"
        )
        self._points = PointField(session)
        self._many = pn.widgets.IntInput(name="How many", value=20, start=1, **WIDE)
        self._noise = FloatInput(
            name="Share wrong", value=0.0, start=0.0, end=1.0, step=0.05, **WIDE
        )
        self._draw = button(
            "Draw from classes",
            lambda: draw_links(session, self._many.value, self._noise.value),
            _DRAW,
            "right",
            margin=(4, 4),
        )
        self._from_classes = pn.Column(
            Html(Markup('<p class="about">Links drawn from the known classes:</p>'), margin=(4, 4)),
            pn.Row(self._many, self._noise, margin=0, sizing_mode="stretch_width"),
            self._draw, margin=0, sizing_mode="stretch_width",
        )  # fmt: skip
        self._which = pn.widgets.Select(name="Links of a source", **WIDE)
        self._its_weight = FloatInput(
            name="Their weight", value=None, start=0.0, step=1.0, placeholder="hard", **WIDE
        )
        weigh = button(
            "Set their weight",
            lambda: session.edits.weigh_source(self._which.value, self._its_weight.value or inf),
            _WEIGH, "right", margin=(4, 4),
        )  # fmt: skip
        both = pn.Row(self._which, self._its_weight, margin=0, sizing_mode="stretch_width")
        self._sources = pn.Column(both, weigh, margin=0, sizing_mode="stretch_width")
        self._near = pn.widgets.TextInput(
            name="Neighbours", placeholder="knn:6 of lon, lat",
            description=f"Every cluster is connected among them: {WAYS}, of all features or of "
            "the columns that are named; or the pairs of a file, such as Rome,Bonn in each line.",
            **WIDE,
        )  # fmt: skip
        self._near_drawn = pn.widgets.Toggle.from_param(
            session.param.neighbors_drawn, name="Draw neighbours", margin=(4, 4)
        )
        self._islands = Html("", margin=(0, 4), name="islands")
        self._near_file = FileField(
            partial(load_neighbors, session), label="Drop pairs of neighbours, or choose a file",
            most_bytes=_MOST_BYTES, sizing_mode="stretch_width", margin=(4, 4),
        )  # fmt: skip
        self._following = Following()
        self._following.hear(self._near, self._set_neighbors)
        self._clear = button(
            "Delete all", lambda: session.edits.remove_links(session.draft.links), margin=(4, 4)
        )
        self._drawn = pn.widgets.Select.from_param(
            session.param.links_drawn, name="Which links are drawn", options=LINKS_DRAWN, **WIDE
        )
        self._export = FileButton(
            session, "Export", partial(links_download, session), margin=(4, 4)
        )
        self._import = FileField(
            partial(load_links, session), label="Drop links, or choose a file",
            most_bytes=_MOST_BYTES, sizing_mode="stretch_width", margin=(4, 4),
        )  # fmt: skip
        self.follow(session)
        self._on_draft()

    def __panel__(self) -> Any:
        # A card shows again, when it opens, what of its own parts was hidden meanwhile.
        inside = pn.Column(
            self._points,
            self._from_classes,
            self._weight,
            self._sources,
            self._drawn,
            self._near, self._near_file,
            self._near_drawn, self._islands,
            pn.FlexBox(self._export, self._clear, margin=0),
            Html(_LINES, margin=(4, 4)),
            self._import,
            margin=0, sizing_mode="stretch_width",
        )  # fmt: skip
        return pn.Card(
            inside, title="More ways to link", collapsed=True, margin=(2, 4),
            sizing_mode="stretch_width",
        )  # fmt: skip

    @watches("draft")
    def _on_draft(self, *_: Any) -> None:
        draft = self._session.draft
        self._from_classes.visible = draft.data.truth is not None
        many = sorted(draft.links.many_of().items(), key=lambda each: -each[1])
        named = {f"{name} ({n:,})": name for name, n in many[:_MOST_SOURCES] if name}
        chosen = self._which.value if self._which.value in named.values() else None
        self._which.param.update(options=named, value=chosen or next(iter(named.values()), None))
        self._sources.visible = bool(named)
        with self._following:
            self._near.value = draft.neighbors
        self._near_drawn.visible = draft.near is not None
        self._islands.object = about(islands_words(draft.near))

    def _set_neighbors(self, text: str) -> None:
        self._session.edits.set_neighbors(text)
        self._on_draft()  # what is refused gives way to the neighbours in force


def islands_words(near: Neighbors | None) -> str:
    """Return what is known of points that no path of neighbours joins; nothing without any."""
    size = np.zeros(1) if near is None else np.bincount(near.islands())
    if len(size) == 1:
        return ""
    largest = ", ".join(map(str, sorted(size.tolist(), reverse=True)[:_MOST_ISLANDS]))
    more = ", …" * (len(size) > _MOST_ISLANDS)
    return (
        f"{len(size)} islands, of {largest}{more} points: no path of neighbours joins them, and no "
        "cluster holds points of two."
    )


def links_download(session: Session) -> DownloadRequest:
    """Return how the current links are written to a file."""
    links = session.draft.links
    must, cannot = links.of_kind("must"), links.of_kind("cannot")
    sources = [table.sources[at] for table in (must, cannot) for at in table.source.tolist()]
    args = (Links(must.pairs, must.weights), Links(cannot.pairs, cannot.weights), sources)
    return DownloadRequest("links.txt", "text/plain", links_text, args, len(links) <= _SMALL)


_MOST_ISLANDS = 6  # whose numbers of points are said
_MOST_ROWS = 400
_MOST_IMPLIED = 60


class LinkList(Sender):
    """Rows of links; sends what to do with the one at a place."""

    rows = param.List(default=[])

    _esm, _stylesheets = assets("link_list.js", "links.css")


class LinksPanel(Panel):
    """All links of the problem; those that the clustering shown breaks are lit."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._title = Html("", margin=(0, 4), sizing_mode="stretch_width")
        self._list = LinkList(self._act, sizing_mode="stretch_width", margin=(2, 0, 0, 0))
        self._labelled = Html("", margin=(8, 0, 4, 4), sizing_mode="stretch_width")
        link = button("Link them", lambda: link_labels(session), _LABELS, "right", margin=(4, 4))
        self._labels = pn.Row(self._labelled, link, margin=0, sizing_mode="stretch_width")
        self._tools = LinkTools(session)
        self._prices = PriceTools(session)
        self.follow(session)
        self._on_draft()

    def __panel__(self) -> Any:
        return pn.Column(
            Html(step_heading(2, "Links and rules"), margin=(0, 4), sizing_mode="stretch_width"),
            self._title, self._labels, self._list, self._prices, self._tools,
            sizing_mode="stretch_width", margin=0,
        )  # fmt: skip

    def _act(self, message: dict[str, Any]) -> None:
        links = self._shown[message["place"]].links
        if message["what"] == "delete":
            self._session.edits.remove_links(links)
            return
        weight = inf if message["weight"] is None else float(message["weight"])
        self._session.edits.add_links([replace(link, weight=weight) for link in reversed(links)])

    @watches("draft", "pricing.known", "self._prices.highest_first")
    def _on_draft(self, *_: Any) -> None:
        draft, links = self._session.draft, self._session.draft.links
        known = labelled(draft)
        self._labels.visible = bool(known)
        self._labelled.object = f"{known:,} of {count(draft.n, 'row')} are labelled."
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

    @watches("player.shot", "repair.partition")
    def _refresh(self, *_: Any) -> None:
        links = self._session.draft.links
        shown = self._session.repair.partition or self._session.run
        labels = shown.labels if shown else None
        names = self._session.draft.data.names
        rows = [_row(entry, names, labels) | _priced(self._known, entry) for entry in self._shown]
        rows += [_row(Entry((link,)), names, follows=True) for link in self._implied.links]
        if rows != self._list.rows:
            self._list.rows = rows
        self._title.object = _summary(links, self._implied)


def _row(
    entry: Entry, names: Sequence[str], labels: IntArray | None = None, follows: bool = False
) -> dict[str, Any]:
    link = entry.links[0]
    broken = many_broken(entry.pairs, link.kind, labels)
    note = f"{broken:,} broken" if entry.is_group else "broken"
    return {
        "kind": link.kind, "pair": entry.words(names), "broken": broken > 0, "implied": follows,
        "weight": None if link.is_hard else link.weight, "source": link.source,
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
            "<b>Must-link</b> <kbd>M</kbd> or <b>Cannot-link</b> <kbd>C</kbd>.</p>"
        )
    must = int(links.is_must.sum())
    words = [count(must, "must-link"), count(len(links) - must, "cannot-link")]
    if follow.many:
        words.append(f"{follow.many:,} implied")
    if len(links) > _MOST_ROWS:
        words.append(f"the newest {_MOST_ROWS} below")
    if len(links) > MOST_LINES:
        words.append("drawn as a picture")
    line = Markup('<p style="color:var(--faint);margin:2px 0">{}</p>')
    return line.format(", ".join(words))


# --- Rules for every cluster: choose a kind, type a number, see whether each holds ----------------


_WITHOUT = {
    "": "", "run": "There is no run on these points yet: make one first.",
    **dict.fromkeys(("column", "columns"), "The data have no column of numbers."),
    "words": "The data have no column in which words or whole numbers repeat.",
}  # fmt: skip
"""What the form says where there is nothing that a rule could name."""


class RulesPanel(Component):
    """The rules in force, and a form for one more."""

    kinds = param.List(
        default=[
            {"label": each.label, "unit": each.unit, "help": each.help_text,
             "names": each.names, "without": _WITHOUT[each.names], "joins": each.is_anti_monotone}
            for each in RULE_KINDS.values()
        ],
        constant=True,
    )  # fmt: skip
    rows = param.List(default=[])
    runs = param.List(default=[])
    columns = param.Dict(default={})  # what rules may name, by `RuleKind.names`
    refused = param.String(default="")
    shown = param.Boolean(default=False)
    # Place of the rule to which the form adds another by *or*; -1 if it adds a rule by itself.
    joined = param.Integer(default=-1)

    _esm, _stylesheets = assets("rules.js", "rules.css")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, sizing_mode="stretch_width", margin=0, **params)
        self._named: Dataset | None = None  # what `columns` are of
        self._refresh()

    @watches("draft", "player.shot", "player.playing")
    def _refresh(self, *_: Any) -> None:
        session = self._session
        run = session.run
        # Rules are not measured while playing: it takes longer than a clustering is shown.
        answer = run.incumbent if run and not session.player.playing else None
        rows = [
            {"words": each.words, "verdict": each.verdict, "holds": each.holds,
             "joins": each.can_join}
            for each in rule_rows(session.draft.rules, answer)
        ]  # fmt: skip
        if rows != self.rows:
            # The places of rules have changed, unless it is only what holds that has.
            if [row["words"] for row in rows] != [row["words"] for row in self.rows]:
                self.param.update(joined=-1, refused="")
            self.rows = rows
        if self.shown:
            runs = [
                {"id": info.id, "label": f"{info.name} (k = {info.k}, {info.objective:,.4g})"}
                for info in runs_to_name(session)
            ]
            if runs != self.runs:
                self.runs = runs
            data = session.draft.data
            if data is not self._named:  # its words are looked for once
                self._named = data
                numbers, place = [*column_names(data)], place_columns(data)
                pair = [",".join(place)] if place is not None else []
                self.columns = {"column": numbers, "columns": [*pair, *numbers],
                                "words": [*words_to_name(data)]}  # fmt: skip

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "toggle":
            self.param.update(shown=not self.shown, joined=-1, refused="")
            self._refresh()
        elif what == "join":
            again = self.joined == message["place"]
            self.param.update(shown=True, joined=-1 if again else message["place"], refused="")
            self._refresh()
        elif what == "drop":
            drop_rule(session, session.draft.rules[message["place"]])
        else:
            kind = [*RULE_KINDS.values()][message["kind"]]
            place = None if self.joined < 0 else self.joined
            self.refused = add_rule(session, kind, message["limit"], message["named"], place)
