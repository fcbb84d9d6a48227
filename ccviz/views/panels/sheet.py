"""The sheet over the page on which it is decided what the columns of a table are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.data.scaling import SCALINGS
from ccviz.numbers import count
from ccviz.views.frames.sheet import FIRST_ROWS, lines
from ccviz.views.lab.importing import Importing
from ccviz.views.panels.commit import held
from ccviz.views.panels.template import with_template

DIALOG_STYLE = """
dialog { color: var(--ink); background: var(--paper); border: 1px solid var(--line);
  border-radius: 10px; padding: 16px 20px; width: min(1080px, 94vw); max-height: 88vh;
  box-sizing: border-box; font-size: 13px; overflow: hidden; }
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(0 0 0 / 0.45); }
h1 { font-size: 16px; margin: 0 0 6px; }
p { margin: 0 0 4px; color: var(--faint); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 3px 8px; border-bottom: 1px solid var(--line); }
label { display: flex; align-items: center; gap: 8px; flex-wrap: wrap; }
select, button { font: inherit; color: var(--ink); background: var(--paper);
  border: 1px solid var(--line); border-radius: 6px; padding: 4px 8px; min-height: 30px; }
footer { display: flex; gap: 8px; margin-top: 12px; }
button { cursor: pointer; font-weight: 550; padding: 4px 16px; }
button:hover { background: var(--back); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
select:focus-visible, button:focus-visible { outline: 2px solid var(--accent); }
"""
"""Of every sheet over the page."""

_STYLE = (
    DIALOG_STYLE
    + """
.sheet { display: flex; flex-direction: column; min-height: 0; }
p[role="alert"] { color: var(--bad); background: var(--bad-back); border-radius: 6px;
  padding: 6px 10px; margin: 8px 0 0; font-weight: 550; }
.scroll { overflow: auto; min-height: 90px; border: 1px solid var(--line); border-radius: 6px;
  margin: 6px 0; scrollbar-width: thin; }
thead th { position: sticky; top: 0; background: var(--back); color: var(--faint);
  font-size: 12px; z-index: 1; }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 90px; }
td.cell { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--faint); }
td.holds { min-width: 140px; }
td.holds i { color: var(--faint); font-size: 12px; }
tr.ignore th, tr.ignore td { opacity: 0.62; }
tr.ignore td:nth-child(2) { opacity: 1; }
tr.class select, tr.name select { border-color: var(--accent); }
.choices { display: flex; flex-wrap: wrap; gap: 8px 24px; }
tbody select { max-width: 190px; min-height: 26px; padding: 2px 4px; }
footer span { flex: 1; }
"""
)


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
        held(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        importing, what = self._importing, message["what"]
        if what == "role":
            importing.take_as({message["column"]: message["role"]})
        elif what in ("missing", "scaling"):
            setattr(importing, what, message["value"])
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
        "remarks": list(sheet.remarks()),
        "gaps": told if gaps.values else "",
        "missing": importing.missing,
        "apart": f"{count(features, 'column')} of features, scaled:",
        "scalings": [list(pair) for pair in SCALINGS.items()],
        "scaling": importing.scaling,
        "refusal": importing.refusal,
    }
