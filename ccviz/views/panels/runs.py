"""Past runs: filter, sort, show again, compare, rename, resume, delete, export, import."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any, Literal

import panel as pn
import param
from markupsafe import Markup

from ccviz.errors import CcvizError
from ccviz.numbers import count
from ccviz.runs.file import run_bytes
from ccviz.runs.info import RunInfo
from ccviz.runs.stop import Limits
from ccviz.solvers import SOLVERS, make_solver
from ccviz.solvers.base import GROUPS
from ccviz.views.draft import Draft
from ccviz.views.frames.clusters import Row, comparison, differing
from ccviz.views.frames.tables import (
    COLUMNS,
    OUTCOME_COLUMNS,
    Wanted,
    outcome_row,
    run_names,
    run_row,
    run_table,
)
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.notice import unable
from ccviz.views.lab.personal_archive import import_for
from ccviz.views.lab.session import Session
from ccviz.views.panels.base import (
    Component,
    FileButton,
    FileField,
    Html,
    Panel,
    Sender,
    about,
    assets,
    button,
    css,
    watches,
)

# --- A batch of runs: the sheet over the page that says which, and how far they are ---------------


_SEEDS = 3
_SECONDS = 30.0
_MOST_SEEDS = 100
_MOST_LISTED = 6


class BatchPanel(Component):
    """Which solvers, seeds and numbers of clusters; begin, progress, stop."""

    form = param.Dict(default={})
    state = param.Dict(default={"done": 0, "total": 0, "busy": False, "words": "", "rows": []})
    columns = param.List(default=list(OUTCOME_COLUMNS))
    shown = param.Boolean(default=False)

    _esm, _stylesheets = assets("batch.js", "dialog.css", "batch.css")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self._said, self._sets = "", dict[str, Draft]()

    def open(self) -> None:
        """Show the sheet, made out for the problem and the solver at hand."""
        session = self._session
        cannot, self._sets = unable(session.draft), session.edits.link_sets()
        self.form = {
            "groups": [
                {
                    "title": group,
                    "solvers": [
                        {
                            "name": kind.name, "title": kind.title,
                            "why": cannot.get(kind.name, ""),
                            "ticked": kind.name == session.solver.name,
                        }
                        for kind in SOLVERS if kind.group == group
                    ],
                }
                for group in GROUPS
            ],
            "links": [
                {"name": name, "ticked": draft.links == session.draft.links}
                for name, draft in self._sets.items()
            ],
            "k": session.draft.k,
            "seeds": _SEEDS,
            "first": session.seed,
            "seconds": session.time_limit or _SECONDS,
        }  # fmt: skip
        self.shown = True

    @watches(
        "batch.done", "batch.total", "batch.at", "batch.busy", "batch.left_out", "batch.outcomes"
    )
    def _refresh(self, *_: Any) -> None:
        batch = self._session.batch
        left_out = [str(each) for each in batch.left_out]
        lines = [self._said, *(f"Left out: {words}" for words in left_out[:_MOST_LISTED])]
        if len(left_out) > _MOST_LISTED:
            lines.append(f"… and {len(left_out) - _MOST_LISTED} more are left out.")
        if batch.total:
            lines.insert(0, f"{batch.done:,} of {batch.total:,} runs have ended. {batch.at}")
        self.state = {
            "done": batch.done, "total": batch.total, "busy": batch.busy,
            "words": "\n".join(filter(None, lines)),
            "rows": [outcome_row(each) for each in batch.outcomes],
        }  # fmt: skip

    def _act(self, message: dict[str, Any]) -> None:
        what = message["what"]
        if what == "start":
            self._start(message)
        elif what == "stop":
            self._session.batch.stop()
        else:
            self.shown = False  # the runs go on

    def _start(self, message: dict[str, Any]) -> None:
        session, self._said = self._session, ""
        low, high, seeds, first = (int(message[name]) for name in ("low", "high", "seeds", "first"))
        solvers = [
            session.solver if name == session.solver.name else make_solver(name)
            for name in message["solvers"]
        ]
        limits = Limits(float(message["seconds"]) or None, session.gap_limit, session.node_limit)
        chosen = {name: self._sets[name] for name in message["links"] if name in self._sets}
        drafts = chosen if len(chosen) > 1 else next(iter(chosen.values()), session.draft)
        many = range(first, first + min(max(seeds, 1), _MOST_SEEDS))
        try:
            session.batch.start(drafts, solvers, many, range(low, max(low, high) + 1), limits)
        except CcvizError as refused:
            self._said = str(refused)
        self._refresh()


# --- Those runs that are ticked in the table, side by side ----------------------------------------


class ComparisonPanel(Panel):
    """Visible if two runs are ticked; the best value of each line is highlighted."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._html = Html(
            "",
            stylesheets=[css("comparison.css")],
            sizing_mode="stretch_width",
            margin=0,
            name="comparison",
        )
        self._show = button(
            "",
            lambda: setattr(session, "differing", () if session.differing else self._apart),
            margin=(4, 0), visible=False,
        )  # fmt: skip
        self._apart: tuple[int, ...] = ()
        self._box = pn.Column(
            self._html, self._show, sizing_mode="stretch_width", margin=(8, 0, 0, 0), scroll=True,
            max_height=280, visible=False,
        )  # fmt: skip
        self.follow(session)
        self._refresh()

    @watches("compared")
    def _refresh(self, *_: Any) -> None:
        archive, chosen = self._session.archive, self._session.compared
        self._box.visible = len(chosen) > 1
        if len(chosen) < 2:
            return
        infos = [archive.info(run_id) for run_id in chosen]
        found = [archive.load(run_id).incumbent for run_id in chosen]
        labels = [each.labels if each else None for each in found]
        most = max((each.problem.k for each in found if each), default=1)
        first, other, n = labels[0], labels[1], self._session.draft.n
        self._apart = ()  # unless their points are those on the plot
        if first is not None and other is not None and len(first) == len(other) == n:
            self._apart = tuple(differing(first, other, most).tolist())
        self._show.visible = bool(self._apart)
        self._show.name = (
            f"Show the {count(len(self._apart), 'point')} in which the first two differ"
        )
        rows = comparison(infos, labels)
        names = run_names(archive.runs())
        self._html.object = _html([names[info.id] for info in infos], rows)


