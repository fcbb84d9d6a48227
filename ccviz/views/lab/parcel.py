"""What a person takes home of the answer on show: rows, profile, report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import param

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.problem.partition import Partition
from ccviz.runs.run import Result, result_of
from ccviz.studies.html import report_html
from ccviz.studies.profile import profile, profile_csv, profile_markdown
from ccviz.studies.rows import rows_csv
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

Wish = Literal["rows", "profile", "markdown", "report"]

_FILES: dict[Wish, tuple[str, str]] = {
    "rows": ("-clusters.csv", "text/csv"),
    "profile": ("-profile.csv", "text/csv"),
    "markdown": ("-profile.md", "text/markdown"),
    "report": ("-report.html", "text/html"),
}
_SMALL = 20_000
"""Values of a table that is written at once: to begin a process takes longer."""


@dataclass(frozen=True)
class Parcel:
    """A file to be taken home.

    Attributes
    ----------
    name : str
    kind : str
        Its type in the words of the web.
    text : str
    """

    name: str
    kind: str
    text: str


class Parcels(param.Parameterized):
    """Writes what somebody wishes to take home, in a process of its own where it takes long.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    parcel : Parcel or None
        The newest.
    """

    parcel = param.Parameter(default=None)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def wish(self, what: Wish) -> None:
        """Write a file of the answer on show, now or in some tick of the session."""
        session, run = self._session, self._session.run
        if run is None or run.finished is None or run.incumbent is None:
            text = "There is no answer yet: run a solver first."
            session.notice = Notice("info", text, title="nothing to take home")
            return
        data, answer = session.draft.data, run.incumbent
        colors = session.hues.of(answer.labels, answer.problem.k)
        # The run with its events stays here: a report has no word of it.
        result = replace(result_of(run), run=None)  # type: ignore[arg-type]
        suffix, kind = _FILES[what]
        name = f"{data.name}{suffix}"
        session.prepare(
            name, write, what, data, result, colors,
            then=lambda text: self._hand_over(Parcel(name, kind, text)),
            at_once=data.X.size <= _SMALL,
        )  # fmt: skip

    def _hand_over(self, parcel: Parcel) -> None:
        self._session.notice = None
        self.parcel = parcel


def write(what: Wish, data: Dataset, result: Result, colors: IntArray) -> str:
    """Return the text of a file.

    Parameters
    ----------
    what : {"rows", "profile", "markdown", "report"}
    data : Dataset
    result : Result
        With an answer.
    colors : (n,) int
        The number of each point's cluster on the page.

    Returns
    -------
    str
    """
    assert result.partition is not None
    if what == "report":
        return report_html(data, result, colors)
    if what == "rows":
        return rows_csv(data, Partition(result.partition.problem, colors))
    marks = profile(data.X, colors, result.partition.problem.k, data.features)
    return profile_csv(marks) if what == "profile" else profile_markdown(marks)
