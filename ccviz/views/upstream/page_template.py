"""Panel and Bokeh visit the whole page for each part that is added to a template.

Defect: `Template.add_panel` calls `repr` of the template, which visits all widgets, and
`Template.server_doc` lets Bokeh visit all models once per root: both are quadratic in the page.
Seen in: Panel 1.9.4 with Bokeh 3.9.2.
Upstream: no issue found.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import panel as pn
from bokeh.document import Document


class Template(pn.template.Template):
    """A page template whose cost is linear in the number of its parts."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def server_doc(self, *args: Any, **named: Any) -> Document:
        """Add the page to its document; Bokeh visits all models once."""
        document = pn.state.curdoc
        with document.models.freeze() if document is not None else nullcontext():
            return super().server_doc(*args, **named)
