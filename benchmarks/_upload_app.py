"""Two fields for a file on one page, for the upload benchmark: Panel's and the project's."""

from __future__ import annotations

from typing import Any

import panel as pn

from ccviz.views.panels.file_field import FileField

pn.extension("filedropper")


def page() -> Any:
    """Return both fields, each with the number of bytes that have arrived by it."""
    panels, own = pn.pane.Str("", css_classes=["panels"]), pn.pane.Str("", css_classes=["own"])
    dropper = pn.widgets.FileDropper(multiple=False, width=300)

    def say(content: bytes | str, words: Any) -> None:
        words.object = f"{len(content)} bytes"

    dropper.param.watch(lambda event: [say(each, panels) for each in event.new.values()], "value")
    field = FileField(
        lambda _, content: say(content, own), label="Drop", most_bytes=10**9, width=300
    )
    return pn.Column(dropper, panels, field, own)


page().servable()
