"""Which points, how they are scaled, how many clusters of what sizes."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.data.datasets import GENERATORS, NAMES, Dataset, load
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.loading import load_data
from ccviz.views.lab.session import Session
from ccviz.views.panels.elbow import ElbowPanel
from ccviz.views.panels.feature_weights import FeatureWeightsPanel
from ccviz.views.panels.file_field import FileField
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.panels.problem_fields import ProblemFields

_MOST_BYTES = 200_000_000
"""Size of the largest file with a table that is taken."""


class DataPanel(pn.viewable.Viewer):
    """Data set or file, k, sizes and scaling."""

    def __init__(self, session: Session, importing: Importing) -> None:
        super().__init__()
        self._session, self._importing = session, importing
        self._following = Following()
        names = {name.replace("_", " "): name for name in NAMES}
        half: Any = {"sizing_mode": "stretch_width", "margin": (2, 4)}
        self._name = pn.widgets.Select(
            name="Data set",
            options=names,
            value=session.draft.data.name,
            styles={"flex": "1.33 1 0", "min-width": "0"},
            css_classes=["snug"],
            **half,
        )
        self._n = pn.widgets.IntInput(
            name="Points", value=300, start=4, end=50_000, step=50, width=76, margin=(2, 4)
        )
        self._fields, self._weights = ProblemFields(session), FeatureWeightsPanel(session)
        self._file = FileField(
            self._take, label="Drop a table, or choose one", most_bytes=_MOST_BYTES,
            sizing_mode="stretch_width", margin=(4, 4, 2, 4), css_classes=["table-file"],
        )  # fmt: skip
        self._elbow = ElbowPanel(session)
        self._which = pn.widgets.Button(name="Which k?", margin=(0, 4), css_classes=["advice"])
        self._which.on_click(lambda _: setattr(self._elbow, "shown", True))
        self._own: dict[str, Dataset] = {}
        self._watch()
        session.param.watch(self._follow, "draft")
        self._follow()

    def _watch(self) -> None:
        on = self._following.unless
        self._name.param.watch(on(lambda event: self._load(event.new)), "value")
        self._n.param.watch(on(lambda _: self._load(self._name.value)), "value")

    def __panel__(self) -> Any:
        return pn.Column(
            pn.Row(
                Html(Markup("<h2>Data</h2>"), margin=(0, 4), sizing_mode="stretch_width"),
                self._which, margin=0, height=24, sizing_mode="stretch_width",
                css_classes=["head"],
            ),
            pn.Row(self._name, self._fields.scaling, margin=0, sizing_mode="stretch_width"),
            self._weights,
            self._file,
            pn.FlexBox(
                self._fields.k, self._n, self._fields.sizes, margin=0, sizing_mode="stretch_width"
            ),
            pn.Row(self._elbow, width=0, height=0, margin=0),
            sizing_mode="stretch_width", css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip

    def _load(self, name: str) -> None:
        options = {"n": self._n.value} if name in GENERATORS else {}
        with self._session.in_words():
            self._session.person.quota.check_generated(options.get("n", 0))
            load_data(self._session, self._own.get(name) or load(name, **options))

    def _take(self, name: str, content: bytes) -> None:
        self._importing.bring(name, content)
        self._follow()

    def _follow(self, *_: Any) -> None:
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
