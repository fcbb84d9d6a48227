"""A course of lessons: steps that a person takes in the real app, or lets it take."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from ccviz.views.draft import Draft
from ccviz.views.export.page import Handout
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

Memory = list[Any]
"""Findings of earlier steps, with which later steps compare theirs."""

TABS = ("Result", "Clusters", "Inside the solver", "Bounds", "Runs", "Share")
"""Titles of the tabs of the page, in their order."""

_SETTINGS = (
    "solver", "seed", "weight", "time_limit", "gap_limit", "node_limit", "as_edited", "links_drawn",
)  # fmt: skip
"""Settings that a lesson may change, and that are restored when it is left."""

_NO_LIMITS: dict[str, Any] = {"time_limit": None, "gap_limit": None, "node_limit": None}


_SENT = "The teacher sees the answers that were sent."
_NOT_KEPT = "This server keeps no answers: a teacher sees only those that you show."


@dataclass(frozen=True)
class Step:
    """One step of a lesson."""

    text: str  # What to do, and why
    act: Callable[[Session], None]  # Does it, for those who would rather watch
    # Whether it has been done, from the session and the memory.
    done: Callable[[Session, Memory], bool]
    # What it shows, from the session and the memory of earlier steps, to which it may add.
    finding: Callable[[Session, Memory], str]
    # Draws what has been found so far, as SVG, from the memory.
    sketch: Callable[[Memory], str] | None = None
    # Why the run shown is not what the step asks for, from the session and the memory; empty if
    # there is nothing to say.
    hint: Callable[[Session, Memory], str] | None = None
    tab: str = ""  # Title of the tab where it is seen, which opens by itself; empty for none
    question: str = ""  # What a class is asked at this step; empty for nothing
    answers: tuple[str, ...] = ()  # To the question: the right one, then wrong ones to choose from
    # Brings the points and settings with which a lesson that begins with this step opens.
    set_up: Callable[[Session], None] | None = None


_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,9})?", re.ASCII)


def is_right(given: str, answer: str) -> bool:
    """Return whether an answer is the right one: the same words, whatever their case.

    A number is right if it equals the right one, rounded to as many decimals as that has; a whole
    one has to be exact.
    """
    said, right = (text.strip().replace(",", ".").casefold() for text in (given, answer))
    if _NUMBER.fullmatch(said) and _NUMBER.fullmatch(right):
        decimals = len(right.partition(".")[2])
        return (round(float(said), decimals) if decimals else float(said)) == float(right)
    return said == right


def name_of(title: str) -> str:
    """Return the title of a lesson as a word for commands and files: ``why-cop-k-means-dies``."""
    return "-".join(re.findall(r"[a-z]+", title.lower()))


@dataclass(frozen=True)
class Lesson:
    """A title, an aim and the steps, and what a handout says beside them."""

    title: str
    steps: tuple[Step, ...]
    aim: str = ""  # What is understood in the end, a sentence
    paper: str = ""
    look: str = ""
    exercises: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()  # To the first exercise, as in `Step`
    # What an address calls a lesson that was written on the page; empty for the others.
    word: str = ""

    @property
    def name(self) -> str:
        """The title as a word for commands and files."""
        return name_of(self.title)

    def handout(self, steps: tuple[tuple[str, str, str], ...]) -> Handout:
        """Return the lesson for a page, with its steps as they were walked."""
        return Handout(self.title, self.paper, steps, self.look, self.exercises)


class Course(param.Parameterized):
    """Where a person is in a lesson."""

    lesson = param.Parameter(default=None)
    at = param.Integer(default=0)
    # What the step at hand has shown; empty while it is not done.
    finding = param.String(default="")
    sketch = param.String(default="")  # A drawing of it as SVG, or empty

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._memory: Memory = []
        self._walked: list[tuple[str, str, str]] = []
        self._before: dict[str, Any] = {}
        self._left: tuple[Draft, str] | None = None
        session.param.watch(self._look, ["draft", "solver", "notice", "picked"])
        session.asking.param.watch(self._look, "asked")
        session.player.param.watch(self._look_at_run, "shot")
        session.pricing.param.watch(self._look, "known")

    @property
    def step(self) -> Step | None:
        """The step at hand."""
        return self.lesson.steps[self.at] if self.lesson else None

    @property
    def is_last(self) -> bool:
        """Whether no step follows."""
        return self.lesson is not None and self.at == len(self.lesson.steps) - 1

    def begin(self, lesson: Lesson | None) -> None:
        """Start a lesson, or leave it."""
        if lesson is None and self.lesson is None:
            return
        if self.lesson is None:
            self._before = {name: getattr(self._session, name) for name in _SETTINGS}
        else:
            self._session.param.update(**self._before)
        if lesson is not None:
            self._session.as_edited = False  # each step says when to run
            if (set_up := lesson.steps[0].set_up) is not None:
                set_up(self._session)
        self._memory, self._walked, self._left = [], [], None
        self.param.update(lesson=lesson, at=0, finding="", sketch="")

    @property
    def question(self) -> str:
        """What a class is asked at this step: the lesson's first exercise at the last one."""
        if self.step is None:
            return ""
        exercises = self.lesson.exercises
        return self.step.question or (exercises[0][0] if exercises and self.is_last else "")

    @property
    def answers(self) -> tuple[str, ...]:
        """Answers to the question, as in `Step`; empty if the lesson does not say."""
        step = self.step
        if step is not None and step.question:
            return step.answers
        return self.lesson.answers if self.question else ()

    def handout(self) -> Handout | None:
        """Return the lesson as far as it was walked, for a page; None without one."""
        if self.lesson is None:
            return None
        ahead = [(step.text, "", "") for step in self.lesson.steps[len(self._walked) :]]
        return self.lesson.handout((*self._walked, *ahead))

    def show(self) -> None:
        """Do what the step asks for, from where the step before has left the problem."""
        if self.step is not None:
            self._session.param.update(**_NO_LIMITS)  # a run that they end shows nothing
            self._return()
            self.step.act(self._session)

    def _return(self) -> None:
        """Put the problem and the run of the step before back, if the problem was edited since."""
        session = self._session
        if self._left is None or session.draft is self._left[0]:
            return
        draft, run_id = self._left
        session.edits.adopt(draft)
        if run_id:
            with session.reporting_errors():
                session.player.open(run_id, playing=False)
                session.player.end()

    def go_on(self) -> None:
        """Take the next step; after the last one the lesson is over."""
        if self.is_last:
            self.begin(None)
            kept = _SENT if self._session.person.in_class else _NOT_KEPT
            self._session.notice = Notice("info", kept, title="the lesson is finished")
        elif self.lesson is not None:
            self.param.update(at=self.at + 1, finding="")
            self._look()

    def _look(self, *_: Any) -> None:
        step = self.step
        if step is not None and not self.finding and step.done(self._session, self._memory):
            finding = step.finding(self._session, self._memory)
            sketch = step.sketch(self._memory) if step.sketch else ""
            self._left = (self._session.draft, self._session.player.run_id)
            self._walked.append((step.text, finding, sketch))
            self.param.update(finding=finding, sketch=sketch)

    def _look_at_run(self, *_: Any) -> None:
        """Look, and say why a run is not what the step asks for; once, so it can be put away."""
        self._look()
        step = self.step
        if step is not None and not self.finding and step.hint is not None:
            hint = step.hint(self._session, self._memory)
            if hint:
                self._session.notice = Notice("info", hint, title="a hint")