_TABLE = Markup(
    '<table aria-label="Runs side by side"><thead><tr><td></td>{head}</tr></thead>'
    "<tbody>{lines}</tbody></table>"
)


def _html(names: list[str], rows: tuple[Row, ...]) -> Markup:
    head = Markup().join(Markup('<th scope="col">{}</th>').format(name) for name in names)
    return _TABLE.format(head=head, lines=Markup().join(map(_line, rows)))


def _line(row: Row) -> Markup:
    cells = Markup().join(
        Markup("<td{}>{}</td>").format(Markup(" class=best") if place in row.best else "", cell)
        for place, cell in enumerate(row.cells)
    )
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(row.name, cells)


_MOST_ROWS = 200
_MOST_BYTES = 64_000_000
_STYLES: tuple[tuple[Literal["csv", "markdown"], str], ...] = (
    ("csv", "CSV"),
    ("markdown", "Markdown"),
)
_KINDS = {"csv": ("runs.csv", "text/csv"), "markdown": ("runs.md", "text/markdown")}


class RunTable(Sender):
    """Rows of runs; sends what to do with which."""

    columns = param.List(default=list(COLUMNS))
    rows = param.List(default=[])
    many = param.Boolean(default=False, doc="Whether there are more runs than rows.")
    words = param.String(default="", doc="Which of them have a row.")
    shown = param.String(default="")
    compared = param.List(default=[], doc="Ids of the runs that are ticked.")

    _esm, _stylesheets = assets("run_table.js", "runs.css")


