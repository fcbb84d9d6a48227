"""One clock a session: it moves what is restless, and ends the worker with the session.

It goes faster for a moment after a run was begun, until its first picture is there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from bokeh.document import Document

from ccviz.views.lab.session import Session
from ccviz.views.panels.commit import together
from ccviz.views.panels.preparation import PreparationPanel

_PERIOD_MS = 140
_QUICK_MS = 25
_QUICK_LOOKS = 80


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

    document = pn.state.curdoc
    pn.state.on_session_destroyed(end)
    if document is None:
        pn.state.add_periodic_callback(tick, period=_PERIOD_MS)
    else:
        # Panel's own would tell the browser, at every look, that the server is busy and is not:
        # a class of thirty idle pages kept three quarters of a processor at that.
        document.add_periodic_callback(tick, _PERIOD_MS)
        _hurry(session, tick, document)


def _hurry(session: Session, tick: Callable[[], None], document: Document) -> None:
    """Tick more often between the start of a run and its first picture."""
    looks = 0

    def look() -> None:
        nonlocal looks
        tick()
        looks -= 1
        if looks > 0 and session.runner.busy and _awaits_picture(session):
            document.add_timeout_callback(look, _QUICK_MS)
        else:
            looks = 0

    def begin(event: Any) -> None:
        nonlocal looks
        if event.new not in ("running", "paused"):
            return
        if not looks:
            document.add_timeout_callback(look, _QUICK_MS)
        looks = _QUICK_LOOKS

    session.runner.param.watch(begin, "state")


def _awaits_picture(session: Session) -> bool:
    """Whether the run that is shown has not given any point its cluster."""
    run = session.run
    return run is None or run.labels is None
