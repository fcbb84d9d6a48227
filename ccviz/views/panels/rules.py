"""Rules for every cluster: choose a kind, type a number, see whether each holds."""

from __future__ import annotations

from typing import Any

import param
from panel.custom import JSComponent

from ccviz.data.named_column import column_names
from ccviz.problem.rule_words import RULE_KINDS
from ccviz.runs.info import RunInfo
from ccviz.views.frames.rules import rule_rows
from ccviz.views.lab.ruling import add_rule, drop_rule, runs_to_name
from ccviz.views.lab.session import Session
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_STYLE = css("rules.css")


class RulesPanel(JSComponent):
    """The rules in force, and a form for one more.

    Parameters
    ----------
    session : Session

    Attributes
    ----------
    shown : bool
        Whether the form is open.
    joined : int
        Place of the rule to which the form adds another by *or*; -1 if it adds a rule by itself.
    """

    kinds = param.List(
        default=[
            {"label": each.label, "unit": each.unit, "help": each.help_text,
             "names_run": each.names == "run", "names_column": each.names == "column",
             "joins": each.is_anti_monotone}
            for each in RULE_KINDS.values()
        ],
        constant=True,
    )  # fmt: skip
    rows = param.List(default=[])
    runs = param.List(default=[])
    columns = param.List(default=[])
    refused = param.String(default="")
    shown = param.Boolean(default=False)
    joined = param.Integer(default=-1)

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
        # Rules are not measured while playing: it takes longer than a clustering is shown.
        answer = run.incumbent if run and not session.player.playing else None
        rows = [
            {"words": each.words, "verdict": each.verdict, "holds": each.holds,
             "joins": each.can_join}
            for each in rule_rows(session.draft.rules, answer)
        ]  # fmt: skip
        if rows != self.rows:
            # The places of rules have changed, unless it is only what holds that has.
            if [row["words"] for row in rows] != [row["words"] for row in self.rows]:
                self.joined = -1
            self.rows = rows
        if self.shown:
            self._list_runs()
            columns = list(column_names(session.draft.data))
            if columns != self.columns:
                self.columns = columns

    def _list_runs(self) -> None:
        runs = [{"id": info.id, "label": _label(info)} for info in runs_to_name(self._session)]
        if runs != self.runs:
            self.runs = runs

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "toggle":
            self.param.update(shown=not self.shown, joined=-1, refused="")
            self._refresh()
        elif what == "join":
            again = self.joined == message["place"]
            self.param.update(shown=True, joined=-1 if again else message["place"], refused="")
            self._refresh()
        elif what == "drop":
            drop_rule(session, session.draft.rules[message["place"]])
        else:
            kind = [*RULE_KINDS.values()][message["kind"]]
            place = None if self.joined < 0 else self.joined
            self.refused = add_rule(session, kind, message["limit"], message["named"], place)


def _label(info: RunInfo) -> str:
    return f"{info.name} (k = {info.k}, {info.objective:,.4g})"
