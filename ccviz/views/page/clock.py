"""One clock a session: it moves what is restless, and ends the worker with the session."""

from __future__ import annotations

from typing import Any

import panel as pn
import param

from ccviz.views.lab.session import Session
from ccviz.views.panels.commit import together
from ccviz.views.panels.preparation import PreparationPanel

_PERIOD_MS = 140


def keep_time(session: Session, preparation: PreparationPanel | None = None) -> None:
    """Tick the session while it is restless; close it when the browser goes.

    The clock itself never stops: starting one in the middle of a session may run it outside the
    document's lock, and looking whether there is something to do costs nothing.
    """

    def tick() -> None:
        if session.restless:
            with together():
                session.tick()
        if preparation is not None:
            preparation.tick()

    def end(_: Any) -> None:
        # The document is gone: a panel that heard of it would draw on nothing.
        with param.discard_events(session.runner), param.discard_events(session.player):
            session.close()

    pn.state.add_periodic_callback(tick, period=_PERIOD_MS)
    pn.state.on_session_destroyed(end)
