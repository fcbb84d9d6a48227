"""A field on which a file is dropped or chosen; its bytes arrive in parts, with the share shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.errors import FileFormatError
from ccviz.views.lab.download import Download, DownloadRequest, deliver
from ccviz.views.lab.importing import Upload, begin_upload
from ccviz.views.lab.session import Session
from ccviz.views.panels.base import Component, in_one_message, watches
from ccviz.views.panels.html import css, with_template

_FILE_FIELD_STYLE = css("file_field.css")


class FileField(JSComponent):
    """The field. The browser sends a part when the part before it has been answered.

    `take`: Is passed name and bytes of each file that has arrived whole.
    """

    label = param.String()  # What is dropped here, such as "Open, drop or paste a table"
    most_bytes = param.Integer()  # Size of the largest file that is taken
    # Whether the whole page takes a file that is dropped, and cells that are pasted.
    anywhere = param.Boolean(default=False)

    _esm = with_template("../keyboard.js", "file_field.js")
    _stylesheets = [_FILE_FIELD_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, take: Callable[[str, bytes], None], **params: Any) -> None:
        super().__init__(**params)
        self._take, self._upload = take, Upload("", 0)

    def _handle_msg(self, part: dict[str, Any]) -> None:
        try:
            self._add(part)
        except FileFormatError as refused:
            self._upload = Upload("", 0)
            self._answer(part, refusal=str(refused))
            return
        upload = self._upload
        self._answer(part, arrived=len(upload.content))
        if upload.is_whole:
            self._upload = Upload("", 0)
            in_one_message(self._take)(upload.name, bytes(upload.content))

    def _add(self, part: dict[str, Any]) -> None:
        if part["at"] == 0:
            self._upload = begin_upload(part["name"], part["size"], self.most_bytes)
        self._upload.add(part["at"], part["data"])

    def _answer(self, part: dict[str, Any], **answer: Any) -> None:
        self._send_msg({"upload": part["upload"], **answer})


# --- A download button whose file is written on a click -------------------------------------------


_FILE_BUTTON_STYLE = css("file_button.css")


class FileButton(Component):
    """The button; the page stays responsive while the file is written.

    `request`: Returns how the file is written, or raises `CcvizError`. `is_ready`: Whether the run
    that is shown can be written; always, if not given.
    """

    label = param.String()
    hint = param.String(default="")
    ready = param.Boolean(default=True)

    _esm = with_template("file_button.js")
    _stylesheets = [_FILE_BUTTON_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(
        self,
        session: Session,
        label: str,
        request: Callable[[], DownloadRequest],
        is_ready: Callable[[], bool] = lambda: True,
        **params: Any,
    ) -> None:
        super().__init__(label=label, ready=is_ready(), **params)
        self._session, self._order, self._is_ready = session, request, is_ready
        self.follow(session)

    @watches("player.shot")
    def _on_shot(self, _: Any) -> None:
        self.ready = self._is_ready()

    def _act(self, _: Any) -> None:
        self.press()

    def press(self) -> None:
        """Begin to write the file."""
        with self._session.reporting_errors():
            deliver(self._session, self._order(), self._hand)

    def _hand(self, download: Download) -> None:
        self._send_msg(asdict(download))
