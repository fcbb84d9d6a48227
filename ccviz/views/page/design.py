"""The look of every widget: Panel's native design, with our stylesheet on top."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import panel as pn
from panel.io.resources import get_dist_path
from panel.layout.base import Panel
from panel.theme import Native
from panel.theme.base import Inherit
from panel.viewable import Viewable

_CSS = (Path(__file__).parent / "widgets.css").read_text(encoding="utf-8")


class Lab(Native):
    """Panel's native design in the page's colours."""

    modifiers: ClassVar[dict[Any, Any]] = {Viewable: {"stylesheets": [Inherit, _CSS]}}

    def _apply_hooks(self, viewable: Any, root: Any, changed: Any, old_models: Any = None) -> None:
        """Dress what is new in a part of the page.

        In a layout without new children nothing is, but Panel would go through all that is in it,
        and Bokeh through the whole page: for each tab, and whatever is shown or hidden.
        """
        if old_models is not None or not isinstance(changed, Panel):
            super()._apply_hooks(viewable, root, changed, old_models)


def serve_styles_locally() -> None:
    """Tell Panel, before anything is made, that its style sheets are on this server.

    By itself it learns so when the finished page is written out, and puts right what stands on it
    then; what was made before and is shown later would be fetched from elsewhere.
    """
    if pn.state.curdoc is not None:
        pn.state.curdoc.template_variables["dist_url"] = get_dist_path()
