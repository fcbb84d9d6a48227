"""Assembles the page of one browser session."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import panel as pn
from bokeh.settings import settings

from ccviz.data.datasets import load
from ccviz.runs.archive import Archive
from ccviz.runs.database import default_path
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.inside.catalogue import CATALOGUE
from ccviz.views.lab.example import Example
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.kept_drafts import KeptDrafts
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.preparation import Preparation
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.lessons.answers import Answers
from ccviz.views.lessons.course import Course
from ccviz.views.lessons.find import lesson_of_address
from ccviz.views.page.clock import keep_time
from ccviz.views.page.design import Lab
from ccviz.views.page.resources import fetch_little
from ccviz.views.page.script import PageScript
from ccviz.views.panels.class_answers import ClassAnswers
from ccviz.views.panels.data import DataPanel
from ccviz.views.panels.header import HeaderPanel, NoticePanel
from ccviz.views.panels.lesson_editor import LessonEditor
from ccviz.views.panels.lessons import LessonChoice, LessonPanel
from ccviz.views.panels.links import LinksPanel
from ccviz.views.panels.mending import Mending
from ccviz.views.panels.player import PlayerPanel
from ccviz.views.panels.plot import PlotPanel
from ccviz.views.panels.preparation import PreparationPanel
from ccviz.views.panels.right import INSIDE, RightPanel
from ccviz.views.panels.rules import RulesPanel
from ccviz.views.panels.share import page_address
from ccviz.views.panels.sheet import SheetPanel
from ccviz.views.panels.solver import SolverPanel
from ccviz.views.panels.welcome import WelcomePanel
from ccviz.views.serve.last_project import LAST_PROJECT, LastProject
from ccviz.views.serve.visitor import visitor
from ccviz.views.share.address import apply_query
from ccviz.views.share.hidden import hidden_controls
from ccviz.views.upstream.address_parameters import keep_parameters_as_text
from ccviz.views.upstream.event_lock import lock_events
from ccviz.views.upstream.message_queue import send_all
from ccviz.views.upstream.page_messages import limit_pages
from ccviz.views.upstream.page_template import Template
from ccviz.views.upstream.socket_logs import shorten_socket_logs

_HERE = Path(__file__).parent
_IDLE_WORKERS_OF_A_CLASS = 2


def build() -> pn.template.Template:
    """Return the page of a new session; serve it with ``.servable()``."""
    pn.state.as_cached("frozen", freeze_imports)
    pn.extension(design=Lab)
    fetch_little()
    send_all()
    lock_events()
    keep_parameters_as_text()
    shorten_socket_logs()
    limit_pages()
    settings.perform_document_validation = (
        False  # it takes a tenth of a page's time; a test does it
    )
    _lose_in_our_words()
    archive, person = pn.state.as_cached("archive", Archive), visitor()
    many = _IDLE_WORKERS_OF_A_CLASS if person.in_class else 1
    pool = pn.state.as_cached("pool", partial(WorkerPool, archive.path, many))
    pn.state.onload(pool.fill)  # first the page
    queue = pn.state.as_cached("queue", RunQueue)
    example = pn.state.as_cached("example", Example)
    session = Session(archive, queue, load("iris"), person, pool, example)
    pn.config.exception_handler = _report_to(session)
    asked = {
        name: values[0].decode(errors="replace") for name, values in pn.state.session_args.items()
    }
    theme = asked.pop("theme", "")
    session.dark = theme == "dark"
    empty = asked.pop("example", "") == "no"
    lesson, hide = asked.pop("lesson", ""), frozenset[str]()
    with session.in_words():
        hide = hidden_controls(asked.pop("hide", ""))
    drafts = pn.state.as_cached("drafts", KeptDrafts)
    if asked:
        apply_query(session, asked, drafts)
        session.forget_edits()
    importing = Importing(session)
    last_project: LastProject | None = pn.state.cache.get(LAST_PROJECT)
    brought = last_project is not None and last_project.register(session, importing)
    if not (asked or empty or brought or lesson):  # nothing else is to be shown
        session.show_example(example.run_id)
    preparation = PreparationPanel(session, pn.state.as_cached("preparation", Preparation))
    page = _page(session, importing, drafts, Opening(lesson, hide, has_theme=bool(theme)))
    page.add_panel("preparation", preparation)
    keep_time(session, preparation)
    return page


def _answers() -> Answers:
    return Answers(default_path().parent / "answers.sqlite")


def _way_on(course: Course, opening: Opening) -> str:
    """Return what the address says of the lesson that is on, and of what is hidden."""
    lesson = course.lesson
    asked = {"lesson": lesson.word or lesson.name} if lesson else {}
    if opening.hide:
        asked["hide"] = ",".join(sorted(opening.hide))
    return urlencode(asked, safe=",")


def _report_to(session: Session) -> Callable[[Exception], None]:
    """Return a callback that reports an error to a session, without a reference to the session.

    Panel keeps the settings of a page as long as its document; a setting that knew the document
    would keep both for ever.
    """
    known = weakref.ref(session)

    def report(error: Exception) -> None:
        alive = known()
        if alive is not None:
            alive.report(error)

    return report


def _lose_in_our_words() -> None:
    """Leave the handling of a lost server to the page's own script."""
    if pn.state.curdoc is not None:
        pn.state.curdoc.config.update(reconnect_session=False, notify_connection_status=False)


