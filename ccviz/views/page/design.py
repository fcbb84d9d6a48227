"""The look of all widgets: Panel's native design with the page's style sheet."""

from __future__ import annotations

from typing import Any, ClassVar

from panel.theme.base import Inherit
from panel.viewable import Viewable

from ccviz.views.page.resources import WIDGETS
from ccviz.views.upstream.design_hooks import Design


class Lab(Design):
    """Panel's native design in the page's colours."""

    modifiers: ClassVar[dict[Any, Any]] = {Viewable: {"stylesheets": [Inherit, WIDGETS]}}
