"""Every lesson of the course, in the order of the list: a file each, beside this one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from ccviz.data.datasets import load
from ccviz.errors import CcvizError
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.runs.stepper import start
from ccviz.studies.stored import price_in_process
from ccviz.views.export.page import MOST_RUNS, Handout, stored_play
from ccviz.views.export.story import Play
from ccviz.views.lab.loading import draw_links
from ccviz.views.lab.queued_call import Pricing
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.lessons import by_hand, steps
from ccviz.views.lessons.course import Course, Lesson, Memory, Step
from ccviz.views.lessons.steps import Need, remembers, says, step
from ccviz.views.lessons.written import FROM_FILE, lesson_of, of_word

FILES = (
    "dead_end",
    "must_link",
    "by_hand",
    "noise",
    "wrong_link",
    "sizes",
    "race",
    "questions",
    "regions",
)
"""Names of the files, without their suffix."""


class _Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step as its file has it: as in a lesson written on the page, but links may be drawn."""

    text: str
    # The problem: a data set, and links drawn from its classes; empty for the problem as it is.
    data: str = ""
    links: int = 0
    noise: float = 0.0
    weight: float = inf
    seed: int = 0
    solver: str = ""
    settings: dict[str, bool | int | float | str] = {}
    act: str = ""  # An action of `steps` or `by_hand`, and its words
    run: bool = False
    needs: tuple[str, ...] = ()  # Conditions of `steps` or `by_hand`, each with its words
    # What is seen; fields in braces are filled in with the run, which later steps compare.
    shows: str = ""
    finding: str = ""  # A function of `steps` or `by_hand` that says it instead
    tab: str = ""
    question: str = ""


class _Exercise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question and its answer."""

    question: str
    answer: str
    answers: tuple[str, ...] = ()  # The right one in few words, then wrong ones to choose from


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson as its file has it."""

    title: str
    aim: str
    steps: tuple[_Step, ...]
    paper: str = ""
    look: str = ""
    exercises: tuple[_Exercise, ...] = ()
    sketch: bool = False  # Whether the tree bounded by hand is drawn


def _read(name: str) -> Lesson:
    content = Path(__file__).with_name(f"{name}.toml").read_bytes()
    file = msgspec.toml.decode(content, type=_File)
    taken = tuple(_step(each, by_hand.sketch if file.sketch else None) for each in file.steps)
    exercises = tuple((each.question, each.answer) for each in file.exercises)
    answers = file.exercises[0].answers if file.exercises else ()
    return Lesson(file.title, taken, file.aim, file.paper, file.look, exercises, answers)


def _part(words: str) -> Callable[..., Any]:
    """Return the function that a file names, with the words behind its name as last arguments."""
    name, *rest = words.split()
    part = getattr(steps, name, None) or getattr(by_hand, name)
    return lambda *at_hand: part(*at_hand, *rest)


def _step(written: _Step, sketch: Callable[[Memory], str] | None) -> Step:
    more = _part(written.act) if written.act else None
    needs: list[Need] = [_part(need) for need in written.needs]
    fixed = remembers if "{" in written.shows else says
    finding = _part(written.finding) if written.finding else fixed(written.shows)

    def act(session: Session) -> None:
        if written.data:
            session.param.update(seed=written.seed, weight=written.weight)
            session.edits.load(load(written.data))
            if written.links:
                draw_links(session, written.links, written.noise)
            session.weight = inf
        if written.solver:
            session.set_solver(written.solver, **written.settings)
        if more is not None:
            more(session)
        if written.run:
            session.start()

    ran, tab, question = written.solver if written.run else "", written.tab, written.question
    return step(
        written.text, act, finding, *needs, ran=ran, sketch=sketch, tab=tab, question=question
    )


LESSONS: tuple[Lesson, ...] = tuple(map(_read, FILES))


# --- The lesson of a name, or of the word that an address has for one written on a page -----------


def lesson_of_address(word: str) -> Lesson:
    """Return the lesson that an address asks for.

    Raises `CcvizError` if there is none of that name, and the word holds no lesson.
    """
    if word == FROM_FILE:
        raise CcvizError(
            "This lesson came from a file, which the address does not hold: open the file again, "
            "at the end of the list of lessons."
        )
    found = next((lesson for lesson in LESSONS if lesson.name == word), None)
    return found or lesson_of(of_word(word))


# --- A lesson walked through by the program: what a handout shows of it ---------------------------


class PricingHere(Pricing):
    """Prices that are proved in this process before `start` returns."""

    def start(self) -> None:
        """Prove the prices of the run shown."""
        super().start()
        run_id, solver = self._begin
        price_in_process(self._archive.path, run_id, solver, time_limit=60.0)
        self._read()
        self.stop()


class SessionHere(Session):
    """A session whose runs take no process of their own, and are shown at their end."""

    pricing_kind = PricingHere

    def start(self, paused: bool = False) -> None:
        """Run the chosen solver on the problem, to its end."""
        request = self._request()
        stepper = start(request.problem, request.solver, seed=request.seed, **request.limits.given)
        records = list(stepper)
        run_id = self.archive.create(
            request.problem, request.solver.name, {}, seed=request.seed, dataset=request.dataset
        )
        self.archive.append(run_id, records, summarise(stepper.run))
        self.player.open(run_id, playing=False)
        self.player.end()


def lesson_named(name: str) -> Lesson:
    """Return the lesson of a name, or of the only one that the name begins.

    Raises `CcvizError` if there is none, or more than one; the sentence lists them.
    """
    found = [lesson for lesson in LESSONS if lesson.name == name]
    found = found or [lesson for lesson in LESSONS if lesson.name.startswith(name)]
    if len(found) != 1:
        names = ", ".join(lesson.name for lesson in LESSONS)
        raise CcvizError(f"there is no lesson {name!r}; there are {names}.")
    return found[0]


def walk(lesson: Lesson) -> tuple[list[Play], Handout]:
    """Take every step of a lesson, and return its runs and its findings.

    Returns: As many of the runs as a page shows, the first ones. Raises `CcvizError` if a step does
    not reach what it is for.
    """
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs.sqlite") as archive:
        session = SessionHere(archive, RunQueue(), load("iris"))
        course = Course(session)
        course.begin(lesson)
        runs: dict[str, Play] = {}
        handout = lesson.handout(())
        for place in range(len(lesson.steps)):
            course.show()
            if not course.finding:
                raise CcvizError(f"step {place + 1} of {lesson.title!r} came to nothing.")
            run_id = session.player.run_id
            if run_id and run_id not in runs:
                runs[run_id] = _kept(archive, run_id, session, place + 1)
            handout = course.handout() or handout
            course.go_on()
        session.close()
        return list(runs.values())[:MOST_RUNS], handout


def _kept(archive: Archive, run_id: str, session: Session, step: int) -> Play:
    """Return a run that outlives its archive."""
    play = stored_play(archive, run_id, session.draft, (session.x_axis, session.y_axis))
    records = list(play.records)
    title = f"Step {step}: {play.title}"
    return Play(title, play.problem, records, play.many, play.data, play.present, play.axes)
