"""Which points, how they are scaled, how many clusters of what sizes."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import partial
from typing import Any

import panel as pn
import param
from markupsafe import Markup

from ccviz.data.datasets import GENERATORS, NAMES, Dataset, load
from ccviz.data.scaling import (
    CHOICES,
    LEARNED,
    LEARNED_LABEL,
    SCALINGS,
    dominated,
    is_weighted,
)
from ccviz.data.sheet import Sheet
from ccviz.feasibility.cure import Cure
from ccviz.numbers import count, number, whole
from ccviz.problem.sizes import sizes_text
from ccviz.studies.choose_k import FREE, LEAST, ChosenK
from ccviz.studies.elbow import columns, find_elbow, findings, in_words
from ccviz.studies.elbow_step import Step
from ccviz.views.frames.clusters import is_outdated, listed_weights, origin_words
from ccviz.views.frames.tables import FIRST_ROWS, lines, preview
from ccviz.views.lab.elbow import Elbow
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.loading import load_data
from ccviz.views.lab.session import Session
from ccviz.views.panels.base import (
    WIDE,
    Component,
    FileField,
    Following,
    Html,
    Panel,
    Watching,
    about,
    assets,
    button,
    css,
    step_heading,
    watches,
)

# --- How many clusters? The sheet over the page that sweeps k, with proved bounds beside ----------


_FIRST = (
    "Each k is clustered under your links. The elbow is the k beyond which more clusters lower the "
    "objective little. The lower bounds say how far that is proved."
)
_ALIKE = f"Choose {SCALINGS['standard']!r} under Features, and all count alike."
_NO_SIZES = "Sizes are for one number of clusters, and are left aside; rules on sizes count."
_CHOICES = {LEAST: "looking for the fewest clusters…", FREE: "looking for the k that costs least…"}


class ElbowPanel(Component):
    """The sweep, over the page."""

    content = param.Dict(
        default={"columns": [], "rows": [], "words": _FIRST, "busy": False}
        | {"k": 0, "elbow": 0, "chosen": 0}
    )
    shown = param.Boolean(default=False)

    _esm, _stylesheets = assets("elbow.js", "dialog.css", "elbow.css")

    @watches("elbow.steps", "elbow.at", "elbow.chosen", "self.shown")
    def _refresh(self, *_: Any) -> None:
        sweep = self._session.elbow
        elbow = find_elbow(sweep.steps)
        self.content = {
            "columns": columns(sweep.must_keep),
            "rows": [_row(step, sweep.must_keep) for step in sweep.steps],
            "words": _words(sweep, bool(self._session.draft.lower)),
            "busy": sweep.busy,
            "k": self._session.draft.k,
            "elbow": elbow.k if elbow is not None and elbow.is_sure else 0,
            "chosen": sweep.chosen.k if isinstance(sweep.chosen, ChosenK) else 0,
        }

    @watches("elbow.at")
    def _open(self, event: Any) -> None:
        """Show who asked elsewhere for the least k that it is looked for."""
        self.shown = self.shown or (event.new is not None and not event.new.numbers)

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "start":
            self._start(message)
        elif what == "stop":
            session.elbow.stop()
        else:
            if what == "take" and session.elbow.rules is not None:
                session.edits.cure(Cure("", False, k=message["k"]), session.elbow.rules)
            elif what == "take":
                session.edits.set_k(message["k"])
            else:
                session.elbow.stop()
            session.elbow.chosen = None  # proved of the problem as it was
            self.shown = False

    def _start(self, message: dict[str, Any]) -> None:
        session, before = self._session, self._session.notice
        with session.reporting_errors():
            if choice := message.get("choice"):
                session.elbow.choose(session.draft, choice, session.seed)
            else:
                low, high = (int(message[end]) for end in ("low", "high"))
                seconds = max(0.0, float(message["seconds"]))
                session.elbow.start(session.draft, low, high, seconds, session.seed)
        if session.notice is not None and session.notice is not before:
            self.content = self.content | {"words": session.notice.text}


def _words(sweep: Elbow, has_sizes: bool) -> str:
    """Return what is being worked out, or else what the steps say."""
    if sweep.at is None:
        chosen, draft = sweep.chosen, sweep.draft
        choice = chosen.words if isinstance(chosen, ChosenK) else chosen
        by_cost = bool(sweep.steps) or (isinstance(chosen, ChosenK) and chosen.choice == FREE)
        alone = "" if draft is None else dominated(draft.X, draft.data.features, _ALIKE)
        said = [choice] if choice else list(findings(sweep.steps)) or [_FIRST]
        return "\n".join(filter(None, (alone * by_cost, *said, _NO_SIZES * has_sizes)))
    if not sweep.at.numbers:
        return _CHOICES[sweep.at.what]
    low, high = sweep.at.numbers[0], sweep.at.numbers[-1]
    numbers = f"k = {low} to {high}" if low < high else f"k = {low}"
    return f"{numbers}: {sweep.at.what}…"


def _row(step: Step, must_keep: bool) -> dict[str, Any]:
    return {
        "k": step.k,
        "objective": step.objective if math.isfinite(step.objective) else None,
        "bound": step.lower_bound if math.isfinite(step.lower_bound) else None,
        "cells": in_words(step, must_keep)[1:],
    }


# --- The weights of the features: what each counts, and a button that learns them again -----------


_MOST_LISTED = 60
"""Features in the list; those that count less are only counted."""

_LIST = Markup(
    "<details><summary>{}</summary>"
    '<div tabindex="0" role="region" aria-label="Weights of the features">'
    "<table><thead><tr><th>Feature</th>"
    '<th title="Part of the squared distances between points">Share</th>'
    '<th title="Of squared differences, in the unit of the feature">Weight</th></tr></thead>'
    "<tbody>{}</tbody></table>{}</div></details>"
)
_ROW = Markup("<tr><td>{}</td><td>{}</td><td>{}</td></tr>")


class FeatureWeightsPanel(Panel):
    """Seen only while the features are weighted."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._shown = session, ""
        wide: Any = {
            "sizing_mode": "stretch_width",
            "margin": (0, 4),
            "stylesheets": [css("feature_weights.css")],
        }
        self._words = Html("", name="weights of the features", **wide)
        self._list = Html("", name="list of weights", **wide)
        self._again = button(
            "Learn again",
            partial(session.edits.set_scaling, LEARNED),
            margin=(0, 4),
            css_classes=["advice"],
        )
        self._box = pn.Column(
            pn.Row(self._words, self._again, sizing_mode="stretch_width", margin=0), self._list,
            sizing_mode="stretch_width", margin=(0, 0, 4, 0), visible=False,
        )  # fmt: skip
        self.follow(session)
        self._on_draft()

    @watches("draft")
    def _on_draft(self, *_: Any) -> None:
        draft = self._session.draft
        weighted = is_weighted(draft.scaling)
        if weighted:
            self._words.object = about(origin_words(draft))
            self._again.visible = bool(draft.links) and is_outdated(draft)
            if draft.scaling != self._shown:  # every edit of a link passes here
                self._shown, self._list.object = draft.scaling, self._listed()
        self._box.visible = weighted

    def _listed(self) -> Markup:
        found = listed_weights(self._session.draft)
        rows = Markup().join(
            _ROW.format(each.name, f"{each.share:.1%}", number(each.weight, 4))
            for each in found[:_MOST_LISTED]
        )
        most = ", ".join(f"{each.name} {each.share:.0%}" for each in found[:2])
        rest = len(found) - _MOST_LISTED
        more = about(f"and {count(rest, 'feature')} that count less" if rest > 0 else "")
        return _LIST.format(f"Most: {most}", rows, more)


