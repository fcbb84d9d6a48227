"""Regions: clusters that are each connected in a graph of neighbours, by trees, growth and moves.

The starts are a minimum spanning tree that is cut where the sum of squares falls most (SKATER:
R. M. Assunção, M. C. Neves, G. Câmara, C. Da Costa Freitas, "Efficient regionalization techniques
for socio-economic geographical units using minimum spanning trees", IJGIS 20(7), 2006), and
regions that grow from seeds, evenly where they are limited (the construction phase of J. C. Duque,
L. Anselin, S. J. Rey, "The max-p-regions problem", Journal of Regional Science 52(3), 2012).

Moves of a block to a region that it touches improve them (AZP: S. Openshaw, L. Rao, "Algorithms
for reengineering 1991 Census geography", Environment and Planning A 27(3), 1995), then swaps, and
then the tabu search of the same paper: the best move, however bad, whose block has rested. Where
there are very many blocks, only the single moves are made. A few
regions of the best clustering are grown again for the next start. Beyond these papers a block may
be several areas, and sizes, limits on sums and cannot-links may be broken on the way at a price
that follows what is found. A region never falls apart on the way.

Without neighbours every two points count as neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import Assigned, Event, Finished, IncumbentFound, Restarted
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, never, setting
from ccviz.solvers.common.hard_links import impossible_at_once
from ccviz.solvers.common.seeding import last_incumbent

if TYPE_CHECKING:
    from ccviz.solvers.regions.starts import Starts

_CHUNK = 20_000  # Blocks between two looks at the clock
_WORK = 5_000_000  # Coordinates that the tabu search looks at between two of them
_MOST_WORK = 20_000_000  # that it looks at in a start; with more blocks there is none
_SWAPPED = 20_000  # Most blocks for which there are swaps
_RAISED = 4.0  # Factor of the price where a descent ends with something broken
_RAISES = 8  # of the price, at most
_TOLERANCE = 1e-11  # Least gain, of the sum of squares around the mean of all


@dataclass(frozen=True)
class Regions(Solver):
    """Spanning trees and growing regions, improved by moves that keep each region connected."""

    name: ClassVar[str] = "regions"
    title: ClassVar[str] = "Regions"
    paper: ClassVar[str] = "Assunção et al. (2006), Openshaw and Rao (1995)"
    supports: ClassVar[Supports] = Supports(
        soft=True,
        sizes=True,
        sums=True,
        weights=True,
        weighted_sizes=True,
        neighbors=True,
        start=True,
    )
    group: ClassVar[str] = "Quick"

    n_init: int = setting(20, "Starts; the best answer is kept.", low=1, label="Starts")
    patience: int = setting(
        300, "Moves without a better answer that end a tabu search; 0 is none.", low=0
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        if impossible := impossible_at_once(problem):
            yield from impossible
            return
        best = yield from _Search(self, problem, context).steps()
        if context.stop():
            return
        if best:
            yield Finished(termination="converged", message="No start improves the answer.")
        else:
            message = "No start kept all that must hold; such a clustering may still exist."
            yield Finished(termination="stalled", message=message)


def region_start(
    problem: Problem,
    rng: np.random.Generator,
    *,
    labels: IntArray | None = None,
    n_init: int = 20,
    patience: int = 300,
    stop: Callable[[], bool] = never,
) -> IntArray | None:
    """Return (n,) labels of a clustering that keeps all hard constraints, None if none was found.

    `problem`: Neighbours, links, sizes and sums are kept. `labels` (n,): A clustering that keeps
    must-links, near which the first start begins. That none was found proves nothing.
    """
    context = Context(seed=int(rng.integers(2**31)), stop=stop, labels=labels)
    search = _Search(Regions(n_init=n_init, patience=patience), problem, context)
    return last_incumbent(search.steps(), stop)


class _Search:
    """The starts of a run, and what each of them changes."""

    def __init__(self, settings: Regions, problem: Problem, context: Context) -> None:
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.regions.starts import Starts

        self.problem, self.settings = problem, settings
        self.context, self.rng = context, context.rng
        self.blocks: Blocks = contract(problem)
        self.starts: Starts = Starts.of(problem, self.blocks)
        areas: Any = self.starts.areas
        spread = float(areas.mass @ (areas.point**2).sum(axis=1))
        self.is_limited = bool(areas.load.shape[1] or len(areas.conflict))
        self.swaps = self.is_limited and len(areas.mass) <= _SWAPPED
        self.tolerance = _TOLERANCE * spread
        self.first_price = spread / len(areas.mass) or 1.0
        self.broken, self.cost = np.inf, np.inf  # of the best clustering so far, kept or not
        self.best = np.zeros(0, dtype=np.int64)

    def steps(self) -> Generator[Event, None, bool]:
        """Yield the events of all starts; return whether any kept all that must hold."""
        for restart in range(self.settings.n_init):
            if self.context.stop():
                break
            yield Restarted(restart=restart)
            labels = self._start(restart)
            if labels is not None and self.starts.is_connected(labels):
                yield from self._improve(labels)
        return self.broken == 0.0

    def _start(self, restart: int) -> IntArray | None:
        """Return (s,) labels to begin a start with."""
        given = self.context.labels
        if restart == 0 and given is not None:
            return self.starts.repaired(self.blocks.project(given))
        # Two fresh starts and two from the best clustering, in turn.
        if len(self.best) and self.blocks.k > 1 and (restart // 2) % 2:
            return self.starts.regrown(self.best, self.rng)
        if restart % 2 != self.is_limited or self.starts.areas.is_free:
            return self.starts.by_growing(self.rng, is_first=restart == 0)
        return self.starts.from_tree(self.rng, is_first=restart == 0)

    def _improve(self, labels: IntArray) -> Iterator[Event]:
        """Yield the events of a descent and a tabu search from connected (s,) labels."""
        from ccviz.solvers.regions._moves import measured, relocated, swapped

        areas, price, iteration = self.starts.areas, self.first_price, 1
        yield self._assigned(labels, iteration, len(labels))
        for _ in range(_RAISES):
            while not self.context.stop():
                before = labels
                labels = self._swept(relocated, labels, price)
                if self.swaps and (labels == before).all():
                    labels = self._swept(swapped, labels, price)
                moved = int((labels != before).sum())
                iteration += 1
                yield self._assigned(labels, iteration, moved)
                yield from self._take(labels)
                if not moved:
                    break
            if self.context.stop() or not measured(areas, labels)[1]:
                break
            price *= _RAISED
        if 0 < self.settings.patience <= _MOST_WORK // len(labels) and self.blocks.k > 1:
            yield from self._tabu(labels, price, iteration)

    def _swept(self, sweep: Any, labels: IntArray, price: float) -> IntArray:
        """Return labels after a sweep over all blocks in random order."""
        order = self.rng.permutation(len(labels))
        for at in range(0, len(order), _CHUNK):
            if self.context.stop():
                break
            part = order[at : at + _CHUNK]
            labels, _ = sweep(self.starts.areas, labels, part, price, self.tolerance)
        return labels

    def _tabu(self, labels: IntArray, price: float, iteration: int) -> Iterator[Event]:
        """Yield the events of a tabu search."""
        from ccviz.solvers.regions._moves import measured, tabu

        areas, barred = self.starts.areas, np.zeros(len(labels), dtype=np.int64)
        cost, wrong = measured(areas, labels)
        goal, now, since = np.inf if wrong else cost, 0, 0
        most = _MOST_WORK // len(labels)
        reach = self.blocks.k if areas.is_free else 1  # Clusters that a block can go to, or a few
        work = len(labels) * reach * (areas.point.shape[1] + areas.load.shape[1])
        while since < self.settings.patience and now < most and not self.context.stop():
            turns = min(self.settings.patience - since, 1 + _WORK // max(work, 1))
            labels, found, reached, price = tabu(
                areas, labels, barred, now, turns, price, self.tolerance, goal, self.rng
            )
            now, since = now + turns, since + turns
            if reached < goal:
                goal, since, iteration = reached, 0, iteration + 1
                yield self._assigned(found, iteration, 0)
                yield from self._take(found)

    def _assigned(self, labels: IntArray, iteration: int, moved: int) -> Assigned:
        lifted = self.blocks.lift(labels)
        objective = Partition(self.problem, lifted).objective
        return Assigned(iteration=iteration, labels=lifted, objective=objective, moved=moved)

    def _take(self, labels: IntArray) -> Iterator[Event]:
        """Keep the clustering if it is the best so far; yield it if it keeps all that must hold."""
        from ccviz.solvers.regions._moves import measured

        cost, wrong = measured(self.starts.areas, labels)
        if wrong < self.broken or (wrong == self.broken and cost < self.cost - self.tolerance):
            self.broken, self.cost, self.best = wrong, cost, labels
            if not wrong:
                yield IncumbentFound(labels=self.blocks.lift(labels), source=self.settings.name)
