"""One clock a session: it moves what is restless, and ends the worker with the session."""

from __future__ import annotations

import panel as pn

from ccviz.views.session import Session

_PERIOD_MS = 120


def keep_time(session: Session) -> None:
    """Tick the session while it is restless; close it when the browser goes.

    The clock itself never stops: starting one in the middle of a session may run it outside the
    document's lock, and looking whether there is something to do costs nothing.
    """

    def tick() -> None:
        if session.restless:
            with pn.io.hold():
                session.tick()

    pn.state.add_periodic_callback(tick, period=_PERIOD_MS)
    pn.state.on_session_destroyed(lambda _: session.close())
