"""A batch of runs: the sheet over the page that says which, and how far they are."""

from __future__ import annotations

from typing import Any

import param
from panel.custom import JSComponent

from ccviz.errors import CcvizError
from ccviz.runs.limits import Limits
from ccviz.solvers import SOLVERS, make_solver
from ccviz.solvers.base import GROUPS
from ccviz.views.frames.runs import OUTCOME_COLUMNS, outcome_row
from ccviz.views.lab.session import Session
from ccviz.views.lab.suiting import unable
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_SEEDS = 3
_SECONDS = 30.0
_MOST_SEEDS = 100
_MOST_TOLD = 6

_STYLE = css("dialog.css", "batch.css")


class BatchPanel(JSComponent):
    """Which solvers, seeds and numbers of clusters; begin, progress, stop.

    Parameters
    ----------
    session : Session
    """

    form = param.Dict(default={})
    state = param.Dict(default={"done": 0, "total": 0, "busy": False, "words": "", "rows": []})
    columns = param.List(default=list(OUTCOME_COLUMNS))
    shown = param.Boolean(default=False)

    _esm = with_template("batch.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self._session = session
        self._said = ""
        session.batch.param.watch(
            self._refresh, ["done", "total", "at", "busy", "left_out", "outcomes"]
        )

    def open(self) -> None:
        """Show the sheet, made out for the problem and the solver at hand."""
        session = self._session
        cannot = unable(session.draft)
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
            "k": session.draft.k,
            "seeds": _SEEDS,
            "first": session.seed,
            "seconds": session.time_limit or _SECONDS,
        }  # fmt: skip
        self.shown = True

    def _refresh(self, *_: Any) -> None:
        batch = self._session.batch
        told = [str(each) for each in batch.left_out]
        lines = [self._said, *(f"Left out: {words}" for words in told[:_MOST_TOLD])]
        if len(told) > _MOST_TOLD:
            lines.append(f"… and {len(told) - _MOST_TOLD} more are left out.")
        if batch.total:
            lines.insert(0, f"{batch.done:,} of {batch.total:,} runs have ended. {batch.at}")
        self.state = {
            "done": batch.done, "total": batch.total, "busy": batch.busy,
            "words": "\n".join(filter(None, lines)),
            "rows": [outcome_row(each) for each in batch.outcomes],
        }  # fmt: skip

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._act)(data)

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
        many = range(first, first + min(max(seeds, 1), _MOST_SEEDS))
        try:
            session.batch.start(
                session.draft, solvers, many, range(low, max(low, high) + 1), limits
            )
        except CcvizError as refused:
            self._said = str(refused)
        self._refresh()
