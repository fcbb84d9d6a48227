"""The page's own script: keys, and the theme outside the panels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.views.lab.keys import tell_keys
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.session import Session
from ccviz.views.panels.commit import held

_ROOMS = 6


class PageScript(JSComponent):
    """Listens to the keyboard, and paints the page light or dark.

    Parameters
    ----------
    session : Session
    painter : Painter
    show_room : callable
        Brings a tab on the right to the front, by its place.
    """

    dark = param.Boolean(default=False)

    _esm = Path(__file__).parent / "script.js"

    def __init__(
        self,
        session: Session,
        painter: Painter,
        show_room: Callable[[int], None],
        **params: Any,
    ) -> None:
        super().__init__(dark=session.dark, **params)
        self._actions: dict[str, Callable[..., Any]] = {
            "m": lambda: session.link("must"),
            "c": lambda: session.link("cannot"),
            "h": session.hold,
            "a": session.ask,
            "u": session.unsure,
            "p": painter.toggle,
            "?": partial(tell_keys, session),
            "escape": session.cancel,
            "z": session.undo,
            "y": session.redo,
            " ": session.play_or_pause,
            "arrowleft": session.playback.back,
            "arrowright": session.step,
            **{str(place + 1): partial(show_room, place) for place in range(_ROOMS)},
        }
        session.param.watch(lambda event: setattr(self, "dark", event.new), "dark")

    def _handle_msg(self, data: str) -> None:
        if data in self._actions:
            held(self._actions[data])()
