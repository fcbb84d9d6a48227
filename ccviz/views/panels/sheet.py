"""The sheet over the page on which it is decided what the columns of a table are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.data.scaling import SCALINGS
from ccviz.numbers import count, whole
from ccviz.views.frames.sheet import FIRST_ROWS, lines
from ccviz.views.lab.importing import Importing
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_STYLE = css("dialog.css", "sheet.css")


class SheetPanel(JSComponent):
    """A table that waits to be loaded, over the page.

    Parameters
    ----------
    importing : Importing
    """

    sheet = param.Dict(default={})

    _esm = with_template("sheet.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, importing: Importing, **params: Any) -> None:
        super().__init__(**params)
        self._importing = importing
        importing.param.watch(
            self._refresh, ["sheet", "decisions", "missing", "scaling", "refusal"]
        )
        self._refresh()

    def _refresh(self, *_: Any) -> None:
        self.sheet = content(self._importing)

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        importing, what = self._importing, message["what"]
        if what == "role":
            importing.take_as({message["column"]: message["role"]})
        elif what in ("missing", "scaling"):
            setattr(importing, what, message["value"])
        elif what == "header":
            importing.read_again(header=whole(str(message["value"])))
        elif what == "worksheet":
            importing.read_again(worksheet=str(message["value"]))
        elif what == "none":
            importing.leave_out()
        elif what == "load":
            importing.load()
        elif what == "cancel":
            importing.cancel()


def content(importing: Importing) -> dict[str, Any]:
    """Return what the sheet shows; nothing if no table waits.

    Parameters
    ----------
    importing : Importing

    Returns
    -------
    dict
    """
    sheet = importing.sheet
    if sheet is None:
        return {}
    gaps = sheet.gaps(importing.decisions)
    features = sum(each.role == "feature" for each in importing.decisions)
    told = f"{count(gaps.values, 'value')} in {gaps.rows:,} of {count(gaps.of, 'row')} missing:"
    return {
        "title": f"{sheet.file}: {count(sheet.n, 'row')}, {count(len(sheet.columns), 'column')}",
        "lines": [asdict(each) for each in lines(sheet, importing.decisions)],
        "rows": min(FIRST_ROWS, sheet.n),
        "worksheets": list(sheet.table.worksheets),
        "worksheet": sheet.table.worksheet,
        "header": sheet.table.header,
        "unit": sheet.table.unit,
        "remarks": list(sheet.remarks()),
        "gaps": told if gaps.values else "",
        "missing": importing.missing,
        "apart": f"{count(features, 'column')} of features, scaled:",
        "scalings": [list(pair) for pair in SCALINGS.items()],
        "scaling": importing.scaling,
        "refusal": importing.refusal,
    }
