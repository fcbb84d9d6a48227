"""A download button whose file is written on a click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.views.lab.download import Download, DownloadRequest, deliver
from ccviz.views.lab.session import Session
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_STYLE = css("file_button.css")


class FileButton(JSComponent):
    """The button; the page stays responsive while the file is written.

    Parameters
    ----------
    session : Session
    request : callable
        Returns how the file is written, or raises `CcvizError`.

    Attributes
    ----------
    label, hint : str
    ready : bool
        Whether it can be pressed.
    """

    label = param.String()
    hint = param.String(default="")
    ready = param.Boolean(default=True)

    _esm = with_template("file_button.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(
        self, session: Session, label: str, request: Callable[[], DownloadRequest], **params: Any
    ) -> None:
        super().__init__(label=label, **params)
        self._session, self._order = session, request

    def _handle_msg(self, _: Any) -> None:
        in_one_message(self.press)()

    def press(self) -> None:
        """Begin to write the file."""
        with self._session.in_words():
            deliver(self._session, self._order(), self._hand)

    def _hand(self, download: Download) -> None:
        self._send_msg(asdict(download))
