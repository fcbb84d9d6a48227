"""A lesson walked through by the program: what a handout shows of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ccviz.data.datasets import load
from ccviz.errors import CcvizError
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.runs.stepper import start
from ccviz.studies.stored_prices import price_in_process
from ccviz.views.export.page import MOST_RUNS, Told
from ccviz.views.export.stored import stored_play
from ccviz.views.export.story import Play
from ccviz.views.lab.pricing import Pricing
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Course, Lesson


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

    Parameters
    ----------
    name : str

    Returns
    -------
    Lesson

    Raises
    ------
    CcvizError
        If there is none, or more than one; the sentence lists them.
    """
    found = [lesson for lesson in LESSONS if lesson.name == name]
    found = found or [lesson for lesson in LESSONS if lesson.name.startswith(name)]
    if len(found) != 1:
        names = ", ".join(lesson.name for lesson in LESSONS)
        raise CcvizError(f"there is no lesson {name!r}; there are {names}.")
    return found[0]


def walk(lesson: Lesson) -> tuple[list[Play], Told]:
    """Take every step of a lesson, and return its runs and its findings.

    Parameters
    ----------
    lesson : Lesson

    Returns
    -------
    (list of Play, Told)
        As many of the runs as a page shows, the first ones.

    Raises
    ------
    CcvizError
        If a step does not come to what it is for.
    """
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs.sqlite") as archive:
        session = SessionHere(archive, RunQueue(), load("iris"))
        course = Course(session)
        course.begin(lesson)
        runs: dict[str, Play] = {}
        told = lesson.told(())
        for place in range(len(lesson.steps)):
            course.show()
            if not course.finding:
                raise CcvizError(f"step {place + 1} of {lesson.title!r} came to nothing.")
            run_id = session.player.run_id
            if run_id and run_id not in runs:
                runs[run_id] = _kept(archive, run_id, session, place + 1)
            told = course.told() or told
            course.go_on()
        session.close()
        return list(runs.values())[:MOST_RUNS], told


def _kept(archive: Archive, run_id: str, session: Session, step: int) -> Play:
    """Return a run that outlives its archive."""
    play = stored_play(archive, run_id, session.draft, (session.x_axis, session.y_axis))
    records = list(play.records)
    title = f"Step {step}: {play.title}"
    return Play(title, play.problem, records, play.many, play.data, play.present, play.axes)
