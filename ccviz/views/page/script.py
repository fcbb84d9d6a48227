"""The page's own script: keys, the theme outside the panels, and the way back to a lost server."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.views.keyboard import with_keyboard
from ccviz.views.lab.kept_drafts import KeptDrafts
from ccviz.views.lab.keys import PAGE_KEYS, key_actions, tell_keys
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.session import Session
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.status import present
from ccviz.views.share.address import way_back

_ROOMS = 6
_KEPT = [
    "draft", "solver", "seed", "time_limit", "gap_limit", "node_limit", "x_axis", "y_axis", "dark",
    "prefers_dark",
]  # fmt: skip
"""What an address holds of a session."""


class PageScript(JSComponent):
    """Listens to the keyboard, paints the page light or dark, and comes back to a lost server.

    Parameters
    ----------
    session : Session
    painter : Painter
    show_room : callable
        Brings a tab on the right to the front, by its place.
    drafts : KeptDrafts
        Where problems are put that no address holds.
    way_on : callable
        Returns what the address says of the page itself, such as its lesson.
    """

    dark = param.Boolean(default=False)
    presenting = param.Boolean(default=False)
    busy = param.Boolean(default=False)
    way_back = param.String(default="")
    can_undo = param.Boolean(default=False)

    _esm = with_keyboard(Path(__file__).parent / "script.js")

    def __init__(
        self,
        session: Session,
        painter: Painter,
        show_room: Callable[[int], None],
        drafts: KeptDrafts,
        way_on: Callable[[], str] = str,
        **params: Any,
    ) -> None:
        super().__init__(dark=session.dark, **params)
        self._actions: dict[str, Callable[..., Any]] = {
            **key_actions(session),
            "p": painter.toggle,
            "f": partial(present, session),
            "pagedown": partial(session.playback.leap, 1),
            "pageup": partial(session.playback.leap, -1),
            "?": partial(tell_keys, session, PAGE_KEYS),
            **{str(place + 1): partial(_digit, session, show_room, place)
               for place in range(_ROOMS)},
        }  # fmt: skip
        for name in ("dark", "presenting"):
            session.param.watch(lambda event: setattr(self, event.name, event.new), name)
        self._drafts, self._way_on = drafts, way_on
        self.remember(session)
        session.runner.param.watch(lambda *_: self.remember(session), ["state", "run_id"])
        session.player.param.watch(lambda *_: self.remember(session), "shot")
        session.param.watch(lambda *_: self.remember(session), _KEPT)

    def remember(self, session: Session) -> None:
        """Keep at hand what the page is about: its address follows, and a lost server is found."""
        self.param.update(
            busy=session.runner.busy,
            way_back="&".join(filter(None, (way_back(session, self._drafts), self._way_on()))),
            can_undo=session.can_undo,
        )

    def follow_system(self, session: Session, has_theme: bool) -> None:
        """Hear from the browser that its system is dark, and be dark too unless that was chosen.

        Parameters
        ----------
        session : Session
        has_theme : bool
            Whether the page's address says if it is light or dark.
        """
        heard = {"prefers_dark": True} | ({} if has_theme else {"dark": True})
        self._actions["prefers dark"] = partial(session.param.update, **heard)

    def _handle_msg(self, data: str) -> None:
        if data in self._actions:
            in_one_message(self._actions[data])()


def _digit(session: Session, show_room: Callable[[int], None], place: int) -> None:
    """Mark a point of the set asked about; without such a point, show a tab."""
    if not session.mark_odd(place):
        show_room(place)
