"""The brush: what a stroke of the mouse over the plot does to the points."""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
import param

from ccviz.arrays import FloatArray
from ccviz.views.frames.scatter import Plane
from ccviz.views.lab.canvas import spray, with_points, within, without_points
from ccviz.views.lab.picker import Screen
from ccviz.views.lab.session import Session

TOOLS = {"Brush": "spray", "Point": "point", "Eraser": "erase"}
MOST_CLASSES = 6
_DAB = 4


class Painter(param.Parameterized):
    """A stroke from press to release; it is one edit, which is undone as one.

    Attributes
    ----------
    active : bool
        Whether the mouse paints; else it picks.
    blank : bool
        Whether the sheet is empty: the next stroke makes a new data set.
    tool : {"spray", "point", "erase"}
    cluster : int
        The class of new points.
    radius : int
        Of brush and eraser, in pixels.
    wet : (m, 2) float
        Points of the stroke under way; with the eraser, its way.
    """

    active = param.Boolean(default=False)
    blank = param.Boolean(default=False)
    tool = param.Selector(default="spray", objects=list(TOOLS.values()))
    cluster = param.Integer(default=0, bounds=(0, MOST_CLASSES - 1))
    radius = param.Integer(default=24, bounds=(6, 80))
    wet = param.Parameter(default=np.zeros((0, 2)))

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._last: tuple[float, float] | None = None
        self._dabs = 0
        session.param.watch(self._on_draft, "draft")
        session.asking.param.watch(self._on_asking, "active")

    def toggle(self) -> None:
        """Take up the brush, or put it down."""
        self._session.asking.stop()
        self._session.cancel()
        self.param.update(active=not self.active, blank=False, wet=np.zeros((0, 2)))

    def take_blank(self) -> None:
        """Start with no points; undo brings the old ones back once there is a stroke."""
        self.param.update(active=True, blank=True, tool="spray", wet=np.zeros((0, 2)))

    def move(self, at: tuple[float, float], screen: Screen) -> None:
        """Go on with a stroke, or begin one."""
        per_x, per_y = screen.pixels_per_unit
        if self._last is not None:
            moved = hypot((at[0] - self._last[0]) * per_x, (at[1] - self._last[1]) * per_y)
            if moved < self.radius / 2:
                return
        self._last = at
        self.wet = np.concatenate([self.wet, self._dab(at, (per_x, per_y))])

    def _dab(self, at: tuple[float, float], per: tuple[float, float]) -> FloatArray:
        if self.tool != "spray":
            return np.array([at])
        self._dabs += 1
        spread = (self.radius / 2 / per[0], self.radius / 2 / per[1])
        return spray(at, spread, (self._session.seed, self._dabs), _DAB)

    def lift(self, where: Plane, screen: Screen) -> None:
        """End the stroke: the painted or erased points become the problem."""
        wet, self._last = self.wet, None
        self.wet = np.zeros((0, 2))
        if not len(wet):
            return
        session, sheet = self._session, None if self.blank else self._session.draft
        with session.in_words():
            if self.tool != "erase":
                session.adopt(with_points(sheet, where, wet, self.cluster))
            elif sheet is not None:
                per_x, per_y = screen.pixels_per_unit
                gone = within(where, wet, (self.radius / per_x, self.radius / per_y))
                if len(gone):
                    session.adopt(without_points(sheet, where, gone.tolist()))

    def _on_asking(self, event: Any) -> None:
        """Put the brush down: the mouse is to answer."""
        if event.new and self.active:
            self.param.update(active=False, blank=False, wet=np.zeros((0, 2)))

    def _on_draft(self, _: Any) -> None:
        self.blank = False
