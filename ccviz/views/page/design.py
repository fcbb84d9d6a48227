"""The look of every widget: Panel's native design, with our stylesheet on top."""

from __future__ import annotations

from typing import Any, ClassVar

from panel.layout.base import Panel
from panel.theme import Native
from panel.theme.base import Inherit
from panel.viewable import Viewable

from ccviz.views.page.resources import WIDGETS


class Lab(Native):
    """Panel's native design in the page's colours."""

    modifiers: ClassVar[dict[Any, Any]] = {Viewable: {"stylesheets": [Inherit, WIDGETS]}}

    def _apply_hooks(self, viewable: Any, root: Any, changed: Any, old_models: Any = None) -> None:
        """Dress what is new in a part of the page.

        In a layout without new children nothing is, but Panel would go through all that is in it,
        and Bokeh through the whole page: for each tab, and whatever is shown or hidden.
        """
        if old_models is not None or not isinstance(changed, Panel):
            super()._apply_hooks(viewable, root, changed, old_models)
