"""Assembles the page of one browser session."""

from __future__ import annotations

import gc
import posixpath
import re
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

import panel as pn
from bokeh.models import InlineStyleSheet
from bokeh.resources import Resources
from bokeh.settings import settings
from panel.io.resources import CDN_DIST, DIST_DIR, LOCAL_DIST, get_dist_path
from panel.theme.base import Inherit
from panel.viewable import Viewable

from ccviz.data.datasets import load
from ccviz.runs.archive import Archive
from ccviz.runs.database import default_path
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.inside import CATALOGUE
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import Painter
from ccviz.views.lab.personal_archive import Example, KeptDrafts
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.lessons.catalogue import lesson_of_address
from ccviz.views.lessons.course import Course, Lesson
from ccviz.views.lessons.written import lesson_of, of_file
from ccviz.views.page.script import PageScript, keep_time
from ccviz.views.panels.classroom import Answers, ClassPanel, QuestionPanel
from ccviz.views.panels.data import DataPanel, SheetPanel
from ccviz.views.panels.header import (
    Fixes,
    HeaderPanel,
    NoticePanel,
    Preparation,
    PreparationPanel,
    WelcomePanel,
)
from ccviz.views.panels.lessons import (
    LessonChoice,
    LessonEditor,
    LessonPanel,
)
from ccviz.views.panels.links import LinksPanel, RulesPanel
from ccviz.views.panels.player import PlayerPanel
from ccviz.views.panels.plot import PlotPanel
from ccviz.views.panels.right import INSIDE, RightPanel
from ccviz.views.panels.share import AddressPanel, page_address
from ccviz.views.panels.solver import SolverPanel
from ccviz.views.serve.access import ACCESS, Access, visitor
from ccviz.views.share.address import apply_query, hidden_controls
from ccviz.views.share.kept import LAST_PROJECT, PREFIX, KeptFiles, LastProject, open_kept
from ccviz.views.upstream import (
    Design,
    Template,
    close_components,
    keep_parameters_as_text,
    limit_pages,
    lock_events,
    send_all,
    shorten_socket_logs,
)

# --- The files that a browser fetches with a page -------------------------------------------------
#
# Up to version 1.9 Panel gives every widget a link to each of its style sheets, and ours as text:
# five hundred requests and most of a megabyte, each of which triggers a layout. Here a page has one
# model for each sheet, which knows its text. From 1.10 on Panel itself has one link for each. And
# of Bokeh's scripts a page has those that it uses.


WIDGETS = "widgets.css"  # ours, as `Lab` names it
_UNUSED = ("bokeh-gl", "bokeh-mathjax")  # nothing is drawn by WebGL, and no text is TeX
_RELATIVE = re.compile(r"(url\(['\"]?+)(?!data:|[a-z]+:|/)")


def fetch_little() -> None:
    """Have pages fetch no script that they do not use, and this one few style sheets, all local.

    By itself Panel learns that its files are on this server when the finished page is written out:
    what was made before and is shown later would be fetched from elsewhere.
    """
    Resources._default_components = [
        each for each in Resources._default_components if each not in _UNUSED
    ]
    if pn.state.curdoc is not None:
        pn.state.curdoc.template_variables["dist_url"] = get_dist_path()
        pn.state._stylesheets[pn.state.curdoc] = Sheets()


class Sheets(dict[str, InlineStyleSheet]):
    """The style sheets of one page by their address, where Panel looks before it makes a link."""

    def __init__(self) -> None:
        # Not empty, or Panel would not look.
        super().__init__({WIDGETS: InlineStyleSheet(css=_text(WIDGETS, ""))})

    def __contains__(self, address: object) -> bool:
        known = super().__contains__(address)
        if not known and (text := _text(str(address), get_dist_path())):
            self[str(address)] = InlineStyleSheet(css=text)
            return True
        return known


@cache
def _text(address: str, shipped: str) -> str:
    """Return the content of a style sheet of ours or Panel's, empty for any other.

    What it imports is looked for from where Panel's files are ``shipped``.
    """
    path = address.partition("?")[0]
    if posixpath.basename(path) == WIDGETS:
        return (Path(__file__).parent / WIDGETS).read_text(encoding="utf-8")
    local = path.rpartition(LOCAL_DIST)[2] if LOCAL_DIST in path else path.removeprefix(CDN_DIST)
    sheet = DIST_DIR / local
    if local == path or not sheet.is_file():
        return ""
    folder = posixpath.join(shipped, posixpath.dirname(local))
    return _RELATIVE.sub(rf"\g<1>{folder}/", sheet.read_text(encoding="utf-8"))


# --- The look of all widgets: Panel's native design with the page's style sheet -------------------