def freeze_imports() -> bool:
    """Exclude the libraries' objects from garbage collection: they last as long as the server.

    A pass over them takes a tenth of a second, during which no page moves.
    """
    gc.collect()
    gc.freeze()
    return True


@dataclass(frozen=True)
class Opening:
    """What an address says of the page itself.

    Attributes
    ----------
    lesson : str
        Its name, or the word of a lesson that was written on a page; empty for none.
    hide : frozenset of str
        Controls that are hidden.
    has_theme : bool
        Whether it says if the page is light or dark; otherwise the browser's system does.
    """

    lesson: str
    hide: frozenset[str]
    has_theme: bool


def _page(
    session: Session, importing: Importing, drafts: KeptDrafts, opening: Opening
) -> pn.template.Template:
    html = (_HERE / "page.html").read_text(encoding="utf-8")
    page = Template(html)
    sheets = [(_HERE / name).read_text(encoding="utf-8") for name in ("colors.css", "style.css")]
    page.add_variable("style", "".join(sheets))
    page.add_variable("html_attrs", 'data-theme="dark"' if session.dark else "")
    inspection = Inspection(session.archive, session.player, CATALOGUE)
    wide: Any = {"sizing_mode": "stretch_width", "margin": 0}
    stretch = {"sizing_mode": "stretch_both", "margin": 0}
    course, painter = Course(session), Painter(session)
    editor = LessonEditor(session, course, page_address)
    choice = [] if "lessons" in opening.hide else [LessonChoice(course, editor.open)]
    page.add_panel("header", HeaderPanel(session, *choice))
    right = RightPanel(session, inspection, course)
    if opening.lesson:
        with session.in_words():
            course.begin(lesson_of_address(opening.lesson))
    welcome = WelcomePanel(session, course, partial(right.show, INSIDE))
    answers = pn.state.as_cached("answers", _answers)
    step = LessonPanel(course, session.runner, ClassAnswers(session, course, answers))
    above = pn.Column(welcome, editor, step, **wide)
    page.add_panel("lesson", above)
    rules = pn.Column(
        RulesPanel(session), sizing_mode="stretch_width", css_classes=["section", "slim"],
        margin=(0, 0, 8, 0),
    )  # fmt: skip
    problem = {"data": DataPanel(session, importing), "links": LinksPanel(session),
               "rules": rules, "solver": SolverPanel(session)}  # fmt: skip
    shown = [panel for name, panel in problem.items() if name not in opening.hide]
    page.add_panel("left", pn.Column(*(shown or [pn.Spacer(height=0)]), **wide))
    page.add_variable("alone", "" if shown else "data-alone")
    page.add_panel(
        "main",
        pn.Column(
            pn.Column(
                PlotPanel(session, inspection, painter),
                NoticePanel(session),
                css_classes=["section", "plot"],
                **stretch,
            ),
            pn.Spacer(height=8),
            PlayerPanel(session),
            **stretch,
        ),
    )
    page.add_panel("right", right)
    script = PageScript(session, painter, right.show, drafts, partial(_way_on, course, opening))
    script.follow_system(session, opening.has_theme)
    course.param.watch(lambda _: script.remember(session), "lesson")
    page.add_panel("script", pn.Row(script, Mending(), SheetPanel(importing), width=0, height=0))
    return page
