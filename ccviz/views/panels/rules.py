"""Rules for every cluster: choose a kind, type a number, see whether each holds."""

from __future__ import annotations

from typing import Any

import param
from panel.custom import JSComponent

from ccviz.runs.info import RunInfo
from ccviz.views.frames.rules import rule_rows
from ccviz.views.lab.ruling import KINDS, add_rule, drop_rule, runs_to_name
from ccviz.views.lab.session import Session
from ccviz.views.panels.commit import held
from ccviz.views.panels.template import with_template

_STYLE = """
.head { display: flex; align-items: center; margin: 0 4px; }
h2 { flex: 1; font-size: 12px; font-weight: 700; letter-spacing: 0.04em; text-transform: uppercase;
  color: var(--faint); margin: 0; }
ul { list-style: none; margin: 2px 0 0; padding: 0; font-size: 13px; }
li { display: flex; align-items: baseline; gap: 6px; padding: 1px 4px; border-radius: 5px; }
li:hover { background: var(--back); }
li span { flex: 1; min-width: 0; overflow-wrap: anywhere; }
li small { color: var(--good); font-size: 12px; white-space: nowrap; }
li.broken { background: var(--bad-back); color: var(--bad); }
li.broken small { color: var(--bad); }
li button { border: none; background: none; color: var(--faint); cursor: pointer; padding: 3px 5px;
  border-radius: 4px; min-height: 0; }
li button:hover, li button:focus-visible { color: var(--bad); background: var(--bad-back); }
form { display: grid; grid-template-columns: 1fr auto; gap: 4px 6px; margin: 4px 4px 0; }
form[hidden] { display: none; }
select, input { font: inherit; font-size: 13px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--line); border-radius: 6px; padding: 3px 6px; min-height: 30px;
  min-width: 0; width: 100%; box-sizing: border-box; }
select { grid-column: 1 / -1; }
select[hidden] { display: none; }
button { border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
  color: var(--ink); font: inherit; font-size: 13px; font-weight: 550; padding: 3px 10px;
  cursor: pointer; }
.head button { font-size: 12px; padding: 0 8px; min-height: 21px; line-height: 19px; }
button:hover { background: var(--back); }
:focus-visible { outline: 2px solid var(--accent); }
p { grid-column: 1 / -1; margin: 0; font-size: 12px; line-height: 1.35; color: var(--faint); }
p[role="alert"] { color: var(--bad); }
p:empty { display: none; }
"""


class RulesPanel(JSComponent):
    """The rules in force, and a form for one more.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    shown : bool
        Whether the form is open.
    """

    kinds = param.List(
        default=[
            {"label": each.label, "unit": each.unit, "help": each.help_text,
             "names_run": each.names_run}
            for each in KINDS
        ],
        constant=True,
    )  # fmt: skip
    rows = param.List(default=[])
    runs = param.List(default=[])
    refused = param.String(default="")
    shown = param.Boolean(default=False)

    _esm = with_template("rules.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, **params)
        self._session = session
        session.param.watch(self._refresh, "draft")
        session.player.param.watch(self._refresh, ["shot", "playing"])
        self._refresh()

    def _refresh(self, *_: Any) -> None:
        session = self._session
        run = session.run
        # To measure takes longer than what is gone in a moment is worth.
        answer = run.incumbent if run and not session.player.playing else None
        rows = [
            {"words": each.words, "verdict": each.verdict, "holds": each.holds}
            for each in rule_rows(session.draft.rules, answer)
        ]
        if rows != self.rows:
            self.rows = rows
        if self.shown:
            self._list_runs()

    def _list_runs(self) -> None:
        runs = [{"id": info.id, "label": _label(info)} for info in runs_to_name(self._session)]
        if runs != self.runs:
            self.runs = runs

    def _handle_msg(self, data: dict[str, Any]) -> None:
        held(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "toggle":
            self.param.update(shown=not self.shown, refused="")
            self._refresh()
        elif what == "drop":
            drop_rule(session, session.draft.rules[message["place"]])
        else:
            kind = KINDS[message["kind"]]
            self.refused = add_rule(session, kind, message["limit"], message["run"])


def _label(info: RunInfo) -> str:
    return f"{info.name} (k = {info.k}, {info.objective:,.4g})"