# --- What is asked of the points: how many clusters, of what sizes, on features scaled how --------


_NARROWEST_SIZES = 130
"""Pixels; beside the number of points there are fewer, and the field takes a line of its own."""


class ProblemFields(Watching):
    """Three fields that follow the session, to be put where there is room."""

    def __init__(self, session: Session) -> None:
        self._session, self._following = session, Following()
        self.k = pn.widgets.IntInput(
            name="Clusters k", value=session.draft.k, width=72, margin=(2, 4)
        )
        ways = {words: how for how, words in [*CHOICES, (LEARNED, LEARNED_LABEL)]}
        self.scaling = pn.widgets.Select(
            name="Features", options=ways, styles={"flex": "1 1 0", "min-width": "0"},
            css_classes=["snug"], **WIDE,
        )  # fmt: skip
        self.sizes = pn.widgets.TextInput(
            name="Sizes",
            placeholder="50, 50, 40-60",
            description="One number or range for all, or one each; or 'equal'; free if empty.",
            styles={"width": "auto", "flex": f"1 1 {_NARROWEST_SIZES}px"},
            **WIDE,
        )
        following, edits = self._following, session.edits
        following.hear_or_restore(self.k, edits.set_k, lambda: session.draft.k)
        following.hear_or_restore(
            self.scaling, edits.set_scaling, lambda: session.draft.scaling_name
        )
        following.hear(self.sizes, self._set_sizes)
        self.follow(session)
        self._on_draft()

    def _set_sizes(self, text: str) -> None:
        self._session.edits.set_sizes(text)
        notice = self._session.notice
        refused = notice is not None and notice.kind == "error"
        self.sizes.css_classes = ["wrong"] if refused else []  # the text stays, to be mended

    @watches("draft")
    def _on_draft(self, *_: Any) -> None:
        draft = self._session.draft
        with self._following:
            self.k.value = draft.k
            self.sizes.param.update(
                value=_short(sizes_text(draft.lower, draft.upper)), css_classes=[]
            )
            self.scaling.value = draft.scaling_name


