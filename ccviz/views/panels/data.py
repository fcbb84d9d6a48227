"""Which points, how many clusters, and what is drawn of them."""

from __future__ import annotations

from typing import Any

import panel as pn

from ccviz.datasets import BUNDLED, GENERATORS, load
from ccviz.views.draft import sizes_text
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.projection import SCALINGS, axis_names
from ccviz.views.session import Session

_UPLOADED = "a file"
_MOST_UPLOAD = "200MB"


class DataPanel(pn.viewable.Viewer):
    """Data set or file, k, scaling and axes."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._following = Following()
        names = {name.replace("_", " "): name for name in (*BUNDLED, *GENERATORS)}
        half: Any = {"sizing_mode": "stretch_width", "margin": (2, 4)}
        self._name = pn.widgets.Select(
            name="Data set", options=names, value=session.draft.data.name, **half
        )
        self._n = pn.widgets.IntInput(
            name="Points", value=300, start=4, end=50_000, step=50, **half
        )
        self._k = pn.widgets.IntInput(name="Clusters k", value=session.draft.k, start=1, **half)
        self._scaling = pn.widgets.Select(
            name="Features", options={words: how for how, words in SCALINGS.items()}, **half
        )
        self._sizes = pn.widgets.TextInput(
            name="Sizes of the clusters", placeholder="free; or 50, 50, 50; or 40-60, …", **half
        )
        self._x = pn.widgets.Select(name="Across", **half)
        self._y = pn.widgets.Select(name="Up", **half)
        self._file = pn.widgets.FileDropper(
            multiple=False, max_file_size=_MOST_UPLOAD, layout="integrated", height=36,
            sizing_mode="stretch_width", margin=(4, 4, 2, 4), css_classes=["dropper"],
        )  # fmt: skip
        self._watch()
        session.param.watch(self._follow, ["draft", "x_axis", "y_axis"])
        self._follow()

    def _watch(self) -> None:
        session, on = self._session, self._following.unless
        self._name.param.watch(on(lambda event: self._load(event.new)), "value")
        self._n.param.watch(on(lambda _: self._load(self._name.value)), "value")
        self._k.param.watch(on(lambda event: session.set_k(event.new)), "value")
        self._scaling.param.watch(on(lambda event: session.set_scaling(event.new)), "value")
        self._sizes.param.watch(on(lambda event: session.set_sizes(event.new)), "value")
        self._x.param.watch(on(lambda event: setattr(session, "x_axis", event.new)), "value")
        self._y.param.watch(on(lambda event: setattr(session, "y_axis", event.new)), "value")
        self._file.param.watch(self._on_file, "value")

    def __panel__(self) -> Any:
        return pn.Column(
            Html("<h2>Data</h2>", margin=(0, 4)),
            pn.Row(self._name, self._n, margin=0, sizing_mode="stretch_width"),
            self._file,
            pn.Row(self._k, self._scaling, margin=0, sizing_mode="stretch_width"),
            self._sizes,
            pn.Row(self._x, self._y, margin=0, sizing_mode="stretch_width"),
            sizing_mode="stretch_width", css_classes=["section"], margin=(0, 0, 8, 0),
        )  # fmt: skip

    def _load(self, name: str) -> None:
        if name == _UPLOADED:
            return
        options = {"n": self._n.value} if name in GENERATORS else {}
        self._session.load(load(name, **options))

    def _on_file(self, event: Any) -> None:
        for name, content in event.new.items():
            data = content.encode() if isinstance(content, str) else content
            self._session.load_file(name, data)
        self._follow()

    def _follow(self, *_: Any) -> None:
        session, data = self._session, self._session.draft.data
        axes = axis_names(data.features)
        with self._following:
            known = data.name in (*BUNDLED, *GENERATORS)
            if not known:
                self._name.options = {**self._name.options, data.name: data.name}
            self._name.value = data.name
            self._n.visible = data.name in GENERATORS
            if self._n.visible:
                self._n.value = session.draft.n
            self._k.value = session.draft.k
            self._sizes.value = sizes_text(session.draft)
            self._scaling.value = session.draft.scaling
            self._x.param.update(options=axes, value=session.x_axis)
            self._y.param.update(options=axes, value=session.y_axis)
