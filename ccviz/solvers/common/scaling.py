"""Exact solvers work in a unit of their own, whatever the unit of the points.

Linear programs are solved to absolute tolerances: points a millionth apart would be one point to
them, and squares of very small or large numbers leave the range of doubles. The unit is a power of
two, so nothing is rounded on the way. Points of more features than there are points are rotated
into as few dimensions as hold them, once for all nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import msgspec
import numpy as np

from ccviz.arrays import FloatArray
from ccviz.events import ColumnsPriced, CutsAdded, Event
from ccviz.problem.links import Links
from ccviz.problem.relaxed import AnyProblem
from ccviz.problem.rule_base import Alternatives, Points, Rule, conjunction
from ccviz.problem.sums import SumLimit, sum_limits
from ccviz.solvers.search.tree import Report, Task

# --------------------------------------------------------------------------------------------------
# Many dimensions: when points have them, and points rotated into no more than there are points.

_WIDE = 32  # Features from which a product of matrices finds nearest centres sooner than one by one
_MANY = 50_000_000
"""Products in a pass over all centres from which compiled loops save a second of loading."""


def is_wide(points: int, centers: int, features: int) -> bool:
    """Return whether nearest centres are found by `ccviz.solvers.assignment.wide`."""
    return features >= _WIDE and points * centers * features >= _MANY


def reduce_dimensions(point: FloatArray, mass: FloatArray) -> FloatArray:
    """Centre points, and rotate them where that saves dimensions: distances stay the same."""
    centred = point - np.average(point, axis=0, weights=mass)
    if centred.shape[1] < len(centred):
        return np.ascontiguousarray(centred)
    return rotate(centred)


def rotate(point: FloatArray) -> FloatArray:
    """Rotate s points of more than s features into s dimensions: distances stay the same."""
    triangle = np.asarray(np.linalg.qr(point.T, mode="r"))
    return np.ascontiguousarray(triangle.T)


_REACH = 5  # the farthest point is about 2^5 from the mean, where weights are 1
_FARTHEST = 200  # Largest power of two of a coordinate after scaling

_HEAVIEST = 1e200
"""Largest weight of a soft link in the unit of the work: sums of weights stay finite."""


@dataclass(frozen=True, eq=False)
class _Settled(Rule):
    """Rules in normal form, worked out in the unit in which they were meant."""

    normal_form: Alternatives

    def alternatives(self, problem: Points) -> Alternatives:
        return self.normal_form


def rescale(problem: AnyProblem) -> tuple[AnyProblem, int]:
    """Return the problem about its mean in the unit, and axes, of an exact solver's work.

    Returns `problem`: With the same clusterings, in the same order of their costs. Returns
    `exponent`: The points are multiplied by 2 to that power, and costs by its square.
    """
    centred = problem.centred()
    counted = problem.masses > 0.0
    reach = np.abs(centred.X[counted]).max() * np.sqrt(problem.masses[counted].mean())
    exponent = _REACH - int(np.frexp(reach)[1])
    if not counted.all():  # a point of weight 0 may be far from all others
        exponent = min(exponent, _FARTHEST - int(np.frexp(np.abs(centred.X).max())[1]))
    sums = sum_limits(problem)  # which have a unit of their own
    others = [rule for rule in problem.rules if not isinstance(rule, SumLimit)]
    rules = (*sums, _Settled(conjunction(problem, others))) if others else sums
    X = rotate(centred.X) if problem.d > problem.n else centred.X
    scaled = replace(
        centred,
        X=np.ldexp(X, exponent),
        must_link=_reweighed(problem.must_link, 2 * exponent),
        cannot_link=_reweighed(problem.cannot_link, 2 * exponent),
        rules=rules,
    )
    return cast("AnyProblem", scaled), exponent


def _reweighed(links: Links, exponent: int) -> Links:
    """Return the links with weights times 2 to a power; soft ones stay soft.

    Weights beyond all costs are cut off, and links whose weights vanish beside all costs go.
    """
    if links.is_hard.all():
        return links
    with np.errstate(over="ignore", under="ignore"):
        weights = np.minimum(np.ldexp(links.weights, exponent), _HEAVIEST)
    weights = np.where(links.is_hard, np.inf, weights)
    stay = weights > 0.0
    return Links(links.pairs[stay], weights[stay])


def work_rescaled(work: Callable[[Task], Report], exponent: int, task: Task) -> Report:
    """Return the report on a task in the unit of the points, of work that has its own."""
    growth = float(np.ldexp(1.0, 2 * exponent))
    task = replace(
        task, lower_bound=task.lower_bound * growth, upper_bound=task.upper_bound * growth
    )
    report = work(task)
    # All that is shown is in the unit of the points; a certificate names its own.
    unit = {"unit": np.array([exponent], dtype=np.int64)} if report.certificate else {}
    return replace(
        report,
        lower_bound=report.lower_bound / growth,
        events=tuple(_unscaled_event(event, growth) for event in report.events),
        certificate={**report.certificate, **unit},
    )


def _unscaled_event(event: Event, growth: float) -> Event:
    if isinstance(event, CutsAdded):
        return msgspec.structs.replace(event, lower_bound=event.lower_bound / growth)
    if not isinstance(event, ColumnsPriced):
        return event
    return msgspec.structs.replace(
        event,
        best_reduced_cost=event.best_reduced_cost / growth,
        master_objective=event.master_objective / growth,
        lower_bound=event.lower_bound / growth,
        duals=event.duals / growth,
        center=None if event.center is None else event.center / growth,
    )
