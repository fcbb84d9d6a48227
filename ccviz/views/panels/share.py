"""What would I type? The run as an address, as Python, and as a command line."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import panel as pn

from ccviz.errors import CcvizError
from ccviz.views.panels.html import Html
from ccviz.views.panels.project import ProjectPanel
from ccviz.views.session import Session
from ccviz.views.sharing import as_command, as_python, query

_STYLE = """
pre { background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: 8px 10px;
  margin: 2px 0 12px; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere;
  user-select: all; }
h2 { margin: 0; }
p { color: var(--faint); margin: 2px 0 12px; }
"""


class SharePanel(pn.viewable.Viewer):
    """Texts to copy; a click selects the whole of one."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._html = Html("", stylesheets=[_STYLE], sizing_mode="stretch_width", margin=0)
        watched = ["draft", "x_axis", "y_axis", "solver", "seed", "time_limit", "gap_limit"]
        session.param.watch(self._refresh, [*watched, "node_limit"])
        self._refresh()

    def __panel__(self) -> Any:
        texts = pn.Column(
            self._html, sizing_mode="stretch_both", margin=0, css_classes=["section"], scroll=True
        )
        return pn.Column(ProjectPanel(self._session), texts, sizing_mode="stretch_both", margin=0)

    def _refresh(self, *_: Any) -> None:
        session = self._session
        parts = [
            "<h2>Address</h2>", self._address(),
            "<h2>Python</h2>", _pre(as_python(session)),
            "<h2>Command line</h2>", _or_why_not(lambda: _pre(as_command(session))),
        ]  # fmt: skip
        self._html.object = "".join(parts)

    def _address(self) -> str:
        location = pn.state.location
        page = location.href.partition("?")[0] if location and location.href else ""
        return _or_why_not(lambda: _pre(f"{page}?{query(self._session)}"))


def _or_why_not(text: Callable[[], str]) -> str:
    try:
        return text()
    except CcvizError as cannot:
        return f"<p>{escape(str(cannot))}</p>"


def _pre(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"
