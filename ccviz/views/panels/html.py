"""A piece of HTML on the page: the one border where text becomes markup.

::

    Html("a < b")                                       # text: shown as it stands
    Html(Markup("<b>{}</b>").format(draft.data.name))   # markup, and a text in it

What is no `markupsafe.Markup` is text, whoever wrote it; `Markup.format` and `Markup.join` escape
what they are given. So a name from a file cannot become a script, and who forgets something here
sees angle brackets on the page.
"""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import escape


class Html(pn.pane.HTML):
    """HTML whose new text is sent alone.

    Panel sends every property with a text. In a tab that is not in front it takes them from
    outside the page, and would make all style sheets those of its CDN: an open page must work
    offline.
    """

    def _transform_object(self, obj: Any) -> dict[str, Any]:
        return super()._transform_object(str(escape(obj or "")))

    def _update(self, ref: str, model: Any) -> None:
        model.update(**self._process_param_change({"object": self.object}))
