"""The line about compiling in progress; it disappears at the end."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.views.lab.preparation import Preparation, awaited_solver
from ccviz.views.lab.session import Session
from ccviz.views.panels.html import Html


class PreparationPanel(pn.viewable.Viewer):
    """One line at the foot of the page, as long as there is something to say.

    Parameters
    ----------
    session : Session
    preparation : Preparation
        The server's.
    """

    def __init__(self, session: Session, preparation: Preparation) -> None:
        super().__init__()
        self._session, self._preparation = session, preparation
        self._words = ""
        self._html = Html("", margin=0)
        self.tick()

    def __panel__(self) -> Any:
        return self._html

    def tick(self) -> None:
        """Say what there is to say now, if it is not what the page says already."""
        words = self._preparation.words(awaited_solver(self._session))
        if words != self._words:
            self._words = words
            told = Markup('<div class="about" role="status">{}</div>')
            self._html.object = told.format(words) if words else ""
