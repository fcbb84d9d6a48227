"""A table on its way in: read, looked at, decided column by column, and then loaded."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import param

from ccviz.data.datasets import Dataset
from ccviz.data.scaling import MOST_APART, WORDS, apart
from ccviz.data.sheet import Sheet, open_sheet
from ccviz.data.table import FOUND, SINGLE, Skip
from ccviz.errors import CcvizError, FileFormatError
from ccviz.numbers import count
from ccviz.views.draft import Draft, draft_of
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

_SWELLING = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".xlsx", ".xlsm")
"""Formats in which few bytes may hold much."""

_FEW_ROWS = 0.1
"""Largest share of rows that is left out for missing values without asking."""


_MOST_PREVIEWED = 2_000_000
"""Cells of the largest table whose points are shown before it is loaded."""


def open_or_refuse(
    content: bytes,
    name: str,
    header: int | None,
    worksheet: str | None,
    unknown: tuple[str, ...] = (),
    skip: Skip = FOUND,
) -> Sheet | str:
    """Read a table, or return the sentence that says why it cannot be read.

    `name`: File name; its suffix decides the format. `worksheet`, `unknown`, `skip`: See
    `ccviz.data.sheet.open_sheet`.
    """
    try:
        return open_sheet(content, name, header, worksheet, unknown, skip)
    except CcvizError as refused:
        return without_options(str(refused))


_OPTIONS = re.compile(r" \((skip_rows|skip_last|(columns|missing|unknown|skip_last) = [^)]*)\)")


def without_options(text: str) -> str:
    """Return a sentence on a table without the names that options have in Python."""
    return _OPTIONS.sub("", text)


class Importing(param.Parameterized):
    """The import sheet of one session: the table as read, and the choices made so far."""

    sheet = param.Parameter(default=None)  # What waits to be loaded
    decisions = param.Parameter(default=())
    # What is done about missing values, should there be any.
    missing = param.Selector(default="drop", objects=["drop", "median"])
    # How the features will be scaled, see `ccviz.data.scaling.CHOICES`.
    scaling = param.String(default="none")
    refusal = param.String(default="")  # Why it could not be loaded; empty if no load was tried

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._asked: dict[str, str] = {}
        self._may_lack = False  # whether a table without features is loaded
        self._file: tuple[str, bytes] = ("", b"")

    def read_file(self, name: str, content: bytes) -> None:
        """Read a file, now or in a later tick of the session, and show its content."""

        def show(sheet: Sheet) -> None:
            self._asked = {}
            self._show(sheet)
            self._file = (name, content)

        self._read(open_sheet, name, content, then=show)

    def _read(self, read: Any, name: str, content: bytes, *about: Any, then: Any) -> None:
        swells = name.lower().endswith(_SWELLING)
        self._session.read_file(name, read, content, name, *about, then=then, may_swell=swells)

    def read_again(self, **how: Any) -> None:
        """Read the file again in another way; a refusal stays on the sheet.

        `how`: Some of `header`, `worksheet`, `unknown` and `skip` of `ccviz.data.sheet.open_sheet`.
        The others stay; but another worksheet has its header found, and either has its rows to
        leave out found.
        """
        if self.sheet is None:
            return
        name, content = self._file
        table, words, skip = self.sheet.table, self.sheet.unknown, self.sheet.skip
        known: dict[str, Any] = {"header": table.header, "worksheet": table.worksheet or None}
        known |= {"unknown": words, "skip": skip}
        if "worksheet" in how:
            known["header"] = None
        if "worksheet" in how or "header" in how:
            known["skip"] = FOUND
        about = {**known, **how}.values()
        self._read(open_or_refuse, name, content, *about, then=self._show_again)

    def take_as_missing(self, word: str) -> None:
        """Read the file again with one more word that means a missing value."""
        if self.sheet is not None:
            self.read_again(unknown=(*self.sheet.unknown, word))

    def preview(self) -> Dataset | None:
        """Return the points that *Load* would give; None if it would refuse, or they are many."""
        sheet = self.sheet
        if sheet is None or sheet.n * len(sheet.columns) > _MOST_PREVIEWED:
            return None
        try:
            return sheet.dataset(self.decisions, self.missing)
        except CcvizError:
            return None

    def _show_again(self, read: Sheet | str) -> None:
        if isinstance(read, str):
            self.refusal = read
        elif self.sheet is not None:  # not put away meanwhile
            self._show(read)

    def _show(self, sheet: Sheet) -> None:
        names = {column.name for column in sheet.columns}
        self._asked = {name: role for name, role in self._asked.items() if name in names}
        self._session.person.quota.check_table(sheet.n, len(sheet.columns))
        decisions = sheet.decide(self._asked)
        self._session.edits.cancel()
        gaps = sheet.gaps(decisions)
        taken = [
            column.values
            for column, decision in zip(sheet.columns, decisions, strict=True)
            if decision.role == "feature" and column.is_countable
        ]
        self.param.update(
            sheet=sheet,
            decisions=decisions,
            missing="drop" if gaps.rows <= _FEW_ROWS * gaps.of else "median",
            scaling="standard" if apart(taken) > MOST_APART else "none",
            refusal="",
        )

    def take_as(self, roles: dict[str, str]) -> None:
        """Take columns as something else; one alone can be the class, the name or the weight."""
        if self.sheet is None:
            return
        for column, role in roles.items():
            if role in SINGLE:
                for other, known in self._asked.items():
                    self._asked[other] = "ignore" if known == role else known
            self._asked[column] = role
        self._may_lack = False
        decisions = self.sheet.decide(self._asked)
        both = zip(self.sheet.columns, decisions, strict=True)
        features = [column for column, decision in both if decision.role == "feature"]
        words = {column.name for column in features if not column.is_countable and not column.yes}
        if len(words) < len(features) and words & {*roles}:
            self.scaling = WORDS  # else a word of m values counts as m numbers
        self.param.update(decisions=decisions, refusal="")

    def leave_out(self) -> None:
        """Take no column as a feature, so that a few can be chosen."""
        self.take_as({d.column: "ignore" for d in self.decisions if d.role == "feature"})

    def load(self) -> None:
        """Take the table as the data, as it was decided; a refusal stays on the sheet."""
        session, sheet = self._session, self.sheet
        if sheet is None:
            return
        try:
            data = sheet.dataset(self.decisions, self.missing, not self._may_lack)
            if any(each.role == "class" and each.why for each in self.decisions):
                data = replace(data, k=sheet.table.k)  # not that of a class which is only guessed
            draft = draft_of(data).with_scaling(self.scaling)
        except CcvizError as refused:
            self.refusal = without_options(str(refused))
            if not any(each.role == "feature" for each in self.decisions):
                self._may_lack, self.refusal = True, f"{self.refusal} Load again to do so."
            return
        before = session.draft
        with suppress(CcvizError):  # links that cannot be kept stay behind
            draft = draft.with_links_of(session.draft)
        session.edits.adopt(draft)
        if session.draft is draft:
            self.cancel()
            if words := _followed(draft, before):
                session.notice = Notice("info", words, title="the same rows")
        else:
            self.refusal = session.notice.text

    def cancel(self) -> None:
        """Put the sheet away."""
        self._asked, self._file, self._may_lack = {}, ("", b""), False
        self.param.update(sheet=None, decisions=(), refusal="")


def _followed(draft: Draft, before: Draft) -> str:
    """Return which rows and links of the table before are in another one; empty if none is."""
    rows, again = before.rows_in(draft), draft.rows_in(before)
    if rows.max() < 0:
        return ""
    gone = [name for name, row in zip(before.data.names, rows.tolist(), strict=True) if row < 0]
    more = f" and {len(gone) - _MOST_GONE:,} more" if len(gone) > _MOST_GONE else ""
    lost = f" Gone: {', '.join(gone[:_MOST_GONE])}{more}." if gone else ""
    stay, new = before.n - len(gone), int((again < 0).sum())
    words = f"{stay:,} of {count(before.n, 'row')} are matched by name, {new:,} new."
    links = count(len(before.links), "link")
    followed = f" {len(draft.links):,} of {links} followed their points." if before.links else ""
    return words + lost + followed


# --- A file on its way from the browser: parts of bytes, joined while they fit together -----------


_MOST_GONE = 5  # rows that are listed

_MOST_LETTERS = 200
"""Largest number of letters of a file's name; the rest is cut off at its start."""


