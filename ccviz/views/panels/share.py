"""What would I type? The run as an address, as Python, and as a command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import panel as pn
import param
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.errors import CcvizError
from ccviz.numbers import count
from ccviz.runs.earlier import PROVERS
from ccviz.views.export.page import MOST_RUNS, Handout, page_of
from ccviz.views.export.tree_text import WRITERS
from ccviz.views.lab.download import DownloadRequest, is_small
from ccviz.views.lab.session import Session
from ccviz.views.panels.base import (
    Component,
    FileButton,
    FileField,
    Html,
    Panel,
    button,
    css,
    watches,
)
from ccviz.views.share.address import query
from ccviz.views.share.code import as_command, as_model, as_python, origin_of
from ccviz.views.share.kept import DAYS, KeptFiles, Kind
from ccviz.views.share.project import SUFFIX, csv_text, open_project, parts, write_project

# --- The run that is shown, and those it is compared with, as one HTML file -----------------------


_HINT = "One HTML file that replays the run, with its lesson if one is on; it needs no network"


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
    "in one file, which opens on any machine: drop it here. Rows with their clusters are under "
    "<b>Clusters</b>; the data alone have none.</p>"
)


_OPEN_PICTURE = """
// Where the matrix is in front, the plane comes back first.
const toggles = [...Bokeh.documents[0].all_models].filter(({type}) => type === "Toggle")
const matrix = toggles.find(({label, active}) => label === "Matrix" && active)
if (matrix) matrix.active = false
const open = () => {
  const plot = Bokeh.documents[0].get_model_by_name("scatter")
  if (!plot || !Bokeh.index.find_one(plot)) return void requestAnimationFrame(open)
  const tool = plot.toolbar.tools.find(({description}) => description === "Figure…")
  tool.callback.execute(tool)
}
open()
"""
_PICTURE_HELP = (
    "The points as SVG, PDF or PNG. The tree, the bounds and all other figures have Figure… in "
    "their upper right corner, while the mouse is over them."
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
        picture = pn.widgets.Button(
            name="Figure…", margin=(4, 8, 0, 0), css_classes=["picture"],
            description=Tooltip(content=_PICTURE_HELP, position="bottom"),
        )  # fmt: skip
        picture.js_on_click(code=_OPEN_PICTURE)
        buttons = (self._save, self._data, picture, *self._beside)
        return pn.Column(
            words, pn.FlexBox(*buttons, margin=0), self._open,
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
            is_ready=lambda: bool(session.run and session.run.tree), margin=(4, 8, 0, 0),
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


_LOCAL = {"localhost", "127.0.0.1", "::1"}


class Texts(Component):
    """Texts with their headings; a click selects one, a button copies it.

    `delete`: Is passed the word of a text that has one, when its *Delete* is pressed.
    """

    blocks = param.List(default=[])

    _esm = Path(__file__).parent / "share.js"
    _stylesheets = [css("share.css")]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, delete: Callable[[str], None] | None = None, **params: Any) -> None:
        super().__init__(**params)
        self._delete = delete

    def _act(self, word: Any) -> None:
        if self._delete is not None:
            self._delete(str(word))


# --- A table that no address holds: the server keeps it, and whoever may enter opens a copy -------


_KEEPS = Markup(
    '<h2>By address</h2><p class="about">Whoever may enter this server opens a copy: data with all '
    "columns of the table, links, rules and settings, but no runs.</p>"
)
_WITH_ADDRESS = "Give an address, above, has the server keep it."
_WITHOUT_ADDRESS = "A server with --token or --class keeps it under an address; here, save a file."


class AddressPanel(Panel):
    """The addresses that a person has given, and the button that gives one."""

    def __init__(self, session: Session, files: KeptFiles) -> None:
        super().__init__()
        self._session, self._files = session, files
        self._days = pn.widgets.Select(
            name="Kept for", options={count(each, "day"): each for each in DAYS}, width=104,
            margin=(4, 8, 0, 0), css_classes=["unlabelled"],
        )  # fmt: skip
        give = button("Give an address", self._give, margin=(4, 8, 0, 0))
        self._given = Texts(self._delete, sizing_mode="stretch_width", margin=0)
        self._box = pn.Column(
            Html(_KEEPS, margin=0, sizing_mode="stretch_width"),
            pn.FlexBox(give, self._days, margin=0), self._given,
            sizing_mode="stretch_width", margin=(0, 0, 8, 0), css_classes=["section"],
        )  # fmt: skip
        self._refresh()

    def keep(self, kind: Kind, name: str, content: bytes) -> str:
        """Have the server keep a project or a lesson, see `KeptFiles`, and return its address."""
        kept = self._files.keep(self._session.person, kind, name, content, self._days.value)
        self._refresh()
        return f"{page_address()}?{kept.query}"

    def _give(self) -> None:
        session, data = self._session, self._session.draft.data
        name = data.name or "laboratory"

        def keep(content: bytes) -> None:
            session.notice = None
            self.keep("project", name, content)

        session.write_file(
            name, write_project, *parts(session), False, then=keep, at_once=is_small(data)
        )

    def _delete(self, word: str) -> None:
        with self._session.reporting_errors():
            self._files.delete(self._session.person, word)
        self._refresh()

    def _refresh(self) -> None:
        with self._session.reporting_errors():
            page = page_address()
            self._given.blocks = [
                {
                    "title": kept.name, "about": f"Opens until {kept.ends}.{if_here(page)}",
                    "text": f"{page}?{kept.query}", "sound": True, "word": kept.word,
                }
                for kept in self._files.of(self._session.person)
            ]  # fmt: skip


class SharePanel(Panel):
    """The run as texts to copy, under the whole laboratory as a file.

    `handout`: Returns the lesson that is on, for a run that is written as a page. `own`: The
    addresses of what the server keeps, if it keeps anything.
    """

    def __init__(
        self, session: Session, handout: Callable[[], Handout | None] = lambda: None,
        *own: AddressPanel,
    ) -> None:  # fmt: skip
        super().__init__()
        self._session, self._handout, self._own = session, handout, own
        self._texts = Texts(sizing_mode="stretch_width", margin=0)
        self.follow(session)
        self._refresh()

    def __panel__(self) -> Any:
        texts = pn.Column(
            self._texts, sizing_mode="stretch_both", margin=0, css_classes=["section"], scroll=True
        )
        session = self._session
        page = FileButton(
            session, "Run as a page", partial(page_download, session, self._handout), hint=_HINT,
            is_ready=lambda: session.run is not None, margin=(4, 8, 0, 0),
        )  # fmt: skip
        return pn.Column(
            ProjectPanel(session, page, *tree_buttons(session)),
            *self._own,
            texts,
            sizing_mode="stretch_both",
            margin=0,
        )

    @watches("draft", "x_axis", "y_axis", "solver", "seed", "time_limit", "gap_limit", "node_limit")
    def _refresh(self, *_: Any) -> None:
        session = self._session
        self._ended = _ended_run(session)
        way = _WITH_ADDRESS if self._own else _WITHOUT_ADDRESS
        self._texts.blocks = blocks(session, page_address(), way)

    @watches("player.shot")
    def _on_shot(self, *_: Any) -> None:
        """Offer the check of a proof as soon as a run has ended, and no longer than it is shown."""
        if _ended_run(self._session) != self._ended:
            self._refresh()


def _ended_run(session: Session) -> str:
    """Return the id of the run that is shown at its end; empty if none is."""
    shot = session.player.shot
    return shot.info.id if shot is not None and shot.at_end else ""


def page_address() -> str:
    """Return the address of the page without its query; empty before it is known."""
    location = pn.state.location
    return location.href.partition("?")[0] if location and location.href else ""


def blocks(session: Session, page: str, way: str = _WITHOUT_ADDRESS) -> list[dict[str, Any]]:
    """Return the texts with their headings and a line each; a sentence for one that cannot be.

    `page`: The address of the page, without a query. `way`: What to do instead where no address
    holds the problem.
    """
    return [
        _block("Address",
               lambda _: f"Opens the same problem, solver and settings.{if_here(page)}",
               lambda: f"{page}?{query(session)}", way),
        _block("Python", _about_files("In a script or a notebook", session),
               lambda: as_python(session)),
        _block("Command line", _about_files("In a terminal", session),
               lambda: as_command(session)),
        _block("Model in cvxpy", lambda _: "What the solver solves, to read and to change.",
               lambda: as_model(session)),
        *_proof(session),
    ]  # fmt: skip


def _proof(session: Session) -> list[dict[str, Any]]:
    """Return the command that checks the proof of the run shown, if it left one."""
    shot = session.player.shot
    if shot is None or not shot.at_end or shot.info.solver not in PROVERS:
        return []
    # The command line does not know the runs of the page's library.
    is_here = not session.archive.is_in_library(shot.info.id)
    where = "where the page is served" if is_here else "after Export this run, in the tab Runs"
    about = (
        f"Checks the proof with none of the solver's code, in a terminal {where}. "
        "On any other machine: Export this run, in the tab Runs, and ccviz verify run.ccviz."
    )
    command = f"ccviz verify {shot.info.id if is_here else 'run.ccviz'}"
    return [{"title": "Proof", "about": about, "text": command, "sound": True}]


def _block(
    title: str, about: Callable[[str], str], text: Callable[[], str], way: str = ""
) -> dict[str, Any]:
    try:
        made = text()
    except CcvizError as cannot:
        said = f"{cannot} {way}".strip()
        return {"title": title, "about": "", "text": said, "sound": False}
    return {"title": title, "about": about(made), "text": made, "sound": True}


def if_here(page: str) -> str:
    """Return what an address needs elsewhere, if it names this machine; else nothing."""
    host = urlsplit(page).hostname
    here = (
        f" Other computers need this one's name in place of {host}, and a server that was started "
        "with --address 0.0.0.0."
    )
    return here if host in _LOCAL else ""


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
