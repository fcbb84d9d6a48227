"""What would I type? The run as an address, as Python, and as a command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import panel as pn
import param
from panel.custom import JSComponent

from ccviz.errors import CcvizError
from ccviz.views.export.page import Told
from ccviz.views.lab.session import Session
from ccviz.views.panels.page_file import page_button
from ccviz.views.panels.project import ProjectPanel
from ccviz.views.panels.template import css
from ccviz.views.panels.tree_file import tree_buttons
from ccviz.views.share.address import query
from ccviz.views.share.code import as_command, as_model, as_python, origin_of

_STYLE = css("share.css")
_LOCAL = {"localhost", "127.0.0.1", "::1"}


class Texts(JSComponent):
    """Texts with their headings; a click selects one, a button copies it."""

    blocks = param.List(default=[])

    _esm = Path(__file__).parent / "share.js"
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it


class SharePanel(pn.viewable.Viewer):
    """The run as texts to copy, under the whole laboratory as a file.

    Parameters
    ----------
    session : Session
    told : callable
        Returns the lesson that is on, for a run that is written as a page.
    """

    def __init__(self, session: Session, told: Callable[[], Told | None] = lambda: None) -> None:
        super().__init__()
        self._session, self._told = session, told
        self._texts = Texts(sizing_mode="stretch_width", margin=0)
        watched = ["draft", "x_axis", "y_axis", "solver", "seed", "time_limit", "gap_limit"]
        session.param.watch(self._refresh, [*watched, "node_limit"])
        self._refresh()

    def __panel__(self) -> Any:
        texts = pn.Column(
            self._texts, sizing_mode="stretch_both", margin=0, css_classes=["section"], scroll=True
        )
        page = page_button(self._session, self._told)
        return pn.Column(
            ProjectPanel(self._session, page, *tree_buttons(self._session)),
            texts,
            sizing_mode="stretch_both",
            margin=0,
        )

    def _refresh(self, *_: Any) -> None:
        session = self._session
        self._texts.blocks = blocks(session, page_address())


def page_address() -> str:
    """Return the address of the page without its query; empty before it is known."""
    location = pn.state.location
    return location.href.partition("?")[0] if location and location.href else ""


def blocks(session: Session, page: str) -> list[dict[str, Any]]:
    """Return the texts with their headings and a line each; a sentence for one that cannot be.

    Parameters
    ----------
    session : Session
    page : str
        The address of the page, without a query.
    """
    return [
        _block("Address", _about_address(page), lambda: f"{page}?{query(session)}"),
        _block("Python", _about_files("In a script or a notebook", session),
               lambda: as_python(session)),
        _block("Command line", _about_files("In a terminal", session),
               lambda: as_command(session)),
        _block("Model in cvxpy", lambda _: "What the solver solves, to read and to change.",
               lambda: as_model(session)),
    ]  # fmt: skip


def _block(title: str, about: Callable[[str], str], text: Callable[[], str]) -> dict[str, Any]:
    try:
        made = text()
    except CcvizError as cannot:
        return {"title": title, "about": "", "text": str(cannot), "sound": False}
    return {"title": title, "about": about(made), "text": made, "sound": True}


def _about_address(page: str) -> Callable[[str], str]:
    host = urlsplit(page).hostname
    here = f" On other computers, put this one's name in place of {host}."
    return lambda _: f"Opens the same problem, solver and settings.{here if host in _LOCAL else ''}"


def _about_files(where: str, session: Session) -> Callable[[str], str]:
    """Return a line that says which files a text reads, and where they come from."""
    origin = origin_of(session.draft)
    data = origin.file if origin else f"{session.draft.data.name}.csv"
    source = "your file" if origin else "Data as CSV, above"
    sources = {data: source, "links.txt": "Export, under the links"}

    def about(text: str) -> str:
        read = " and ".join(f"{name} ({source})" for name, source in sources.items()
                            if name in text)  # fmt: skip
        return f"{where}. It reads {read} from its folder." if read else f"{where}."

    return about
