"""The run that is shown, and those it is compared with, as one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from ccviz.views.export.page import MOST_RUNS, Told
from ccviz.views.export.stored import page_of
from ccviz.views.lab.session import Session
from ccviz.views.panels.commit import held

_STYLE = """
button { border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
  color: var(--ink); font: 600 14px var(--font); padding: 0 14px; height: 36px; cursor: pointer; }
button:hover:not(:disabled) { background: var(--back); }
button:disabled { color: var(--faint); cursor: default; }
button:focus-visible { outline: 2px solid var(--accent); }
"""


class PageFile(JSComponent):
    """A button; the page is made in a process of its own, and then handed to the browser.

    Parameters
    ----------
    session : Session
    told : callable
        Returns the lesson that is on, or None.
    """

    ready = param.Boolean(default=False)
    filename = param.String(default="run.html")
    page = param.String(default="")

    _esm = Path(__file__).parent / "page_file.js"
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, told: Callable[[], Told | None], **params: Any) -> None:
        super().__init__(ready=session.player.shot is not None, **params)
        self._session, self._told = session, told
        session.player.param.watch(self._follow, "shot")

    def _follow(self, event: Any) -> None:
        self.ready = event.new is not None

    def _handle_msg(self, data: str) -> None:
        if data == "make":
            held(self.make)()
        elif data == "taken":
            self.page = ""  # it is large, and the browser has it

    @property
    def runs(self) -> list[tuple[Path, str]]:
        """The run that is shown, and those over which its bounds are drawn; four at most."""
        session = self._session
        chosen = dict.fromkeys((session.player.run_id, *session.compared))
        known = [session.archive.info(run_id).id for run_id in chosen if run_id][:MOST_RUNS]
        return [(session.archive.home_of(run_id).path, run_id) for run_id in known]

    def make(self) -> None:
        """Begin to write the page."""
        session = self._session
        with session.in_words():
            self.filename = f"{session.draft.data.name or 'run'}.html"
            session.bring(
                "The run", page_of, b"", self.runs, session.draft,
                (session.x_axis, session.y_axis), self._told(), then=self._hand_over,
                may_swell=True,
            )  # fmt: skip

    def _hand_over(self, page: str) -> None:
        self._session.notice = None
        self.page = page
