"""Makes the gallery of the docs: a page for each lesson and each solver, with a run to play.

Sphinx calls `write_gallery` before it reads the pages. The runs are small, and made once a build.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from gallery_texts import ENTRIES, Entry
from threadpoolctl import threadpool_limits
from thumbnails import save_thumbnail

from ccviz import Problem, start
from ccviz.data import load
from ccviz.data.random_links import random_pairs
from ccviz.solvers import SOLVERS
from ccviz.solvers.base import Solver
from ccviz.views.export.page import save_html
from ccviz.views.export.story import Play
from ccviz.views.lessons.catalogue import LESSONS, walk
from ccviz.views.lessons.course import Lesson

_RUN = """
<iframe src="../runs/{name}.html" title="{title}: the run" loading="lazy"
 style="width:100%;height:780px;border:1px solid var(--color-background-border)"></iframe>

<p><a href="../runs/{name}.html">The run as a file of its own</a>, to keep and to hand out.</p>
"""
_CARD = """<a class="card" href="{name}.html"><picture>
<source media="(prefers-reduced-motion: reduce)" srcset="../runs/{name}.png">
<img src="../runs/{name}.gif" alt="" width="320" height="200" loading="lazy">
</picture><p><strong>{title}</strong><br>{paper}</p></a>"""


def write_gallery(pages: Path, runs: Path) -> None:
    """Write the pages, and the runs that they show.

    `pages`, `runs`: Folders; they are made if absent.
    """
    for folder in (pages, runs):
        folder.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1):
        for lesson in LESSONS:
            _write_lesson(lesson, pages, runs)
        for solver in SOLVERS:
            _write_solver(solver, pages, runs)
    (pages / "index.md").write_text(_index(), encoding="utf-8")


def _index() -> str:
    """Return the first page of the gallery: a card with a moving picture for each run."""
    lines = ["# Gallery", "", "Every card leads to a run that plays in the page, without a server."]
    for title, entries in (
        ("Lessons", [(each.name, each.title, "") for each in LESSONS]),
        ("Solvers", [(each.name, each.title, each.paper) for each in SOLVERS]),
    ):
        cards = [_CARD.format(name=n, title=escape(t), paper=escape(p)) for n, t, p in entries]
        names = [name for name, *_ in entries]
        lines += ["", f"## {title}", "", '<div class="cards">', *cards, "</div>", ""]
        lines += ["```{toctree}", ":hidden:", f":caption: {title}", "", *names, "```"]
    return "\n".join([*lines, ""])


def _write_lesson(lesson: Lesson, pages: Path, runs: Path) -> None:
    plays, handout = walk(lesson)
    save_html(runs / f"{lesson.name}.html", plays, handout)
    save_thumbnail(plays[-1], runs / f"{lesson.name}.gif", runs / f"{lesson.name}.png")
    steps = [
        f"{place}. {text} *{finding}*" for place, (text, finding, _) in enumerate(handout.steps, 1)
    ]
    body = "\n".join(["## The lesson", "", *steps])
    page = _page(lesson.name, lesson.title, lesson.paper, lesson.look, lesson.exercises, body)
    (pages / f"{lesson.name}.md").write_text(page, encoding="utf-8")


def _write_solver(solver: type[Solver], pages: Path, runs: Path) -> None:
    name, entry = solver.name, ENTRIES[solver.name]
    play = play_of(solver)
    save_html(runs / f"{name}.html", [play])
    save_thumbnail(play, runs / f"{name}.gif", runs / f"{name}.png")
    body = "Its settings are on [the page of solvers](../solvers.md)."
    page = _page(name, solver.title, entry.paper, entry.look, entry.exercises, body)
    (pages / f"{name}.md").write_text(page, encoding="utf-8")


def play_of(solver: type[Solver]) -> Play:
    """Run a solver on its small problem."""
    entry = ENTRIES[solver.name]
    problem = problem_of(entry)
    records = list(start(problem, solver.name, **entry.settings))
    return Play(solver.title, problem, records, len(records), entry.data)


def problem_of(entry: Entry) -> Problem:
    """Return the problem of a solver's run."""
    data = load(entry.data) if entry.n is None else load(entry.data, n=entry.n)
    drawn = random_pairs(data.truth, entry.links, entry.noise, 0)
    must, cannot = (
        [(int(i), int(j), entry.weight) for i, j in pairs]
        for pairs in (drawn.must_link, drawn.cannot_link)
    )
    return Problem(data.X, entry.k or data.k, must, cannot, truth=data.truth)


def _page(
    name: str, title: str, paper: str, look: str, exercises: Sequence[tuple[str, str]], body: str
) -> str:
    """Return a page in Markdown."""
    asked = [
        f"{place}. {question}\n   <details><summary>Answer</summary>{escape(answer)}</details>"
        for place, (question, answer) in enumerate(exercises, 1)
    ]
    parts = [
        f"# {title}", "## What the paper says", paper, body,
        "## The run", _RUN.format(name=name, title=escape(title)).strip(),
        "## What to look for", look, "## Exercises", "\n".join(asked),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"
