"""What a person takes home of the answer on show: rows, profile, report."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.problem.partition import Partition
from ccviz.runs.run import Result, result_of
from ccviz.studies.html import report_html
from ccviz.studies.profile import profile, profile_csv, profile_markdown
from ccviz.studies.rows import rows_csv
from ccviz.views.lab.download import DownloadRequest, is_small
from ccviz.views.lab.session import Session

Wish = Literal["rows", "profile", "markdown", "report"]

_FILES: dict[Wish, tuple[str, str]] = {
    "rows": ("-clusters.csv", "text/csv"),
    "profile": ("-profile.csv", "text/csv"),
    "markdown": ("-profile.md", "text/markdown"),
    "report": ("-report.html", "text/html"),
}


def answer_download(session: Session, what: Wish) -> DownloadRequest:
    """Return how a file of the answer on show is written.

    Parameters
    ----------
    session : Session
    what : {"rows", "profile", "markdown", "report"}

    Returns
    -------
    DownloadRequest

    Raises
    ------
    CcvizError
        If there is no answer yet.
    """
    run = session.run
    if run is None or run.finished is None or run.incumbent is None:
        raise CcvizError("There is no answer yet: run a solver first.")
    data, answer = session.draft.data, run.incumbent
    colors = session.cluster_colors.of(answer)
    # The run with its events stays here: a report has no word of it.
    result = replace(result_of(run), run=None)  # type: ignore[arg-type]
    suffix, kind = _FILES[what]
    args = (what, data, result, colors, session.cluster_names(colors))
    return DownloadRequest(f"{data.name}{suffix}", kind, write, args, is_small(data))


def write(
    what: Wish, data: Dataset, result: Result, colors: IntArray, names: dict[int, str]
) -> str:
    """Return the text of a file.

    Parameters
    ----------
    what : {"rows", "profile", "markdown", "report"}
    data : Dataset
    result : Result
        With an answer.
    colors : (n,) int
        The number of each point's cluster on the page.
    names : dict of int to str
        Of clusters, by these numbers.

    Returns
    -------
    str
    """
    assert result.partition is not None
    if what == "report":
        return report_html(data, result, colors, names=names)
    if what == "rows":
        return rows_csv(data, Partition(result.partition.problem, colors), names)
    problem = result.partition.problem
    marks = profile(data.X, problem.shown(colors), problem.n_clusters, data.features, names)
    return profile_csv(marks, data.style) if what == "profile" else profile_markdown(marks)
