"""The look of every widget: Panel's native design, with our stylesheet on top."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from panel.theme import Native
from panel.theme.base import Inherit
from panel.viewable import Viewable

_CSS = (Path(__file__).parent / "widgets.css").read_text(encoding="utf-8")


class Lab(Native):
    """Panel's native design in the page's colours."""

    modifiers: ClassVar[dict[Any, Any]] = {Viewable: {"stylesheets": [Inherit, _CSS]}}
