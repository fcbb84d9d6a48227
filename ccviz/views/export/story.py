"""A run for an exported page: its records are folded once, and the changes of each are stored.

Every frame comes from `ccviz.views.frames`, as on the live page; ``fold.js`` only looks up the
values of a moment. `tests/views/export/test_fold.py` compares both, event by event.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.events import DeadEnded, Event, Finished, Record
from ccviz.numbers import seconds
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.views.draft import Draft, draft_of_problem
from ccviz.views.export.inner import VIEWS, Inner, Table, Timeline
from ccviz.views.frames.card import card
from ccviz.views.frames.heuristic import SEARCHED
from ccviz.views.frames.projection import axis_names, usual_axes
from ccviz.views.frames.scatter import Plane, coloring, has_answered, plane
from ccviz.views.frames.tables import sentence
from ccviz.views.link_table import Kind

MOST_MOMENTS = 50_000
"""A run with more records is shown in moments of several records each."""


@dataclass(frozen=True, eq=False)
class Play:
    """A run to export."""

    title: str  # What people call it
    problem: Problem
    records: Iterable[Record]
    many: int  # How many records there are, or more
    data: str = ""
    present: Draft | None = None  # One on the same data, which knows the names of their features
    # (str, str): What is drawn; the usual axes if the data have no such ones.
    axes: tuple[str, str] | None = None


def story(play: Play) -> dict[str, Any]:
    """Return a run as `ccviz.views.export.page.pack` takes it."""
    problem, present = play.problem, play.present
    if present is None:
        names = tuple(f"x{j}" for j in range(problem.d))
        weights = None if problem.fixed else problem.weights
        points = problem.X[: problem.n_points]
        data = Dataset("", points, names, problem.truth, weights=weights)
        present = Draft(data, problem.k)
    draft = draft_of_problem(problem, present, play.data)
    where = plane(draft, *_axes(play, draft.data.features))
    recording = Recording(play.title, play.problem, draft, where, play.many)
    recording.feed(play.records)
    return recording.as_dict()


def _axes(play: Play, features: tuple[str, ...]) -> tuple[str, str]:
    known = play.axes is not None and set(play.axes) <= set(axis_names(features))
    return play.axes if known and play.axes else usual_axes(features)


class Recording:
    """Folds records, and writes down what each of them changes.

    `many`: How many records are expected, or more.
    """

    def __init__(
        self, title: str, problem: Problem, draft: Draft, where: Plane, many: int = 0
    ) -> None:
        self._title, self._draft, self._plane = title, draft, where
        self._stride = max(1, math.ceil(many / MOST_MOMENTS))
        self._taken = 0
        self.run = Run(problem)
        self._inner = Inner(problem)
        self._times: list[float] = []
        self._said: list[str] = []
        self._card: dict[str, Timeline] = {}
        self._row_names: tuple[str, ...] = ()
        self._scored: Partition | None = None
        self._points = {name: Timeline() for name in ("labels", "centers", "ring")}
        self._colors: np.ndarray | None = None
        self._colored: tuple[Any, ...] = (None, None, False)
        self._met: int | None = None
        self._bounds = Table(("time", "nodes", "upper", "lower"))
        self._kinds: set[type[Event]] = set()

    @property
    def is_full(self) -> bool:
        """Whether more records would be more moments than are shown."""
        return self._taken >= self._stride * MOST_MOMENTS

    def feed(self, records: Iterable[Record]) -> None:
        """Fold records in."""
        for record in records:
            self._take(self._taken // self._stride, record)
            self._taken += 1

    def _take(self, at: int, record: Record) -> None:
        before = len(self.run.history)
        self.run.apply(record)
        self._kinds.add(type(record.event))
        if at == len(self._times):
            self._times.append(0.0)
            self._said.append("")
        self._times[at], self._said[at] = (
            record.time_s, sentence(record.event, self._draft.data.names)
        )  # fmt: skip
        for moment in self.run.history[before:]:
            self._bounds.put(at, *(getattr(moment, each.name) for each in fields(moment)))
        self._take_card(at)
        self._take_points(at, record.event)
        self._inner.take(at, record, self.run)

    def _take_card(self, at: int) -> None:
        run = self.run
        fresh = run.incumbent is not self._scored
        frame = card(run, with_scores=fresh)
        rows = dict(frame.rows)
        if len(rows) > len(self._row_names):
            self._row_names = tuple(rows)
        said = {name: getattr(frame, name) for name in ("status", "headline", "ending", "sizes")}
        said |= {f"row {name}": value for name, value in rows.items() if name != "Time"}
        if fresh:
            said["scores"] = frame.scores
            self._scored = run.incumbent
        for name, value in said.items():
            self._card.setdefault(name, Timeline()).put(at, value)

    def _take_points(self, at: int, event: Event) -> None:
        run = self.run
        shown = (run.labels, run.centers, has_answered(run))  # the end shows the answer
        if any(new is not old for new, old in zip(shown, self._colored, strict=True)):
            self._colored = shown
            frame = coloring(run, self._plane, self._colors)
            self._colors = frame.labels
            self._points["labels"].put(at, frame.labels)
            marks = np.column_stack([frame.centers, frame.center_labels])
            self._points["centers"].put(at, marks)
        self._points["ring"].put(at, self._dead_end(event))

    def _dead_end(self, event: Event) -> int:
        """Return the point of the dead end to be ringed, -1 for none."""
        if isinstance(event, DeadEnded):
            self._met = event.point
            return event.point
        ended = isinstance(event, Finished) and self.run.incumbent is None
        return self._met if ended and self._met is not None else -1

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, as `ccviz.views.export.page.pack` takes it."""
        run = self.run
        where = asdict(self._plane) | {
            "xRange": self._plane.x_range, "yRange": self._plane.y_range,
        }  # fmt: skip
        views = [(name, title) for name, (title, events) in VIEWS.items()
                 if not events.isdisjoint(self._kinds)]  # fmt: skip
        kinds: tuple[Kind, Kind] = ("must", "cannot")
        drawn = {kind: self._draft.links.of_kind(kind) for kind in kinds}
        links = {kind: {"pairs": own.pairs, "soft": ~own.is_hard} for kind, own in drawn.items()}
        return {
            "title": self._title,
            "data": self._draft.data.name,
            "stride": self._stride,
            **self._about(),
            "times": np.array(self._times),
            "clock": [seconds(time_s) for time_s in self._times],
            "said": self._said,
            "rowNames": self._row_names,
            "card": {name: line.as_dict() for name, line in self._card.items()},
            "points": {name: value for name, value in where.items() if not name.startswith("_")}
            | {name: line.as_dict() for name, line in self._points.items()},
            "links": links,
            "bounds": self._bounds.as_dict(),
            "views": views,
            # What a search lowers, where it is another thing than the objective.
            "searched": SEARCHED.get(run.started.solver, "") if run.started else "",
            **self._inner.as_dict(),
        }

    def _about(self) -> dict[str, Any]:
        started, problem = self.run.started, self.run.problem
        about = {"n": problem.n_points, "k": problem.k, "solver": "", "seed": 0, "settings": {}}
        if started is not None:
            about |= {
                "solver": started.solver, "seed": str(started.seed),
                "settings": {name: str(value) for name, value in started.settings.items()},
            }  # fmt: skip
        return about
