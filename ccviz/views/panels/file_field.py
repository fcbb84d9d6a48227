"""A field on which a file is dropped or chosen; its bytes arrive in parts, with the share shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.errors import FileFormatError
from ccviz.views.lab.upload import Upload, begin_upload
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_STYLE = css("file_field.css")


class FileField(JSComponent):
    """The field. The browser sends a part when the part before it has been answered.

    Parameters
    ----------
    take : callable
        Is passed name and bytes of each file that has arrived whole.

    Attributes
    ----------
    label : str
        What is dropped here, such as "Drop a table, or choose one".
    most_bytes : int
        Size of the largest file that is taken.
    """

    label = param.String()
    most_bytes = param.Integer()

    _esm = with_template("file_field.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

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