@dataclass(eq=False)
class Upload:
    """A file of which some parts have arrived."""

    name: str  # File name without folders; it is shown, and its ending says the format
    size: int
    content: bytearray = field(default_factory=bytearray)

    @property
    def is_whole(self) -> bool:
        """Whether every byte has arrived."""
        return len(self.content) == self.size

    def add(self, at: int, part: bytes) -> None:
        """Join the next part.

        `at`: Offset of the part in the file, bytes. Raises `FileFormatError` if the part is not the
        next one, or goes beyond the end of the file.
        """
        if at != len(self.content) or at + len(part) > self.size:
            raise FileFormatError(f"{self.name}: the parts of the file do not fit together.")
        self.content += part


def begin_upload(name: Any, size: Any, most: int) -> Upload:
    """Return an upload of which nothing has arrived.

    `most`: Largest number of bytes of a file. Raises `FileFormatError` if the file is too large, or
    the browser states no name and number of bytes.
    """
    if not isinstance(name, str) or not isinstance(size, int) or size < 0:
        raise FileFormatError("the browser stated no name and size of the file.")
    plain = name.replace("\\", "/").rpartition("/")[2][-_MOST_LETTERS:]
    if size > most:
        raise FileFormatError(
            f"{plain} has {size / 1e6:,.0f} MB; at most {most / 1e6:,.0f} MB are taken."
        )
    return Upload(plain, size)
