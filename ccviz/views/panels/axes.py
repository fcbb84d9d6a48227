"""Which plane of the data is drawn."""

from __future__ import annotations

from typing import Any

import panel as pn

from ccviz.views.frames.projection import offered_axes
from ccviz.views.lab.session import Session
from ccviz.views.panels.following import Following


class Axes:
    """Two lists that follow the session, to be put where there is room.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    x, y : Panel widgets
    """

    def __init__(self, session: Session) -> None:
        self._session, self._following = session, Following()
        bare: Any = {"width": 74, "margin": (0, 3, 0, 0), "css_classes": ["unlabelled"]}
        self.x = pn.widgets.Select(name="Across", **bare)
        self.y = pn.widgets.Select(name="Up", **bare)
        on = self._following.unless
        self.x.param.watch(on(lambda event: setattr(session, "x_axis", event.new)), "value")
        self.y.param.watch(on(lambda event: setattr(session, "y_axis", event.new)), "value")
        session.param.watch(self._follow, ["draft", "x_axis", "y_axis"])
        self._follow()

    def show(self, visible: bool) -> None:
        """Be seen, or not.

        Parameters
        ----------
        visible : bool
        """
        self.x.visible = self.y.visible = visible

    def _follow(self, *_: Any) -> None:
        session = self._session
        names = offered_axes(session.draft.data.features, session.draft.n)
        with self._following:
            self.x.param.update(options=names, value=session.x_axis)
            self.y.param.update(options=names, value=session.y_axis)
