"""One clock a session: it ticks whatever is busy, and ends the worker with the session.

It ticks faster after the start of a run, until the first picture is there, and leaves the browser's
messages as much time as its ticks take.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import panel as pn
import param
from bokeh.document import Document

from ccviz.views.lab.session import Session
from ccviz.views.panels.messages import one_message
from ccviz.views.panels.preparation import PreparationPanel

_PERIOD_MS = 140
_QUICK_MS = 25
_QUICK_LOOKS = 80


def keep_time(session: Session, preparation: PreparationPanel) -> None:
    """Tick the session while something is busy; close it when the browser leaves.

    The clock itself never stops: one that is started in the middle of a session may run outside
    the document's lock, and an idle tick costs nothing.
    """

    @with_rests
    def tick() -> None:
        if session.restless:
            with one_message():
                session.tick()
        preparation.tick()

    def end(_: Any) -> None:
        # The document is gone, so no panel may be notified.
        with param.discard_events(session.runner), param.discard_events(session.player):
            session.close()

    document = pn.state.curdoc
    pn.state.on_session_destroyed(end)
    if document is None:
        pn.state.add_periodic_callback(tick, period=_PERIOD_MS)
    else:
        # Panel's callback sends the browser a busy and an idle message at every tick: thirty idle
        # pages of a class took three quarters of a processor for that.
        document.add_periodic_callback(tick, _PERIOD_MS)
        _hurry(session, tick, document)


def with_rests(
    tick: Callable[[], None], now: Callable[[], float] = time.monotonic
) -> Callable[[], None]:
    """Return a function that ticks, and then does nothing for as long as the tick took.

    Ticks that take longer than their period would otherwise follow each other without a break. The
    browser then sends more in a tick than is read between two, so that a click on *Stop* would wait
    until the run ends.

    Parameters
    ----------
    tick : callable
    now : callable
        The time in seconds.
    """
    rests_until = -math.inf

    def tick_unless_resting() -> None:
        nonlocal rests_until
        began = now()
        if began >= rests_until:
            tick()
            ended = now()
            rests_until = ended + (ended - began)

    return tick_unless_resting


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
    """Whether the run that is shown has no labels yet."""
    run = session.run
    return run is None or run.labels is None
