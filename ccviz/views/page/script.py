"""The page's own script: keys, the theme outside the panels, and the way back to a lost server."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import param
from bokeh.document import Document

from ccviz.views.lab.painter import Painter
from ccviz.views.lab.personal_archive import KeptDrafts
from ccviz.views.lab.session import PAGE_KEYS, Session, key_actions, show_keys, with_keyboard
from ccviz.views.lessons.course import Course
from ccviz.views.panels.base import Component, one_message, watches
from ccviz.views.panels.header import PreparationPanel
from ccviz.views.panels.player import present
from ccviz.views.share.address import reload_query

_ROOMS = 6
_KEPT = (
    "draft", "solver", "seed", "time_limit", "gap_limit", "node_limit", "x_axis", "y_axis", "dark",
    "prefers_dark",
)  # fmt: skip
"""What an address holds of a session."""


class PageScript(Component):
    """Listens to the keyboard, paints the page light or dark, and comes back to a lost server.

    `show_room`: Brings a tab on the right to the front, by its place. `drafts`: Where problems are
    put that no address holds. `way_on`: Returns what the address says of the page itself, such as
    its lesson. `course`: Where lessons begin and end.
    """

    dark = param.Boolean(default=False)
    presenting = param.Boolean(default=False)
    busy = param.Boolean(default=False)
    reload_query = param.String(default="")
    can_undo = param.Boolean(default=False)
    run = param.String(default="", doc="The run that is shown; figures show the whole of another.")
    data = param.String(default="", doc="The data, of which the tab of the browser has the name.")

    _esm = with_keyboard(Path(__file__).parent / "script.js")

    def __init__(
        self,
        session: Session,
        painter: Painter,
        show_room: Callable[[int], None],
        drafts: KeptDrafts,
        way_on: Callable[[], str] = str,
        course: Course | None = None,
        **params: Any,
    ) -> None:
        super().__init__(dark=session.dark, **params)

        def mark_or_show(place: int) -> None:
            """Mark a point of the set asked about; without such a point, show a tab."""
            if not session.edits.mark_odd(place):
                show_room(place)

        self._actions: dict[str, Callable[..., Any]] = {
            **key_actions(session),
            "p": painter.toggle,
            "f": partial(present, session),
            "pagedown": partial(session.playback.leap, 1),
            "pageup": partial(session.playback.leap, -1),
            "?": partial(show_keys, session, PAGE_KEYS),
            **{str(place + 1): partial(mark_or_show, place) for place in range(_ROOMS)},
        }  # fmt: skip
        self._session, self._drafts, self._way_on = session, drafts, way_on
        self.remember()
        self.follow(session, course=course)

    @watches("dark", "presenting")
    def _on_look(self, *events: Any) -> None:
        self.param.update(**{event.name: event.new for event in events})

    @watches("runner.state", "runner.run_id", "player.shot", "course.lesson", *_KEPT)
    def remember(self, *_: Any) -> None:
        """Keep at hand what the page is about: its address follows, and a lost server is found."""
        session = self._session
        self.param.update(
            busy=session.runner.busy,
            reload_query="&".join(
                filter(None, (reload_query(session, self._drafts), self._way_on()))
            ),
            can_undo=session.edits.can_undo,
            run=session.player.run_id,
            data=session.draft.data.name,
        )

    def follow_system(self, session: Session, has_theme: bool) -> None:
        """Hear from the browser that its system is dark, and be dark too unless that was chosen.

        `has_theme`: Whether the page's address says if it is light or dark.
        """
        heard = {"prefers_dark": True} | ({} if has_theme else {"dark": True})
        self._actions["prefers dark"] = partial(session.param.update, **heard)

    def _act(self, message: str) -> None:
        if message in self._actions:
            self._actions[message]()


# --- One clock a session: it ticks whatever is busy, and ends the worker with the session ---------
#
# It ticks faster after the start of a run, until the first picture is there, and leaves the
# browser's messages as much time as its ticks take.


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
        if session.needs_tick:
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
        run = session.run
        if looks > 0 and session.runner.busy and (run is None or run.labels is None):
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
