"""The bar at the top: the problem, undo and redo, the theme; and notices under it."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import param
from markupsafe import Markup

from ccviz.data.datasets import EXAMPLES, load
from ccviz.feasibility.cure import Cure
from ccviz.numbers import count
from ccviz.problem.asked import AnyAsked
from ccviz.runs.warm import compiled, start_compiling
from ccviz.solvers import SOLVERS, solver_class
from ccviz.studies.choose_k import LEAST
from ccviz.views.lab.loading import load_data
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.personal_archive import WORDS
from ccviz.views.lab.session import Session, show_keys
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course
from ccviz.views.panels.base import (
    CLOSE,
    KEYS,
    REDO,
    THEME,
    UNDO,
    Component,
    Html,
    Panel,
    assets,
    button,
    watches,
)

# --- Sentences for the page about the compiling beside a new server -------------------------------


class Preparation:
    """What this server still compiles, once on this machine; shared by all its sessions."""

    def __init__(self) -> None:
        self._lanes = start_compiling()
        if self._lanes:
            atexit.register(self.close)

    @property
    def missing(self) -> tuple[str, ...]:
        """The solvers that are not ready yet, by name; none once compiling has ended."""
        if not any(lane.poll() is None for lane in self._lanes):
            self._lanes = []
        return tuple(s.name for s in SOLVERS if not compiled(s.name)) if self._lanes else ()

    def words(self, awaited: str = "") -> str:
        """Return the progress as a sentence, or nothing.

        `awaited`: Name of the solver whose run is about to start, if there is one.
        """
        if awaited and not compiled(awaited):
            return (
                f"The run compiles the inner loops of {awaited} that it needs, once on this "
                "machine: up to a minute."
            )
        if missing := self.missing:
            ready = len(SOLVERS) - len(missing)
            return (
                f"Compiling the solvers, once on this machine: {ready} of {len(SOLVERS)} are ready."
            )
        return ""

    def close(self) -> None:
        """End what still compiles."""
        for lane in self._lanes:
            lane.terminate()


def awaited_solver(session: Session) -> str:
    """Return the solver of the run that a session waits for, while its worker has said nothing."""
    shot = session.player.shot
    return shot.info.solver if session.runner.busy and shot is not None and shot.last < 0 else ""


_NOTICE = Markup('<div class="sentence" role="alert"><b>{}</b> {}{}</div>')
_ROWS = Markup("<dl>{}</dl>")
_ROW = Markup("<div><dt>{}</dt><dd>{}</dd></div>")


class HeaderPanel(Panel):
    """Facts, lessons, undo, redo, theme.

    `more`: Further contents of the bar.
    """

    def __init__(self, session: Session, *more: Any) -> None:
        super().__init__()
        self._session, self._more = session, more
        self._facts = Html("", margin=(11, 8), styles={"flex": "1 0 auto"})
        self._undo = _button(UNDO, "Undo (Z)", session.edits.undo, "Undo")
        self._redo = _button(REDO, "Redo (Shift+Z)", session.edits.redo, "Redo")
        self._keys = _button(KEYS, "Keys (?)", partial(show_keys, session), "Keys")
        self._keys.css_classes = ["icon-only", "named", "keyed"]
        self._theme = _button(
            THEME,
            "Light or dark",
            lambda: session.param.update(dark=not session.dark),
            "Theme",
        )
        self._theme.css_classes = ["icon-only", "named"]
        self.follow(session)
        self._refresh()

    def __panel__(self) -> Any:
        return pn.Row(
            self._facts, *self._more, self._undo, self._redo, self._keys, self._theme,
            sizing_mode="stretch_width", margin=0,
        )  # fmt: skip

    @watches("draft")
    def _refresh(self, *_: Any) -> None:
        draft = self._session.draft
        facts = [
            Markup('<b title="{0}">{0}</b>').format(draft.data.name),
            count(draft.n, "point"),
            count(draft.data.X.shape[1], "feature"),
            f"k = {draft.k}",
        ]
        template = Markup('<span class="facts">{}</span>')
        self._facts.object = template.format(Markup(" · ").join(facts))
        self._undo.disabled = not self._session.edits.can_undo
        self._redo.disabled = not self._session.edits.can_redo


class NoticePanel(Panel):
    """What went wrong, or what to know, over the lower edge of the plot, which does not move."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._html = Html("", margin=0, sizing_mode="stretch_width")
        self._take = button("", self._switch, margin=(0, 0, 6, 0), css_classes=["advice"])
        self._close = _button(CLOSE, "Put this away (Esc)", session.edits.cancel, "Put this away")
        self._cures = pn.FlexBox(gap="6px", margin=(0, 0, 6, 0), visible=False)
        words = pn.Column(
            self._html, self._take, self._cures, sizing_mode="stretch_width", margin=0
        )
        self._box = pn.Row(words, self._close, sizing_mode="stretch_width", visible=False, margin=0)
        self.follow(session)
        self._show()

    def _switch(self) -> None:
        notice = self._session.notice
        if notice is not None and notice.take:
            self._session.notice = None
            self._session.set_solver(notice.take)

    def _cure(self, cure: Cure, rules: tuple[AnyAsked, ...] | None) -> pn.widgets.Button:
        """Return the button that makes a change."""

        def change() -> None:
            self._session.notice = None
            self._session.edits.cure(cure, rules)

        words = f"{cure.words[:1].upper()}{cure.words[1:]}"
        return button(words, change, margin=0, css_classes=["advice"])

    def _least_k(self, notice: Notice) -> pn.widgets.Button:
        """Return the button that looks for the fewest clusters that can keep the rules."""
        session = self._session

        def find() -> None:
            session.notice = None
            with session.reporting_errors():
                session.elbow.choose(session.draft, LEAST, session.seed, notice.rules)

        return button("Find the least k", find, margin=0, css_classes=["advice"])

    @watches("notice")
    def _show(self, *_: Any) -> None:
        notice = self._session.notice
        if notice is None:
            self._html.object = ""
        else:
            rows = Markup().join(_ROW.format(*row) for row in notice.rows)
            listed = _ROWS.format(rows) if notice.rows else ""
            self._html.object = _NOTICE.format(notice.heading, notice.text, listed)
            self._box.css_classes = ["notice", notice.kind]
            if notice.take:
                self._take.name = f"★ {solver_class(notice.take).title}"
            self._take.visible = bool(notice.take)
            cures = [self._cure(cure, notice.rules) for cure in notice.cures]
            self._cures[:] = [*cures, *([self._least_k(notice)] if notice.finds_k else [])]
            self._cures.visible = bool(self._cures.objects)
        self._box.visible = notice is not None


