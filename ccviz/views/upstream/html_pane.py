"""An HTML pane behind another tab makes the page load its style sheets from a CDN.

Defect: with a new text `panel.pane.HTML` sends all its properties. In a tab that is not in front
the style sheets among them are links to Panel's CDN, so an open page would not work offline.
Seen in: Panel 1.9.4.
Upstream: near https://github.com/holoviz/panel/pull/5278 (style sheets sent needlessly).
"""

from __future__ import annotations

from typing import Any

import panel as pn


class HTMLPane(pn.pane.HTML):
    """HTML of which an update sends the text alone."""

    def _update(self, ref: str, model: Any) -> None:
        model.update(**self._process_param_change({"object": self.object}))
