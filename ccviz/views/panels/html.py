"""A piece of HTML on the page."""

from __future__ import annotations

from typing import Any

import panel as pn


class Html(pn.pane.HTML):
    """HTML whose new text is sent alone.

    Panel sends every property with a text. In a tab that is not in front it takes them from
    outside the page, and would make all style sheets those of its CDN: an open page must work
    offline.
    """

    def _update(self, ref: str, model: Any) -> None:
        model.update(**self._process_param_change({"object": self.object}))