def _button(icon: str, help_text: str, on_click: Any, name: str = "") -> pn.widgets.Button:
    return button(
        name, on_click, help_text, "bottom", icon=icon or None, color="light", margin=0,
        align="center", css_classes=["icon-only"] if icon else [],
    )  # fmt: skip


# --- The three choices of the opening page: try it, take a lesson, bring your own table -----------


_TRY = next(iter(EXAMPLES))
"""The example problem of *Try it*: assignments, tree and both bounds move at once."""

_EDITED = "Your edits go on from the example. Or begin with one of these:"


class WelcomePanel(Component):
    """A strip over the page, until other data or a lesson are taken; then with an example's story.

    It stays over edits: the plot below must not move while the mouse aims at a point.

    `look_inside`: Shows what goes on inside the solver. `covers`: What is out of sight meanwhile,
    as the strip offers the same.
    """

    words = param.String(default=WORDS)
    narrates = param.Boolean(default=False, doc="Whether the words are the story of an example.")

    _esm, _stylesheets = assets("welcome.js", "welcome.css")

    def __init__(
        self, session: Session, course: Course, look_inside: Callable[[], None],
        covers: Sequence[Any] = (), **params: Any,
    ) -> None:  # fmt: skip
        shown = session.archive.is_in_library(session.player.run_id)
        super().__init__(
            visible=shown, sizing_mode="stretch_width", css_classes=["section"],
            margin=(0, 0, 8, 0), **params,
        )  # fmt: skip
        self._session, self._course, self._look_inside = session, course, look_inside
        self._draft, self._shut, self._covers = session.draft, not shown, covers
        self.follow(session, course=course)
        self._cover()

    @watches("self.visible", "self.narrates")
    def _cover(self, *_: Any) -> None:
        for each in self._covers:
            each.visible = self.narrates or not self.visible

    @watches("draft", "course.lesson", "story", "presenting")
    def _refresh(self, *_: Any) -> None:
        session = self._session
        is_example = session.draft.data is self._draft.data and self._course.lesson is None
        self._shut = self._shut or not is_example
        words = session.story or (WORDS if session.draft is self._draft else _EDITED)
        narrates = bool(session.story)
        seen = narrates and self._course.lesson is None and not session.presenting
        self.param.update(words=words, narrates=narrates, visible=seen or not self._shut)

    def _act(self, choice: str) -> None:
        session = self._session
        if choice == "away":
            session.story = ""
        elif choice == "try":
            load_data(session, load(_TRY))
            session.start()
            if session.runner.busy:
                self._look_inside()
        elif choice == "lesson":
            self._course.begin(LESSONS[0])


# --- What the page mends of Bokeh's widgets, once, in the browser ---------------------------------


class Fixes(Component):
    """Nothing to see: axes forget tabs that were left, slow drags and clicks count, tabs obey keys.

    To be put into a page once, anywhere.
    """

    _esm = Path(__file__).parent / "mending.js"


# --- The line about compiling in progress; it disappears at the end -------------------------------


class PreparationPanel(Panel):
    """One line at the foot of the page, as long as there is something to say."""

    def __init__(self, session: Session, preparation: Preparation) -> None:
        super().__init__()
        self._session, self._preparation = session, preparation
        self._words = ""
        self._box = Html("", margin=0)
        self.tick()

    def tick(self) -> None:
        """Say the notice of now, if it is not what the page says already."""
        words = self._preparation.words(awaited_solver(self._session))
        if words != self._words:
            self._words = words
            template = Markup('<div class="about" role="status">{}</div>')
            self._box.object = template.format(words) if words else ""