class RunsPanel(Panel):
    """Past runs: a person's own before those of others, the newest first."""

    def __init__(self, session: Session, in_front: bool = True) -> None:
        super().__init__()
        self._session, self._in_front, self._wanted = session, in_front, Wanted()
        self._table = RunTable(self._act, sizing_mode="stretch_both", margin=0, min_height=210)
        self._comparison = ComparisonPanel(session)
        self._batch = BatchPanel(session)
        self._many = button("Batch…", self._batch.open, margin=(6, 6))
        self._queue = Html("", margin=(6, 0, 0, 0), sizing_mode="stretch_width")
        self._export = FileButton(
            session, "Export this run", partial(run_download, session), margin=(6, 6)
        )
        self._tables = [
            FileButton(
                session,
                words,
                partial(table_download, session, style),
                margin=(6, 6),
            )
            for style, words in _STYLES
        ]
        self._import = FileField(
            lambda name, content: session.import_runs(name, import_for, content, then=self._show),
            label="Drop a run, or choose one", most_bytes=_MOST_BYTES,
            sizing_mode="stretch_width", margin=(2, 6, 6, 6),
        )  # fmt: skip
        self.follow(session)
        self.refresh()

    def __panel__(self) -> Any:
        tables = pn.Card(
            pn.Row(*self._tables, margin=0), title="Download the table…", collapsed=True,
            margin=(6, 6),
        )  # fmt: skip
        files = pn.FlexBox(self._many, self._export, tables, margin=0, sizing_mode="stretch_width")
        return pn.Column(
            self._table, self._comparison, self._queue, files, self._import,
            pn.Row(self._batch, width=0, height=0, margin=0), sizing_mode="stretch_both", margin=0,
            css_classes=["section"],
        )  # fmt: skip

    @watches("runner.state", "runner.waiting", "draft", "batch.done", "batch.busy")
    def refresh(self, *_: Any) -> None:
        """Read the list of runs again, and how many are under way on this server."""
        if not self._in_front:
            return
        words = self._session.runner.queue_words
        self._queue.object = about(words)
        infos = listed_runs(self._session)
        names = run_names(infos)
        many, total = len(infos) > _MOST_ROWS, len(infos)
        searched = many and self._wanted != Wanted()
        listed = infos if searched else infos[:_MOST_ROWS]
        rows = [run_row(info, self._session.person, names[info.id]) for info in listed]
        if searched:
            rows = self._wanted.of(rows)
        shown = list(map(asdict, rows[:_MOST_ROWS]))
        found = f"{len(rows):,} found, " if searched and len(rows) > _MOST_ROWS else ""
        words = f"{found}{len(shown):,} of {total:,} runs shown" if many else ""
        self._table.param.update(rows=shown, many=many, words=words)

    def show(self, in_front: bool) -> None:
        """Move to the front, with what others have written meanwhile; or leave it."""
        self._in_front = in_front
        self.refresh()

    @watches("compared")
    def _on_compared(self, *_: Any) -> None:
        self._table.compared = list(self._session.compared)

    @watches("player.shot")
    def _on_shot(self, event: Any) -> None:
        self._table.shown = event.new.info.id if event.new else ""
        ended = event.new and event.new.info.termination
        if ended and not (event.old and event.old.info.termination):
            self.refresh()

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "find":
            column = message["column"]
            column = None if column is None else int(column)
            self._wanted = Wanted(str(message["words"]), column, bool(message["down"]))
            self.refresh()
            return
        if what == "compare":
            session.compared = tuple(message["ids"])
            return
        with session.reporting_errors("runs"):
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

    def _show(self, run_id: str) -> None:
        self._session.open_run(run_id)
        self.refresh()


def run_download(session: Session) -> DownloadRequest:
    """Return how the run that is shown is written to a file."""
    shot = session.player.shot
    if shot is None:
        raise CcvizError("There is no run to export yet.")
    run_id = session.archive.info(shot.info.id).id  # if this person sees it
    kind = "application/octet-stream"
    return DownloadRequest(
        "run.ccviz", kind, run_bytes, (session.archive.home_of(run_id).path, run_id)
    )


def listed_runs(session: Session) -> list[RunInfo]:
    """Return the runs of the list: the person's own first, of these the newest."""
    return sorted(session.archive.runs(), key=lambda info: not session.person.owns(info))


def table_download(session: Session, style: Literal["csv", "markdown"]) -> DownloadRequest:
    """Return how the runs that are ticked, or all of the list if none is, become a table."""
    chosen = session.compared
    infos = [each for each in listed_runs(session) if not chosen or each.id in chosen]
    return DownloadRequest(*_KINDS[style], run_table, (infos, style), at_once=True)
