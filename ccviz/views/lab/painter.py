"""The brush: what a stroke of the mouse over the plot does to the points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import Any

import numpy as np
import param

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.views.draft import Draft
from ccviz.views.frames.scatter import Plane
from ccviz.views.lab.session import Session
from ccviz.views.lab.state import Screen
from ccviz.views.link_table import LinkTable

# --- Points painted by hand: a draft with more points or fewer, drawn as data of two features -----


NAME = "painted"
FEATURES = ("x0", "x1")


def blank_plane() -> Plane:
    """Return an empty sheet."""
    nothing = np.zeros(0)
    axes = tuple((np.eye(2)[axis], np.zeros(2)) for axis in range(2))
    return Plane(*FEATURES, *FEATURES, nothing, nothing, [], axes)  # type: ignore[arg-type]


def with_points(sheet: Draft | None, where: Plane, points: FloatArray, cluster: int) -> Draft:
    """Return a draft with more points, of the class of the brush.

    `sheet`: What has been drawn so far; nothing on an empty sheet. `where`: The axes that are
    drawn: they become the features, unless they are them already. `points` (m, 2): On these axes.
    """
    if sheet is None:
        data = Dataset(NAME, points, FEATURES, np.full(len(points), cluster), _classes((), cluster))
        return Draft(data, 1)
    flat = flattened(sheet, where)
    old = flat.data
    columns = [old.features.index(name) for name in (where.x_name, where.y_name)] \
        if sheet is flat else [0, 1]  # fmt: skip
    more = np.empty_like(points)
    more[:, columns] = points
    truth, classes = old.truth, old.classes
    if truth is not None:
        truth = np.append(truth, np.full(len(points), cluster))
        classes = _classes(classes, max(cluster, int(truth.max())))
    weights = None if old.weights is None else np.append(old.weights, np.ones(len(points)))
    data = Dataset(
        NAME, np.concatenate([old.X, more]), old.features, truth, classes, weights=weights
    )
    k = max(flat.k, len(classes)) if old.name == NAME else flat.k
    rules = tuple(rule for rule in flat.rules if not rule.known)  # of the old points alone
    return replace(flat, data=data, k=min(k, len(data.X)), lower=(), upper=(), rules=rules)


def without_points(sheet: Draft, where: Plane, gone: Sequence[int]) -> Draft:
    """Return a draft without some points, and without their links."""
    flat = flattened(sheet, where)
    stays = np.ones(flat.n, dtype=bool)
    stays[list(gone)] = False
    if not stays.any():
        raise CcvizError("The last points cannot be erased; take an empty sheet instead.")
    number = np.cumsum(stays) - 1
    kept = flat.links.taken(np.all(stays[flat.links.pairs], axis=1))
    links = replace(kept, pairs=freeze(number[kept.pairs]))
    old = flat.data
    truth = None if old.truth is None else old.truth[stays]
    if truth is not None and truth.max() < 0:
        truth = None  # the points that are left have no known class
    weights = None if old.weights is None else old.weights[stays]
    names = tuple(name for name, stay in zip(old.names, stays.tolist(), strict=False) if stay)
    data = replace(
        old, name=NAME, X=old.X[stays], truth=truth, k=None, notices=(), names=names, origin=None,
        weights=weights,
    )  # fmt: skip
    rules = tuple(rule.of_points(stays) for rule in flat.rules)
    return replace(
        flat, data=data, links=links, k=min(flat.k, len(data.X)), lower=(), upper=(), unsure=(),
        rules=rules, cluster_names=(),
    )  # fmt: skip


def flattened(draft: Draft, where: Plane) -> Draft:
    """Return a draft whose two features are the axes that are drawn; itself if they are."""
    features = draft.data.features
    if draft.scaling == "none" and sorted(features) == sorted((where.x_name, where.y_name)):
        return draft
    data = replace(
        draft.data, name=NAME, X=np.column_stack([where.x, where.y]), features=FEATURES,
        notices=(), origin=None,
    )  # fmt: skip
    return replace(draft, data=data, scaling="none", learned_from=LinkTable(), lower=(), upper=())


def _classes(known: tuple[str, ...], cluster: int) -> tuple[str, ...]:
    return known + tuple(f"class {place + 1}" for place in range(len(known), cluster + 1))


def spray(at: tuple[float, float], spread: tuple[float, float], seed: Sequence[int], many: int
          ) -> FloatArray:  # fmt: skip
    """Return (many, 2) points around a place; the same seed, the same points."""
    return np.random.default_rng(seed).normal(at, spread, (many, 2))


def within(where: Plane, at: FloatArray, radius: tuple[float, float]) -> IntArray:
    """Return the points that an eraser touches on its way."""
    touched = np.zeros(len(where.x), dtype=bool)
    for x, y in at:
        touched |= np.hypot((where.x - x) / radius[0], (where.y - y) / radius[1]) <= 1.0
    return np.flatnonzero(touched)


TOOLS = {"Brush": "spray", "Point": "point", "Eraser": "erase"}
MOST_CLASSES = 6
_DAB = 4


class Painter(param.Parameterized):
    """A stroke from press to release; it is one edit, which is undone as one."""

    active = param.Boolean(default=False)  # Whether the mouse paints; else it picks
    # Whether the sheet is empty: the next stroke makes a new data set.
    blank = param.Boolean(default=False)
    tool = param.Selector(default="spray", objects=list(TOOLS.values()))
    cluster = param.Integer(default=0, bounds=(0, MOST_CLASSES - 1))
    radius = param.Integer(default=24, bounds=(6, 80))  # Of brush and eraser, in pixels
    # (m, 2): Points of the stroke under way; with the eraser, its way.
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
        self._session.edits.cancel()
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
        self._last, dab = at, np.array([at])
        if self.tool == "spray":
            self._dabs += 1
            spread = (self.radius / 2 / per_x, self.radius / 2 / per_y)
            dab = spray(at, spread, (self._session.seed, self._dabs), _DAB)
        self.wet = np.concatenate([self.wet, dab])

    def lift(self, where: Plane, screen: Screen) -> None:
        """End the stroke: the painted or erased points become the problem."""
        wet, self._last = self.wet, None
        self.wet = np.zeros((0, 2))
        if not len(wet):
            return
        session, sheet = self._session, None if self.blank else self._session.draft
        with session.reporting_errors():
            if self.tool != "erase":
                session.edits.adopt(with_points(sheet, where, wet, self.cluster))
            elif sheet is not None:
                per_x, per_y = screen.pixels_per_unit
                gone = within(where, wet, (self.radius / per_x, self.radius / per_y))
                if len(gone):
                    session.edits.adopt(without_points(sheet, where, gone.tolist()))

    def _on_asking(self, event: Any) -> None:
        """Put the brush down: the mouse is to answer."""
        if event.new and self.active:
            self.param.update(active=False, blank=False, wet=np.zeros((0, 2)))

    def _on_draft(self, _: Any) -> None:
        self.blank = False
