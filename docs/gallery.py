"""Makes the gallery for the site: a page for each lesson and each solver, with a run to play.

Sphinx calls `write_gallery` before it reads the pages. The runs are small, and made once a build.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from gallery_texts import ENTRIES, Entry
from threadpoolctl import threadpool_limits

from ccviz import Problem, start
from ccviz.data import load
from ccviz.data.random_links import random_pairs
from ccviz.solvers import SOLVERS
from ccviz.views.export.page import save_html
from ccviz.views.export.story import Play
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Lesson
from ccviz.views.lessons.walk import walk

_RUN = """
<iframe src="../runs/{name}.html" title="{title}: the run" loading="lazy"
 style="width:100%;height:780px;border:1px solid var(--color-background-border)"></iframe>

<p><a href="../runs/{name}.html">The run by itself</a>: a file to keep, to open and to hand out.</p>
"""


def write_gallery(pages: Path, runs: Path) -> None:
    """Write the pages, and the runs that they show.

    Parameters
    ----------
    pages, runs : path
        Folders; they are made if absent.
    """
    for folder in (pages, runs):
        folder.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1):
        names = [_write_lesson(lesson, pages, runs) for lesson in LESSONS]
        names += [_write_solver(solver, pages, runs) for solver in SOLVERS]
    lines = ["# Gallery", "", "Runs to play in the page that you read, without a server.", ""]
    lines += ["```{toctree}", ":maxdepth: 1", "", *names, "```", ""]
    (pages / "index.md").write_text("\n".join(lines), encoding="utf-8")


def _write_lesson(lesson: Lesson, pages: Path, runs: Path) -> str:
    plays, told = walk(lesson)
    save_html(runs / f"{lesson.name}.html", plays, told)
    steps = [
        f"{place}. {text} *{finding}*" for place, (text, finding, _) in enumerate(told.steps, 1)
    ]
    body = "\n".join(["## The lesson", "", *steps])
    page = _page(lesson.name, lesson.title, lesson.paper, lesson.look, lesson.exercises, body)
    (pages / f"{lesson.name}.md").write_text(page, encoding="utf-8")
    return lesson.name


def _write_solver(solver: type, pages: Path, runs: Path) -> str:
    name, entry = solver.name, ENTRIES[solver.name]
    problem = problem_of(entry)
    records = list(start(problem, name, **entry.settings))
    save_html(
        runs / f"{name}.html", [Play(solver.title, problem, records, len(records), entry.data)]
    )
    body = "Its settings are on [the page of solvers](../solvers.md)."
    page = _page(name, solver.title, entry.paper, entry.look, entry.exercises, body)
    (pages / f"{name}.md").write_text(page, encoding="utf-8")
    return name


def problem_of(entry: Entry) -> Problem:
    """Return the problem of a solver's run.

    Parameters
    ----------
    entry : Entry

    Returns
    -------
    Problem
    """
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
