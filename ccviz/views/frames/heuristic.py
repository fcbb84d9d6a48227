"""Frames of the heuristics: a population, a descent."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, GenerationEnded, Restarted
from ccviz.views.frames.bounds import with_room
from ccviz.views.frames.exact import Log, column, thinned

# --- A population over its generations: how good, how diverse, and who replaced whom --------------


SEARCHED = {
    "hg-means": (
        "The less, the more probable: HG-means lowers −log P of the clusters, given points and "
        "links. This is not the WCSS, and may be below zero."
    ),
    "dils": (
        "DILS lowers the mean distance within the clusters, times 1 + the weight of the broken "
        "links. This is not the WCSS."
    ),
}
"""What a search lowers, by solver, where it is another thing than the objective of the run."""

_MOST_MEMBERS = 4000
_MOST_GENERATIONS = 1000


@dataclass(frozen=True, eq=False)
class Population:
    """All generations in short, the newest in full."""

    # generation, best, mean, diversity, (g,): At most 1000 generations, evenly spread.
    generation: FloatArray
    best: FloatArray
    mean: FloatArray
    diversity: FloatArray
    # member_generation, objective, (m,): Members of the newest generations, about 4000 at most.
    member_generation: FloatArray
    objective: FloatArray
    member: IntArray
    fresh: np.ndarray  # (m,): Whether the member came with this generation
    # from_generation, from_objective, to_generation, to_objective, (r,): A line for each
    # replacement: from the member that had to go to the one that came.
    from_generation: FloatArray
    from_objective: FloatArray
    to_generation: FloatArray
    to_objective: FloatArray


class PopulationLog(Log):
    """The generations of a run."""

    events = frozenset({GenerationEnded})

    def _begin(self) -> None:
        self._rows: list[GenerationEnded] = []
        self._before = 0

    def _take(self, event: GenerationEnded, _: float) -> None:
        """Count on where a restart begins with generation 0 again."""
        last = self._rows[-1].generation if self._rows else -1
        if event.generation + self._before <= last:
            self._before = last + 1 - event.generation
        self._rows.append(structs.replace(event, generation=event.generation + self._before))

    def frame(self) -> Population:
        """Return the generations."""
        rows = [self._rows[at] for at in thinned(len(self._rows), _MOST_GENERATIONS)]
        size = len(self._rows[-1].objectives) if self._rows else 1
        return _population(rows, self._rows[-max(2, _MOST_MEMBERS // size) :])

    def newest(self) -> Population:
        """Return the newest generation alone."""
        return _population(self._rows[-1:], self._rows[-1:])


def _population(rows: list[GenerationEnded], newest: list[GenerationEnded]) -> Population:
    """Return generations in short, and the newest of them in full."""
    best = np.array([row.objectives.min() for row in rows], dtype=np.float64)
    mean = np.array([row.objectives.mean() for row in rows], dtype=np.float64)
    return Population(
        generation=column(rows, "generation"),
        best=best,
        mean=np.maximum(mean, best),  # by rounding, the mean of equals may be less than they
        diversity=column(rows, "diversity"),
        **_members(newest),
    )


def _members(newest: list[GenerationEnded]) -> dict[str, np.ndarray]:
    # Whether each member was put in its place by this generation.
    came = [
        np.isin(np.arange(len(row.objectives)), row.replaced[row.replaced >= 0]) for row in newest
    ]
    moves = [
        (before.objectives, row.objectives, row.generation, new)
        for before, row, new in zip(newest, newest[1:], came[1:], strict=False)
        if len(before.objectives) == len(row.objectives)
    ]
    return {
        "member_generation": _joined(
            [np.full(len(row.objectives), float(row.generation)) for row in newest]
        ),
        "objective": _joined([row.objectives for row in newest]),
        "member": _joined([np.arange(len(row.objectives)) for row in newest], np.int64),
        "fresh": _joined(came, np.bool_),
        "from_generation": _joined([np.full(new.sum(), at - 1.0) for _, _, at, new in moves]),
        "from_objective": _joined([old[new] for old, _, _, new in moves]),
        "to_generation": _joined([np.full(new.sum(), float(at)) for _, _, at, new in moves]),
        "to_objective": _joined([now[new] for _, now, _, new in moves]),
    }


def _joined(parts: list[np.ndarray], kind: type = np.float64) -> np.ndarray:
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, dtype=kind)


# --- How a heuristic's objective falls, iteration by iteration ------------------------------------


_MOST_STEPS = 2000
_WORTH_SEEING = 0.9
_FEW = 30


@dataclass(frozen=True, eq=False)
class Descent:
    """Iterations, one a row; at most 2000, evenly spread."""

    at: FloatArray  # (m,): Number of the iteration, or generation, counted over all starts
    # (m,): What it came to; NaN where points had no cluster, and between two starts.
    objective: FloatArray
    best: FloatArray  # (m,): The least of all so far

    @property
    def heights(self) -> tuple[float, float] | None:
        """The range to show: random starts may cost twenty times as much as the result."""
        known = self.objective[np.isfinite(self.objective)]
        if not len(known):
            return None
        share = _WORTH_SEEING if len(known) > _FEW else 1.0
        return with_room(float(known.min()), float(np.quantile(known, share)))


class DescentLog(Log):
    """The assignments and generations of a run."""

    events = frozenset({Assigned, GenerationEnded, Restarted})

    def _begin(self) -> None:
        self._rows: list[tuple[float, float, float]] = []
        self._at = 0
        self._best = math.nan

    def _take(self, event: Assigned | GenerationEnded | Restarted, _: float) -> None:
        if isinstance(event, Restarted):
            if self._at:
                self._rows.append((self._at, math.nan, self._best))
            return
        if isinstance(event, Assigned):
            objective = event.objective if event.labels.min() >= 0 else math.nan
        else:
            objective = float(event.objectives.min())
        self._at += 1
        self._best = float(np.fmin(self._best, objective))
        self._rows.append((self._at, objective, self._best))

    def frame(self) -> Descent:
        """Return the iterations so far."""
        rows = [self._rows[at] for at in thinned(len(self._rows), _MOST_STEPS)]
        return Descent(*np.array(rows, dtype=np.float64).reshape(-1, 3).T)