def _short(sizes: str) -> str:
    """Return sizes as one where all are alike and the field would cut them."""
    alike = set(sizes.split(", "))
    return alike.pop() if len(alike) == 1 and len(sizes) > _FIELD else sizes


_FIELD = 16
"""Letters that the field of the sizes shows."""

_MOST_BYTES = 200_000_000
"""Size of the largest file with a table that is taken."""


class DataPanel(Panel):
    """Data set or file, k, sizes and scaling."""

    def __init__(self, session: Session, importing: Importing) -> None:
        super().__init__()
        self._session, self._importing = session, importing
        self._following = Following()
        names = {name.replace("_", " "): name for name in NAMES}
        self._name = pn.widgets.Select(
            name="Data set",
            options=names,
            value=session.draft.data.name,
            styles={"flex": "1.33 1 0", "min-width": "0"},
            css_classes=["snug"],
            **WIDE,
        )
        self._n = pn.widgets.IntInput(
            name="Points", value=300, start=4, end=50_000, step=50, width=76, margin=(2, 4)
        )
        self._fields, self._weights = ProblemFields(session), FeatureWeightsPanel(session)
        self.file = FileField(
            self._take, label="Open, drop or paste a table", most_bytes=_MOST_BYTES, anywhere=True,
            sizing_mode="stretch_width", margin=(4, 4, 2, 4), css_classes=["table-file"],
        )  # fmt: skip
        self._elbow = ElbowPanel(session)
        self._which = pn.widgets.Button(name="Which k?", margin=(0, 4), css_classes=["advice"])
        self._which.on_click(lambda _: setattr(self._elbow, "shown", True))
        self._own: dict[str, Dataset] = {}
        self._following.hear(self._name, self._load)
        self._following.hear(self._n, lambda _: self._load(self._name.value))
        self.follow(session)
        self._on_draft()

    def __panel__(self) -> Any:
        return pn.Column(
            pn.Row(
                Html(step_heading(1, "Data"), margin=(0, 4), sizing_mode="stretch_width"),
                self._which, margin=0, height=24, sizing_mode="stretch_width",
                css_classes=["head"],
            ),
            pn.Row(self._name, self._fields.scaling, margin=0, sizing_mode="stretch_width"),
            self._weights,
            self.file,
            pn.FlexBox(
                self._fields.k, self._n, self._fields.sizes, margin=0, sizing_mode="stretch_width"
            ),
            pn.Row(self._elbow, width=0, height=0, margin=0),
            sizing_mode="stretch_width", css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip

    def _load(self, name: str) -> None:
        options = {"n": self._n.value} if name in GENERATORS else {}
        with self._session.reporting_errors():
            self._session.person.quota.check_generated(options.get("n", 0))
            load_data(self._session, self._own.get(name) or load(name, **options))

    def _take(self, name: str, content: bytes) -> None:
        self._importing.read_file(name, content)
        self._on_draft()

    @watches("draft")
    def _on_draft(self, *_: Any) -> None:
        session, data = self._session, self._session.draft.data
        with self._following:
            name = data.name
            if not data.is_named:
                name += " (own)" if name in NAMES else ""
                self._own[name] = data
                self._name.options = {**self._name.options, name: name}
            self._name.value = name
            self._n.visible = name in GENERATORS
            if self._n.visible:
                self._n.value = session.draft.n


# --- The sheet over the page on which it is decided what the columns of a table are ---------------


class SheetPanel(Component):
    """A table that waits to be loaded, over the page."""

    sheet = param.Dict(default={})

    _esm, _stylesheets = assets("sheet.js", "dialog.css", "sheet.css")

    def __init__(self, importing: Importing, **params: Any) -> None:
        super().__init__(**params)
        self._importing = importing
        self.follow(importing=importing)
        self._refresh()

    @watches(
        "importing.sheet", "importing.decisions", "importing.missing", "importing.scaling",
        "importing.refusal",
    )  # fmt: skip
    def _refresh(self, *_: Any) -> None:
        self.sheet = content(self._importing)

    def _act(self, message: dict[str, Any]) -> None:
        importing, what = self._importing, message["what"]
        if what == "role":
            importing.take_as({message["column"]: message["role"]})
        elif what in ("missing", "scaling"):
            setattr(importing, what, message["value"])
        elif what == "word":
            importing.take_as_missing(str(message["value"]))
        elif what == "none":
            importing.leave_out()
        elif what == "load":
            importing.load()
        elif what == "cancel":
            importing.cancel()
        elif importing.sheet is not None:
            importing.read_again(**_another_way(importing.sheet, what, str(message["value"])))


def _another_way(sheet: Sheet, field: str, value: str) -> dict[str, Any]:
    """Return the argument of `Importing.read_again` for a field of the sheet."""
    if field == "unknown":
        return {"unknown": tuple(filter(None, map(str.strip, value.split(","))))}
    if field == "skip_rows":
        return {"skip": (whole(value), sheet.skip[1])}
    if field == "skip_last":
        return {"skip": (sheet.skip[0], whole(value))}
    return {"header": whole(value)} if field == "header" else {"worksheet": value}


def content(importing: Importing) -> dict[str, Any]:
    """Return what the sheet shows; nothing if no table waits."""
    sheet = importing.sheet
    if sheet is None:
        return {}
    gaps = sheet.gaps(importing.decisions)
    features = sum(each.role == "feature" for each in importing.decisions)
    own = sum(not each.aside for each in sheet.columns)
    words = f"{count(gaps.values, 'value')} in {gaps.rows:,} of {count(gaps.of, 'row')} missing:"
    return {
        "title": f"{sheet.file}: {count(sheet.n, 'row')}, {count(own, 'column')}",
        "lines": [asdict(each) for each in lines(sheet, importing.decisions)],
        "rows": min(FIRST_ROWS, sheet.n),
        "worksheets": list(sheet.table.worksheets),
        "worksheet": sheet.table.worksheet,
        "header": sheet.table.header,
        "unit": sheet.table.unit,
        "skipped": list(sheet.table.skipped),
        "remarks": list(sheet.remarks(importing.decisions)),
        "bad": list(sheet.bad_words(importing.decisions)),
        "preview": preview(importing.preview(), importing.scaling),
        "gaps": words if gaps.values else "",
        "missing": importing.missing,
        "unknown": ", ".join(sheet.unknown),
        "apart": f"{count(features, 'column')} of features, scaled:",
        "scalings": list(map(list, CHOICES)),
        "scaling": importing.scaling,
        "refusal": importing.refusal,
    }
