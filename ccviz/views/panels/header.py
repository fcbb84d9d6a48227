"""The bar at the top: the problem, undo and redo, the theme; and notices under it."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.numbers import count
from ccviz.solvers import solver_class
from ccviz.views.lab.keys import tell_keys
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session
from ccviz.views.panels import icons
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message

_NOTICE = Markup('<div class="sentence" role="alert"><b>{}</b> {}{}</div>')
_ROWS = Markup("<dl>{}</dl>")
_ROW = Markup("<div><dt>{}</dt><dd>{}</dd></div>")


class HeaderPanel(pn.viewable.Viewer):
    """Facts, lessons, undo, redo, theme.

    Parameters
    ----------
    session : Session
    more : Panel objects
        Further contents of the bar.
    """

    def __init__(self, session: Session, *more: Any) -> None:
        super().__init__()
        self._session, self._more = session, more
        self._facts = Html("", margin=(11, 8), styles={"flex": "1 0 auto"})
        self._undo = _button(icons.UNDO, "Undo (Z)", session.undo, "Undo")
        self._redo = _button(icons.REDO, "Redo (Shift+Z)", session.redo, "Redo")
        self._keys = _button(icons.KEYS, "Keys (?)", partial(tell_keys, session), "Keys")
        self._theme = _button(icons.THEME, "Light or dark", self._switch, "Theme")
        session.param.watch(self._refresh, "draft")
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Row(
            self._facts, *self._more, self._undo, self._redo, self._keys, self._theme,
            sizing_mode="stretch_width", margin=0,
        )  # fmt: skip

    def _switch(self) -> None:
        self._session.dark = not self._session.dark

    def _refresh(self, *_: Any) -> None:
        draft = self._session.draft
        facts = [
            Markup('<b title="{0}">{0}</b>').format(draft.data.name),
            count(draft.n, "point"),
            count(draft.data.X.shape[1], "feature"),
            f"k = {draft.k}",
        ]
        told = Markup('<span class="facts">{}</span>')
        self._facts.object = told.format(Markup(" · ").join(facts))
        self._undo.disabled = not self._session.can_undo
        self._redo.disabled = not self._session.can_redo


class NoticePanel(pn.viewable.Viewer):
    """What went wrong, or what to know, over the lower edge of the plot, which does not move."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._html = Html("", margin=0, sizing_mode="stretch_width")
        self._take = pn.widgets.Button(name="", margin=(0, 0, 6, 0), css_classes=["advice"])
        self._take.on_click(lambda _: in_one_message(self._switch)())
        self._close = _button(icons.CLOSE, "Put this away (Esc)", session.cancel, "Put this away")
        told = pn.Column(self._html, self._take, sizing_mode="stretch_width", margin=0)
        self._row = pn.Row(told, self._close, sizing_mode="stretch_width", visible=False, margin=0)
        session.param.watch(lambda event: self._show(event.new), "notice")
        self._show(session.notice)

    def __panel__(self) -> Any:
        return self._row

    def _switch(self) -> None:
        notice = self._session.notice
        if notice is not None and notice.take:
            self._session.notice = None
            self._session.set_solver(notice.take)

    def _show(self, notice: Notice | None) -> None:
        if notice is None:
            self._html.object = ""
        else:
            rows = Markup().join(_ROW.format(*row) for row in notice.rows)
            listed = _ROWS.format(rows) if notice.rows else ""
            self._html.object = _NOTICE.format(notice.heading, notice.text, listed)
            self._row.css_classes = ["notice", notice.kind]
            if notice.take:
                self._take.name = f"★ {solver_class(notice.take).title}"
            self._take.visible = bool(notice.take)
        self._row.visible = notice is not None


def _button(icon: str, help_text: str, on_click: Any, name: str = "") -> pn.widgets.Button:
    button = pn.widgets.Button(
        name=name, icon=icon or None, description=Tooltip(content=help_text, position="bottom"),
        color="light", margin=0, align="center", css_classes=["icon-only"] if icon else [],
    )  # fmt: skip
    button.on_click(lambda _: in_one_message(on_click)())
    return button
