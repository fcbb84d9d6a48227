"""What the page mends of Bokeh's widgets, once, in the browser."""

from __future__ import annotations

from pathlib import Path

from panel.custom import JSComponent


class Mending(JSComponent):
    """Nothing to see: axes forget tabs that were left, slow drags and clicks count, tabs obey keys.

    To be put into a page once, anywhere.
    """

    _esm = Path(__file__).parent / "mending.js"
