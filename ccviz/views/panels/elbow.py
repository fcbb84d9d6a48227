"""How many clusters? The sheet over the page that sweeps k, with proved bounds beside."""

from __future__ import annotations

import math
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.studies.elbow import columns, find_elbow, findings, in_words
from ccviz.studies.elbow_step import Step
from ccviz.views.lab.elbow import Elbow
from ccviz.views.lab.session import Session
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_STYLE = css("dialog.css", "elbow.css")
_FIRST = (
    "Each k is clustered under your links. The elbow is the k beyond which more clusters lower the "
    "objective little. The lower bounds say how far that is proved."
)
_NO_SIZES = "Sizes are for one number of clusters, and are left aside."


class ElbowPanel(JSComponent):
    """The sweep, over the page.

    Parameters
    ----------
    session : Session
    """

    content = param.Dict(
        default={"columns": [], "rows": [], "words": _FIRST, "busy": False, "k": 0, "elbow": 0}
    )
    shown = param.Boolean(default=False)

    _esm = with_template("elbow.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self._session = session
        session.elbow.param.watch(self._refresh, ["steps", "at"])
        self.param.watch(self._refresh, "shown")

    def _refresh(self, *_: Any) -> None:
        sweep = self._session.elbow
        elbow = find_elbow(sweep.steps)
        self.content = {
            "columns": columns(sweep.must_keep),
            "rows": [_row(step, sweep.must_keep) for step in sweep.steps],
            "words": _words(sweep, bool(self._session.draft.lower)),
            "busy": sweep.busy,
            "k": self._session.draft.k,
            "elbow": elbow.k if elbow is not None else 0,
        }

    def _handle_msg(self, data: dict[str, Any]) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: dict[str, Any]) -> None:
        session, what = self._session, message["what"]
        if what == "start":
            self._start(message)
        elif what == "stop":
            session.elbow.stop()
        elif what == "take":
            session.set_k(message["k"])
            self.shown = False
        else:
            session.elbow.stop()
            self.shown = False

    def _start(self, message: dict[str, Any]) -> None:
        session, before = self._session, self._session.notice
        low, high = (int(message[end]) for end in ("low", "high"))
        with session.in_words():
            session.elbow.start(
                session.draft, low, high, max(0.0, float(message["seconds"])), session.seed
            )
        if session.notice is not None and session.notice is not before:
            self.content = self.content | {"words": session.notice.text}


def _words(sweep: Elbow, has_sizes: bool) -> str:
    """Return what is being worked out, or else what the steps say."""
    if sweep.at is None:
        said = "\n".join(findings(sweep.steps)) or _FIRST
        return f"{said}\n{_NO_SIZES}" if has_sizes else said
    low, high = sweep.at.numbers[0], sweep.at.numbers[-1]
    numbers = f"k = {low} to {high}" if low < high else f"k = {low}"
    return f"{numbers}: {sweep.at.what}…"


def _row(step: Step, must_keep: bool) -> dict[str, Any]:
    return {
        "k": step.k,
        "objective": step.objective if math.isfinite(step.objective) else None,
        "bound": step.lower_bound if math.isfinite(step.lower_bound) else None,
        "cells": in_words(step, must_keep)[1:],
    }
