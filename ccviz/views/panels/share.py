"""What would I type? The run as an address, as Python, and as a command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import panel as pn
import param
from markupsafe import Markup
from panel.custom import JSComponent

from ccviz.errors import CcvizError
from ccviz.views.export.page import MOST_RUNS, Handout, page_of
from ccviz.views.export.tree_text import WRITERS
from ccviz.views.lab.download import DownloadRequest, is_small
from ccviz.views.lab.session import Session
from ccviz.views.panels.base import Panel, watches
from ccviz.views.panels.file_field import FileButton, FileField
from ccviz.views.panels.html import Html, css
from ccviz.views.share.address import query
from ccviz.views.share.code import as_command, as_model, as_python, origin_of
from ccviz.views.share.project import SUFFIX, csv_text, open_project, parts, write_project

# --- The run that is shown, and those it is compared with, as one HTML file -----------------------


_HINT = "One HTML file that replays the run, with its lesson if one is on; it needs no network"


def page_button(session: Session, handout: Callable[[], Handout | None]) -> FileButton:
    """Return a button for the page, which can be pressed once there is a run."""
    return FileButton(
        session, "Run as a page", partial(page_download, session, handout), hint=_HINT,
        is_ready=lambda: session.run is not None, margin=(4, 8, 0, 0),
    )  # fmt: skip


def page_download(session: Session, handout: Callable[[], Handout | None]) -> DownloadRequest:
    """Return how the page is written."""
    # The run that is shown, and those over which its bounds are drawn, if this person sees them.
    chosen = dict.fromkeys((session.player.run_id, *session.compared))
    run_ids = [session.archive.info(run_id).id for run_id in chosen if run_id][:MOST_RUNS]
    runs = [(session.archive.home_of(run_id).path, run_id) for run_id in run_ids]
    axes = (session.x_axis, session.y_axis)
    return DownloadRequest(
        f"{session.draft.data.name or 'run'}.html", "text/html", page_of,
        (runs, session.draft, axes, handout()),
    )  # fmt: skip


# --- Save the whole laboratory to a file, and open one --------------------------------------------


_MOST_BYTES = 500_000_000
"""Size of the largest project file that is taken."""

_ABOUT = Markup(
    '<h2>Project</h2><p class="about">Data, links, settings and the runs on these data '
    "in one file, which opens on any machine: drop it here.</p>"
)


class ProjectPanel(Panel):
    """Data, links, settings and runs, as one file.

    `beside`: Other files that are handed out, in the same row.
    """

    def __init__(self, session: Session, *beside: Any) -> None:
        super().__init__()
        self._session, self._beside = session, beside
        self._save, self._data = (
            FileButton(session, label, partial(request, session), margin=(4, 8, 0, 0))
            for label, request in (
                ("Save to a file", project_download),
                ("Data as CSV", data_download),
            )
        )
        self._open = FileField(
            partial(open_project, session), label="Drop a project, or choose one",
            most_bytes=_MOST_BYTES, sizing_mode="stretch_width", margin=(4, 0, 0, 0),
            css_classes=["project"],
        )  # fmt: skip

    def __panel__(self) -> Any:
        words = Html(_ABOUT, margin=0, sizing_mode="stretch_width")
        return pn.Column(
            words, pn.FlexBox(self._save, self._data, *self._beside, margin=0), self._open,
            sizing_mode="stretch_width", margin=(0, 0, 8, 0), css_classes=["section"],
        )  # fmt: skip


def project_download(session: Session) -> DownloadRequest:
    """Return how the whole laboratory is written to a file."""
    name = f"{session.draft.data.name or 'laboratory'}{SUFFIX}"
    return DownloadRequest(name, "application/zip", write_project, parts(session))


def data_download(session: Session) -> DownloadRequest:
    """Return how the points are written to a file."""
    data = session.draft.data
    return DownloadRequest(
        f"{data.name or 'data'}.csv", "text/csv", csv_text, (data,), is_small(data)
    )


# --- The search tree of the run that is shown, as a file for Graphviz or LaTeX --------------------


_BUTTONS = (
    (".dot", "Tree as DOT", "The search tree for Graphviz"),
    (".tex", "Tree as LaTeX", "The search tree as a LaTeX document with the package forest"),
)
_KINDS = {".dot": "text/vnd.graphviz", ".tex": "application/x-tex"}


def tree_buttons(session: Session) -> list[FileButton]:
    """Return a button for each format, which can be pressed once the run shown has a tree."""
    return [
        FileButton(
            session, label, partial(tree_download, session, suffix), hint=hint,
            is_ready=partial(_has_tree, session), margin=(4, 8, 0, 0),
        )
        for suffix, label, hint in _BUTTONS
    ]  # fmt: skip


def tree_download(session: Session, suffix: str) -> DownloadRequest:
    """Return how the tree is written, as far as the run is played.

    `suffix`: A key of `ccviz.views.export.tree_text.WRITERS`.
    """
    run = session.run
    if run is None:
        raise CcvizError("There is no tree yet: run sdp first.")
    data = session.draft.data
    name, given = f"{data.name or 'run'}-tree{suffix}", (run, data.names)
    return DownloadRequest(name, _KINDS[suffix], WRITERS[suffix], given, at_once=True)


def _has_tree(session: Session) -> bool:
    return session.run is not None and bool(session.run.tree)


_STYLE = css("share.css")
_LOCAL = {"localhost", "127.0.0.1", "::1"}


class Texts(JSComponent):
    """Texts with their headings; a click selects one, a button copies it."""

    blocks = param.List(default=[])

    _esm = Path(__file__).parent / "share.js"
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it


class SharePanel(Panel):
    """The run as texts to copy, under the whole laboratory as a file.

    `handout`: Returns the lesson that is on, for a run that is written as a page.
    """

    def __init__(
        self, session: Session, handout: Callable[[], Handout | None] = lambda: None
    ) -> None:
        super().__init__()
        self._session, self._handout = session, handout
        self._texts = Texts(sizing_mode="stretch_width", margin=0)
        self.follow(session)
        self._refresh()

    def __panel__(self) -> Any:
        texts = pn.Column(
            self._texts, sizing_mode="stretch_both", margin=0, css_classes=["section"], scroll=True
        )
        page = page_button(self._session, self._handout)
        return pn.Column(
            ProjectPanel(self._session, page, *tree_buttons(self._session)),
            texts,
            sizing_mode="stretch_both",
            margin=0,
        )

    @watches("draft", "x_axis", "y_axis", "solver", "seed", "time_limit", "gap_limit", "node_limit")
    def _refresh(self, *_: Any) -> None:
        session = self._session
        self._texts.blocks = blocks(session, page_address())


def page_address() -> str:
    """Return the address of the page without its query; empty before it is known."""
    location = pn.state.location
    return location.href.partition("?")[0] if location and location.href else ""


def blocks(session: Session, page: str) -> list[dict[str, Any]]:
    """Return the texts with their headings and a line each; a sentence for one that cannot be.

    `page`: The address of the page, without a query.
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
