"""HTML on the page: the only place where text becomes markup.

::

    Html("a < b")                                       # text: shown as it is
    Html(Markup("<b>{}</b>").format(draft.data.name))   # markup, and a text in it

Anything but `markupsafe.Markup` is text and is escaped; `Markup.format` and `Markup.join` escape
their arguments. So a name from a file cannot become a script, and a forgotten `Markup` shows angle
brackets on the page.
"""

from __future__ import annotations

from typing import Any

from markupsafe import escape

from ccviz.views.upstream.html_pane import HTMLPane


class Html(HTMLPane):
    """A pane for markup; other text is escaped."""

    def _transform_object(self, obj: Any) -> dict[str, Any]:
        return super()._transform_object(str(escape(obj or "")))
