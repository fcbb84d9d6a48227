"""Inside the solver: tabs for those views that the run has, and the bounds under them."""

from __future__ import annotations

from typing import Any

import panel as pn
import param

from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.lab.view import View
from ccviz.views.panels.proof_bounds import ProofBounds


class InsidePanel(pn.viewable.Viewer):
    """The tabs; only the one in front is drawn.

    Attributes
    ----------
    in_front : bool
        Whether they are visible; hidden ones are not drawn.
    """

    in_front = param.Boolean(default=True)

    def __init__(self, session: Session, inspection: Inspection, **params: Any) -> None:
        super().__init__(**params)
        self._session, self._inspection = session, inspection
        self._shown: tuple[View, ...] = ()
        self._panels: dict[str, Any] = {}
        self._tabs = pn.Tabs(sizing_mode="stretch_both", margin=0, dynamic=True, visible=False)
        self._bounds: ProofBounds | None = None
        self._column = pn.Column(self._tabs, sizing_mode="stretch_both", margin=0)
        self._tabs.param.watch(self._refresh, "active")
        inspection.param.watch(self._refresh, "moved")
        self.param.watch(self._refresh, "in_front")
        self._refresh()

    def __panel__(self) -> Any:
        return self._column

    def _refresh(self, *_: Any) -> None:
        if self._inspection.views != self._shown:
            self._arrange(self._inspection.views)
        if self._shown and self.in_front:
            self._panels[self._shown[self._tabs.active].name].refresh()
            self._refresh_bounds()
        elif not self._shown and self._bounds is not None:  # those of the run before go
            self._bounds.refresh()

    def _refresh_bounds(self) -> None:
        if self._bounds is None:  # made when it is first seen: the page opens sooner
            self._bounds = ProofBounds(self._session, self._inspection)
            self._bounds.refresh()
            self._column.append(self._bounds)
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
