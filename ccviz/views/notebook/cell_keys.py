"""The keyboard of the laboratory in a notebook cell."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from panel.custom import JSComponent

from ccviz.views.lab.keys import CELL_KEYS, key_actions, tell_keys
from ccviz.views.lab.session import Session
from ccviz.views.page.keyboard import with_keyboard
from ccviz.views.panels.messages import in_one_message


class CellKeys(JSComponent):
    """Passes keys to the session while the cell's laboratory has the focus.

    The notebook around it gets none of them, except with Ctrl or Cmd.

    Parameters
    ----------
    session : Session
    """

    _esm = with_keyboard(Path(__file__).parent / "cell_keys.js")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self._actions = key_actions(session) | {"?": partial(tell_keys, session, CELL_KEYS)}

    def _handle_msg(self, data: str) -> None:
        if data in self._actions:
            in_one_message(self._actions[data])()
