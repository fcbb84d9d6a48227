"""A table on its way in: read, looked at, decided column by column, and then loaded."""

from __future__ import annotations

from dataclasses import replace

import param

from ccviz.data.datasets import Dataset
from ccviz.data.origin import SINGLE, Decision
from ccviz.data.scaling import MOST_APART, apart
from ccviz.data.sheet import Sheet, open_sheet
from ccviz.errors import CcvizError
from ccviz.views.draft import draft_of
from ccviz.views.lab.session import Session

_SWELLING = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".xlsx", ".xlsm")
"""Formats in which few bytes may hold much."""

_FEW_ROWS = 0.1
"""Largest share of rows that is left out for missing values without asking."""


def open_or_refuse(
    content: bytes, name: str, header: int | None, worksheet: str | None
) -> Sheet | str:
    """Read a table, or return the sentence that says why it cannot be read.

    Parameters
    ----------
    content : bytes
    name : str
        File name; its suffix decides the format.
    header : int or None
    worksheet : str or None
        See `ccviz.data.sheet.open_sheet`.

    Returns
    -------
    Sheet or str
    """
    try:
        return open_sheet(content, name, header, worksheet)
    except CcvizError as refused:
        return str(refused)


def _may_swell(name: str) -> bool:
    return name.lower().endswith(_SWELLING)


class Importing(param.Parameterized):
    """The import sheet of one session: the table as read, and the choices made so far.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    sheet : Sheet or None
        What waits to be loaded.
    decisions : tuple of Decision
        One for each of its columns.
    missing : {"drop", "median"}
        What is done about missing values, should there be any.
    scaling : str
        How the features will be scaled, see `ccviz.data.scaling.SCALINGS`.
    refusal : str
        Why it could not be loaded; empty if no load was tried.
    """

    sheet = param.Parameter(default=None)
    decisions = param.Parameter(default=())
    missing = param.Selector(default="drop", objects=["drop", "median"])
    scaling = param.String(default="none")
    refusal = param.String(default="")

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._asked: dict[str, str] = {}
        self._file: tuple[str, bytes] = ("", b"")

    def bring(self, name: str, content: bytes) -> None:
        """Read a file, now or in a later tick of the session, and show its content."""

        def show(sheet: Sheet) -> None:
            self._show(sheet)
            self._file = (name, content)

        self._session.bring(name, open_sheet, content, name, then=show, may_swell=_may_swell(name))

    def read_again(self, header: int | None = None, worksheet: str | None = None) -> None:
        """Read the file again with another header or worksheet; a refusal stays on the sheet.

        Parameters
        ----------
        header : int, optional
            Number of the line or row that names the columns, 0 for none; found by default.
        worksheet : str, optional
            Name of a worksheet; by default the same as before.
        """
        if self.sheet is None:
            return
        name, content = self._file
        about = (name, header, worksheet or self.sheet.table.worksheet or None)
        self._session.bring(
            name, open_or_refuse, content, *about, then=self._show_again, may_swell=_may_swell(name)
        )

    def _show_again(self, read: Sheet | str) -> None:
        if isinstance(read, str):
            self.refusal = read
        elif self.sheet is not None:  # not put away meanwhile
            self._show(read)

    def _show(self, sheet: Sheet) -> None:
        self._asked = {}
        self._session.person.quota.check_table(sheet.n, len(sheet.columns))
        decisions = sheet.decide()
        self._session.cancel()
        gaps = sheet.gaps(decisions)
        self.param.update(
            sheet=sheet,
            decisions=decisions,
            missing="drop" if gaps.rows <= _FEW_ROWS * gaps.of else "median",
            scaling="standard" if self._apart(sheet, decisions) > MOST_APART else "none",
            refusal="",
        )

    @staticmethod
    def _apart(sheet: Sheet, decisions: tuple[Decision, ...]) -> float:
        taken = [
            column.values
            for column, decision in zip(sheet.columns, decisions, strict=True)
            if decision.role == "feature" and column.is_countable
        ]
        return apart(taken)

    def take_as(self, roles: dict[str, str]) -> None:
        """Take columns as something else; one alone can be the class, the name or the weight."""
        if self.sheet is None:
            return
        for column, role in roles.items():
            if role in SINGLE:
                for other, known in self._asked.items():
                    self._asked[other] = "ignore" if known == role else known
            self._asked[column] = role
        self.param.update(decisions=self.sheet.decide(self._asked), refusal="")

    def leave_out(self) -> None:
        """Take no column as a feature, so that a few can be chosen."""
        self.take_as({d.column: "ignore" for d in self.decisions if d.role == "feature"})

    def load(self) -> None:
        """Take the table as the data, as it was decided; a refusal stays on the sheet."""
        session, sheet = self._session, self.sheet
        if sheet is None:
            return
        try:
            data = sheet.dataset(self.decisions, self.missing)
            draft = draft_of(self._with_asked_k(data)).with_scaling(self.scaling)
        except CcvizError as refused:
            self.refusal = str(refused)
            return
        session.adopt(draft)
        if session.draft is draft:
            self.cancel()
        else:
            self.refusal = session.notice.text

    def _with_asked_k(self, data: Dataset) -> Dataset:
        """Return the points without a number of clusters that only a guessed class gives."""
        guessed = any(each.role == "class" and each.why for each in self.decisions)
        return replace(data, k=self.sheet.table.k) if guessed else data

    def cancel(self) -> None:
        """Put the sheet away."""
        self._asked, self._file = {}, ("", b"")
        self.param.update(sheet=None, decisions=(), refusal="")
