"""The field that picks points by number or name, and suggests names while one types."""

from __future__ import annotations

from typing import Any

import param
from panel.custom import JSComponent

from ccviz.data.names import NameBook, suggest
from ccviz.views.lab.session import Session
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_STYLE = css("point_field.css")


class PointField(JSComponent):
    """Names stay on the server, which sends the few that match the typed text.

    Parameters
    ----------
    session : Session
    """

    named = param.Boolean(default=False)
    suggestions = param.Dict(default={"text": "", "names": []})

    _esm = with_template("point_field.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, **params)
        self._session = session
        session.param.watch(self._follow, "draft")
        self._follow()

    def _follow(self, *_: Any) -> None:
        self.named = bool(self._session.draft.data.names)

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        text, names = str(message["text"]), self._session.draft.data.names
        if message["what"] == "type":
            word = text.rpartition(",")[2]
            self.suggestions = {"text": text, "names": suggest(names, word)}
        else:
            self._pick(text)

    def _pick(self, text: str) -> None:
        session = self._session
        with session.in_words():
            session.pick_group(NameBook(session.draft.n, session.draft.data.names).read(text))
            self._send_msg("picked")
