"""What is asked of the points: how many clusters, of what sizes, on features scaled how."""

from __future__ import annotations

from typing import Any

import panel as pn

from ccviz.data.scaling import LEARNED, LEARNED_LABEL, SCALINGS, scaling_name
from ccviz.problem.sizes import sizes_text
from ccviz.views.lab.session import Session
from ccviz.views.panels.following import Following

_NARROWEST_SIZES = 130
"""Pixels; beside the number of points there are fewer, and the field takes a line of its own."""


class ProblemFields:
    """Three fields that follow the session, to be put where there is room.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    k, sizes, scaling : Panel widgets
    """

    def __init__(self, session: Session) -> None:
        self._session, self._following = session, Following()
        half: Any = {"sizing_mode": "stretch_width", "margin": (2, 4)}
        self.k = pn.widgets.IntInput(
            name="Clusters k", value=session.draft.k, width=72, margin=(2, 4)
        )
        ways = {words: how for how, words in SCALINGS.items()} | {LEARNED_LABEL: LEARNED}
        self.scaling = pn.widgets.Select(
            name="Features", options=ways, styles={"flex": "1 1 0", "min-width": "0"},
            css_classes=["snug"], **half,
        )  # fmt: skip
        self.sizes = pn.widgets.TextInput(
            name="Sizes",
            placeholder="50, 50, 40-60",
            description="One number or range for all, or one each; or 'equal'; free if empty.",
            styles={"width": "auto", "flex": f"1 1 {_NARROWEST_SIZES}px"},
            **half,
        )
        on = self._following.unless
        self.k.param.watch(on(lambda event: self._set_k(event.new)), "value")
        self.scaling.param.watch(on(lambda event: self._set_scaling(event.new)), "value")
        self.sizes.param.watch(on(lambda event: session.set_sizes(event.new)), "value")
        session.param.watch(self._follow, "draft")
        self._follow()

    def _set_k(self, k: int | None) -> None:
        if k is not None:
            self._session.set_k(k)
        with self._following:  # nothing, or a refused number, gives way to the one in force
            self.k.value = self._session.draft.k

    def _set_scaling(self, scaling: str) -> None:
        self._session.set_scaling(scaling)
        with self._following:  # there may be no links to learn from
            self.scaling.value = scaling_name(self._session.draft.scaling)

    def _follow(self, *_: Any) -> None:
        draft = self._session.draft
        with self._following:
            self.k.value = draft.k
            self.sizes.value = sizes_text(draft.lower, draft.upper)
            self.scaling.value = scaling_name(draft.scaling)
