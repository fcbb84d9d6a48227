"""Past runs: filter, sort, show again, compare, rename, resume, delete, export, import."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any, Literal

import panel as pn
import param
from markupsafe import Markup
from panel.custom import JSComponent

from ccviz.errors import CcvizError
from ccviz.runs.file import run_bytes
from ccviz.runs.info import RunInfo
from ccviz.views.frames.runs import COLUMNS, run_names, run_row, run_table
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.personal_archive import import_for
from ccviz.views.lab.session import Session
from ccviz.views.panels.batch import BatchPanel
from ccviz.views.panels.comparison import ComparisonPanel
from ccviz.views.panels.file_button import FileButton
from ccviz.views.panels.file_field import FileField
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_MOST_ROWS = 200
_MOST_BYTES = 64_000_000
_STYLES: tuple[tuple[Literal["csv", "markdown"], str], ...] = (
    ("csv", "CSV"),
    ("markdown", "Markdown"),
)
_KINDS = {"csv": ("runs.csv", "text/csv"), "markdown": ("runs.md", "text/markdown")}

_STYLE = css("runs.css")


class RunTable(JSComponent):
    """Rows of runs; sends what to do with which."""

    columns = param.List(default=list(COLUMNS))
    rows = param.List(default=[])
    shown = param.String(default="")

    _esm = with_template("run_table.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, on_message: Any, **params: Any) -> None:
        super().__init__(**params)
        self._on_message = on_message

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._on_message)(data)


class RunsPanel(pn.viewable.Viewer):
    """Past runs: a person's own before those of others, the newest first.

    Parameters
    ----------
    session : Session
    in_front : bool
        Whether it is seen; one that is not reads no list of runs.
    """

    def __init__(self, session: Session, in_front: bool = True) -> None:
        super().__init__()
        self._session, self._in_front = session, in_front
        self._table = RunTable(self._act, sizing_mode="stretch_both", margin=0, min_height=210)
        self._comparison = ComparisonPanel(session)
        self._batch = BatchPanel(session)
        self._many = pn.widgets.Button(name="Batch…", margin=(6, 6))
        self._many.on_click(lambda _: in_one_message(self._batch.open)())
        self._queue = Html("", margin=(6, 0, 0, 0), sizing_mode="stretch_width")
        self._export = FileButton(
            session, "Export this run", partial(run_download, session), margin=(6, 6)
        )
        self._tables = [
            FileButton(
                session,
                f"Table ({words})",
                partial(table_download, session, style),
                margin=(6, 6),
            )
            for style, words in _STYLES
        ]
        self._import = FileField(
            self._take_file, label="Drop a run, or choose one", most_bytes=_MOST_BYTES,
            sizing_mode="stretch_width", margin=(2, 6, 6, 6),
        )  # fmt: skip
        session.runner.param.watch(self.refresh, ["state", "waiting"])
        session.param.watch(self.refresh, "draft")
        session.batch.param.watch(self.refresh, ["done", "busy"])
        session.player.param.watch(self._on_shot, "shot")
        self.refresh()

    def __panel__(self) -> Any:
        files = pn.FlexBox(
            self._many, self._export, *self._tables, margin=0, sizing_mode="stretch_width"
        )
        return pn.Column(
            self._table, self._comparison, self._queue, files, self._import,
            pn.Row(self._batch, width=0, height=0, margin=0), sizing_mode="stretch_both", margin=0,
            css_classes=["section"],
        )  # fmt: skip

    def refresh(self, *_: Any) -> None:
        """Read the list of runs again, and how many are under way on this server."""
        if not self._in_front:
            return
        words = self._session.runner.queue_words
        self._queue.object = Markup('<p class="about">{}</p>').format(words)
        infos = listed_runs(self._session)
        names = run_names(infos)
        self._table.rows = [
            asdict(run_row(info, self._session.person, names[info.id]))
            for info in infos[:_MOST_ROWS]
        ]

    def bring(self, in_front: bool) -> None:
        """Come to the front, with what others have written meanwhile; or leave it.

        Parameters
        ----------
        in_front : bool
        """
        self._in_front = in_front
        self.refresh()

    def _on_shot(self, event: Any) -> None:
        self._table.shown = event.new.info.id if event.new else ""
        ended = event.new and event.new.info.termination
        if ended and not (event.old and event.old.info.termination):
            self.refresh()

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "compare":
            session.compared = tuple(message["ids"])
            return
        with session.in_words("runs"):
            if what == "open":
                session.open_run(message["id"])
            elif what == "resume":
                session.resume_run(message["id"])
            elif what == "rename":
                session.archive.rename(message["id"], message["name"])
            elif what in ("share", "hide"):
                session.archive.share(message["id"], what == "share")
            elif what == "delete":
                session.delete_run(message["id"])
        self.refresh()

    def _take_file(self, name: str, content: bytes) -> None:
        self._session.bring_runs(name, import_for, content, then=self._show)

    def _show(self, run_id: str) -> None:
        self._session.open_run(run_id)
        self.refresh()


def run_download(session: Session) -> DownloadRequest:
    """Return how the run that is shown is written to a file.

    Raises
    ------
    CcvizError
        If there is none.
    """
    shot = session.player.shot
    if shot is None:
        raise CcvizError("There is no run to export yet.")
    run_id = session.archive.info(shot.info.id).id  # if this person sees it
    kind = "application/octet-stream"
    return DownloadRequest(
        "run.ccviz", kind, run_bytes, (session.archive.home_of(run_id).path, run_id)
    )


def listed_runs(session: Session) -> list[RunInfo]:
    """Return the runs of the list: the person's own first, of these the newest.

    Parameters
    ----------
    session : Session
    """
    return sorted(session.archive.runs(), key=lambda info: not session.person.owns(info))


def table_download(session: Session, style: Literal["csv", "markdown"]) -> DownloadRequest:
    """Return how the runs that are ticked, or all of the list if none is, become a table."""
    chosen = session.compared
    infos = [each for each in listed_runs(session) if not chosen or each.id in chosen]
    return DownloadRequest(*_KINDS[style], run_table, (infos, style), at_once=True)
