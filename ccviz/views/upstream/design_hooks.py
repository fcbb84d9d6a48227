"""Panel restyles a whole layout when one of its tabs changes.

Defect: `Design._apply_hooks` visits everything in a layout that changed, even without new
children: for each change of a tab and each part that is shown or hidden.
Seen in: Panel 1.9.4.
Upstream: near https://github.com/holoviz/panel/pull/5278 (style sheets applied needlessly).
"""

from __future__ import annotations

from typing import Any

from panel.layout.base import Panel
from panel.theme import Native


class Design(Native):
    """Panel's native design, applied only to new parts of a page."""

    def _apply_hooks(self, viewable: Any, root: Any, changed: Any, old_models: Any = None) -> None:
        if old_models is not None or not isinstance(changed, Panel):
            super()._apply_hooks(viewable, root, changed, old_models)