class Lab(Design):
    """Panel's native design in the page's colours."""

    modifiers: ClassVar[dict[Any, Any]] = {Viewable: {"stylesheets": [Inherit, WIDGETS]}}


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
    close_components()
    settings.perform_document_validation = (
        False  # it takes a tenth of a page's time; a test does it
    )
    if pn.state.curdoc is not None:  # the page's own script handles a lost server
        pn.state.curdoc.config.update(reconnect_session=False, notify_connection_status=False)
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
    lesson, shared, hide = asked.pop("lesson", ""), asked.pop("shared", ""), frozenset[str]()
    with session.reporting_errors():
        hide = hidden_controls(asked.pop("hide", ""))
    drafts = pn.state.as_cached("drafts", KeptDrafts)
    if "solver" not in asked:
        session.edits.choose_solver()
    if shared:
        with session.reporting_errors():
            open_kept(session, _kept_files(), shared)
    elif asked:
        apply_query(session, asked, drafts)
        session.edits.forget()
    importing = Importing(session)
    last_project: LastProject | None = pn.state.cache.get(LAST_PROJECT)
    brought = last_project is not None and last_project.register(session, importing)
    if not (asked or empty or brought or lesson or shared):  # nothing else is to be shown
        session.show_example(example.run_id)
    preparation = PreparationPanel(session, pn.state.as_cached("preparation", Preparation))
    page, script = _page(session, importing, drafts, lesson, hide)
    script.follow_system(session, has_theme=bool(theme))
    page.add_panel("preparation", preparation)
    keep_time(session, preparation)
    return page


def _kept_files() -> KeptFiles:
    folder = default_path().parent / "shared"
    return pn.state.as_cached("kept files", partial(KeptFiles, folder))


def _lesson(word: str) -> Lesson:
    """Return the lesson of an address, which the server may keep."""
    if not word.startswith(PREFIX):
        return lesson_of_address(word)
    _, content = _kept_files().find("lesson", word.removeprefix(PREFIX))
    return replace(lesson_of(of_file(content)), word=word)


def _way_on(course: Course, hide: frozenset[str]) -> str:
    """Return what the address says of the lesson that is on, and of what is hidden."""
    lesson = course.lesson
    asked = {"lesson": lesson.word or lesson.name} if lesson else {}
    if hide:
        asked["hide"] = ",".join(sorted(hide))
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


def freeze_imports() -> bool:
    """Exclude the libraries' objects from garbage collection: they last as long as the server.

    A pass over them takes a tenth of a second, during which no page moves.
    """
    gc.collect()
    gc.freeze()
    return True


def _page(
    session: Session, importing: Importing, drafts: KeptDrafts, lesson: str, hide: frozenset[str]
) -> tuple[pn.template.Template, PageScript]:
    """Return the page and its script.

    `lesson`: Its name, or the word of one that was written on a page; empty for none. `hide`: The
    controls that the address hides.
    """
    html = (_HERE / "page.html").read_text(encoding="utf-8")
    page = Template(html)
    sheets = [(_HERE / name).read_text(encoding="utf-8") for name in ("colors.css", "style.css")]
    page.add_variable("style", "".join(sheets))
    page.add_variable("html_attrs", 'data-theme="dark"' if session.dark else "")
    inspection = Inspection(session.archive, session.player, CATALOGUE)
    wide: Any = {"sizing_mode": "stretch_width", "margin": 0}
    stretch = {"sizing_mode": "stretch_both", "margin": 0}
    course, painter = Course(session), Painter(session)
    access: Access | None = pn.state.cache.get(ACCESS)
    # None without an access control, and in a window.
    gives = access is not None and access.has_cookies and LAST_PROJECT not in pn.state.cache
    addresses = [AddressPanel(session, _kept_files())] if gives else []
    editor = LessonEditor(session, course, page_address, *(each.keep for each in addresses))
    choice = [] if "lessons" in hide else [LessonChoice(course, editor.open)]
    page.add_panel("header", HeaderPanel(session, *choice))
    right = RightPanel(session, inspection, course, *addresses)
    if lesson:
        with session.reporting_errors():
            course.begin(_lesson(lesson))
    data = DataPanel(session, importing)
    covers = [data.file, *(each.__panel__() for each in choice)]
    welcome = WelcomePanel(session, course, partial(right.show, INSIDE), covers)
    answers = pn.state.as_cached(
        "answers", lambda: Answers(default_path().parent / "answers.sqlite")
    )
    question = QuestionPanel(session, course, answers)
    shown = [ClassPanel(session, course, answers)] if session.person.is_teacher else []
    step = LessonPanel(course, session.runner, question, *shown)
    above = pn.Column(welcome, editor, step, **wide)
    page.add_panel("lesson", above)
    asked = {"links": LinksPanel, "rules": RulesPanel}
    second = [panel(session) for name, panel in asked.items() if name not in hide]
    section: Any = {"css_classes": ["section"], "sizing_mode": "stretch_width"}
    steps = {
        "data": [data],
        "": [pn.Column(*second, margin=(0, 0, 8, 0), **section)] if second else [],
        "solver": [SolverPanel(session)],
    }
    shown = [each for name, step in steps.items() if name not in hide for each in step]
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
    way_on = partial(_way_on, course, hide)
    script = PageScript(session, painter, right.show, drafts, way_on, course)
    page.add_panel("script", pn.Row(script, Fixes(), SheetPanel(importing), width=0, height=0))
    return page, script
