"""A course of lessons: steps that a person takes in the real app, or lets it take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from ccviz.views.session import Session

Memory = list[Any]
"""What the steps so far have found, to be compared with what comes."""


@dataclass(frozen=True)
class Step:
    """One step of a lesson.

    Attributes
    ----------
    text : str
        What to do, and why.
    act : callable
        Does it, for those who would rather watch.
    done : callable
        Whether it has been done, from the session and the memory.
    finding : callable
        What it shows, from the session and the memory of earlier steps, to which it may add.
    sketch : callable, optional
        Draws what has been found so far, as SVG, from the memory.
    """

    text: str
    act: Callable[[Session], None]
    done: Callable[[Session, Memory], bool]
    finding: Callable[[Session, Memory], str]
    sketch: Callable[[Memory], str] | None = None


@dataclass(frozen=True)
class Lesson:
    """A title and its steps."""

    title: str
    steps: tuple[Step, ...]


class Course(param.Parameterized):
    """Where a person is in a lesson.

    Attributes
    ----------
    lesson : Lesson or None
    at : int
        The step, counted from 0.
    finding : str
        What the step at hand has shown; empty while it is not done.
    sketch : str
        A drawing of it as SVG, or empty.
    """

    lesson = param.Parameter(default=None)
    at = param.Integer(default=0)
    finding = param.String(default="")
    sketch = param.String(default="")

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._memory: Memory = []
        self._node_limit: int | None = None
        session.param.watch(self._look, ["draft", "solver", "notice", "picked"])
        session.player.param.watch(self._look, "shot")

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
        if self.lesson is None:
            self._node_limit = self._session.node_limit
        else:
            self._session.node_limit = self._node_limit  # a lesson may have set one
        self._memory = []
        self.param.update(lesson=lesson, at=0, finding="", sketch="")

    def show(self) -> None:
        """Do what the step asks for."""
        if self.step is not None:
            self.step.act(self._session)

    def go_on(self) -> None:
        """Take the next step; after the last one the lesson is over."""
        if self.is_last:
            self.begin(None)
        elif self.lesson is not None:
            self.param.update(at=self.at + 1, finding="")
            self._look()

    def _look(self, *_: Any) -> None:
        step = self.step
        if step is not None and not self.finding and step.done(self._session, self._memory):
            finding = step.finding(self._session, self._memory)
            sketch = step.sketch(self._memory) if step.sketch else ""
            self.param.update(finding=finding, sketch=sketch)
