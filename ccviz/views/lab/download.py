"""Downloads: files written for the browser, in a process of their own if that takes long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from ccviz.arrays import IntArray
from ccviz.bounds import relative_gap
from ccviz.data.cells import CsvStyle
from ccviz.data.datasets import Dataset
from ccviz.data.geojson import geojson_of
from ccviz.errors import CcvizError
from ccviz.problem.partition import Partition
from ccviz.runs.run import Result, result_of
from ccviz.studies.html import report_html
from ccviz.studies.profile import profile, profile_csv, profile_markdown
from ccviz.studies.rows import rows_csv
from ccviz.studies.why import sentences
from ccviz.views.frames.card import kept_words
from ccviz.views.lab.session import Session

_SMALL = 20_000
"""Number of table values up to which the server writes it: starting a process takes longer."""


@dataclass(frozen=True)
class Download:
    """A file for the browser."""

    name: str
    kind: str  # Media type (MIME)
    content: str | bytes


@dataclass(frozen=True, eq=False)
class DownloadRequest:
    """A function that writes a file, with its arguments."""

    name: str
    kind: str
    work: Callable[..., str | bytes]  # A module-level function that returns the content
    args: tuple[Any, ...]
    # Whether to call it in the server: it takes less time than starting a process.
    at_once: bool = False


def is_small(data: Dataset) -> bool:
    """Return whether writing these points takes less time than starting a process."""
    return data.X.size <= _SMALL


def deliver(session: Session, request: DownloadRequest, hand: Callable[[Download], None]) -> None:
    """Write a file, now or by a later tick of the session, and pass it to ``hand``."""

    def hand_over(content: str | bytes) -> None:
        session.notice = None
        hand(Download(request.name, request.kind, content))

    session.write_file(
        request.name, request.work, *request.args, then=hand_over, at_once=request.at_once
    )


# --- What a person takes home of the answer on show: rows, profile, report ------------------------


FileKind = Literal["rows", "profile", "markdown", "report", "map"]

_FILES: dict[FileKind, tuple[str, str]] = {
    "rows": ("-clusters.csv", "text/csv"),
    "profile": ("-profile.csv", "text/csv"),
    "markdown": ("-profile.md", "text/markdown"),
    "report": ("-report.html", "text/html"),
    "map": ("-clusters.geojson", "application/geo+json"),
}


def answer_download(session: Session, what: FileKind) -> DownloadRequest:
    """Return how a file of the answer on show is written."""
    run = session.run
    if run is None or run.finished is None or run.incumbent is None:
        raise CcvizError("There is no answer yet: run a solver first.")
    answer, kept = session.answer or run.incumbent, session.kept
    data = _without_tabs(session.draft.data)
    colors = session.cluster_colors.of(answer)
    # The run with its events stays here: a report has no word of it.
    result = replace(result_of(run), run=None)  # type: ignore[arg-type]
    if kept is not None:
        gap = relative_gap(answer.objective, result.lower_bound)
        result = replace(
            result, partition=answer.in_order(), objective=answer.objective, gap=gap,
            status="feasible", message=kept_words(run, kept),
        )  # fmt: skip
    suffix, kind = _FILES[what]
    args = (what, data, result, colors, session.cluster_names(colors))
    return DownloadRequest(f"{data.name}{suffix}", kind, write, args, is_small(data))


def _without_tabs(data: Dataset) -> Dataset:
    """Return points whose tables have commas where their file had tabs: spreadsheets read these."""
    origin = data.origin
    if origin is None or origin.style.delimiter != "\t" or origin.file.lower().endswith(".csv"):
        return data
    return replace(data, origin=replace(origin, style=CsvStyle.of("", origin.style.comma)))


def write(
    what: FileKind, data: Dataset, result: Result, colors: IntArray, names: dict[int, str]
) -> str | bytes:
    """Return the text of a file.

    `colors` (n,): The number of each point's cluster on the page.
    """
    assert result.partition is not None
    if what == "report":
        return report_html(data, result, colors, names=names)
    if what == "map":
        return geojson_of(data, result.partition.problem.shown(colors))
    if what == "rows":
        shown = Partition(result.partition.problem, colors)
        why = sentences(result.partition, data, shown.shown, names)
        return rows_csv(data, shown, names, why)
    problem = result.partition.problem
    marks = profile(data.X, problem.shown(colors), problem.n_clusters, data.features, names)
    return profile_csv(marks, data.style) if what == "profile" else profile_markdown(marks)
