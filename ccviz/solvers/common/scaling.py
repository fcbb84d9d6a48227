"""Exact solvers work in a unit of their own, whatever the unit of the points.

Linear programs are solved to absolute tolerances: points a millionth apart would be one point to
them, and squares of very small or large numbers leave the range of doubles. The unit is a power of
two, so nothing is rounded on the way. Points of more features than there are points are rotated
into as few dimensions as hold them, once for all nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from ccviz.events import ColumnsPriced, CutsAdded, Event
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.rules import Alternatives, Rule, conjunction
from ccviz.problem.sums import SumLimit, sum_limits
from ccviz.solvers.common.dimensions import rotate
from ccviz.solvers.search.tree import Report, Task

_REACH = 5  # the farthest point is about 2^5 from the mean, where weights are 1

_FARTHEST = 200
"""Largest power of two of a coordinate after scaling."""

_HEAVIEST = 1e200
"""Largest weight of a soft link in the unit of the work: sums of weights stay finite."""


@dataclass(frozen=True, eq=False)
class _Settled(Rule):
    """Rules in normal form, worked out in the unit in which they were meant."""

    normal_form: Alternatives

    def alternatives(self, problem: Problem) -> Alternatives:
        return self.normal_form


def rescale(problem: Problem) -> tuple[Problem, int]:
    """Return the problem about its mean in the unit, and axes, of an exact solver's work.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    problem : Problem
        With the same clusterings, in the same order of their costs.
    exponent : int
        The points are multiplied by 2 to that power, and costs by its square.
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
    return scaled, exponent


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
    """Return the report on a task in the unit of the points, of work that has its own.

    Parameters
    ----------
    work : callable
        Knows the problem as `rescale` has it.
    exponent : int
    task : Task
        In the unit of the points.
    """
    growth = float(np.ldexp(1.0, 2 * exponent))
    task = replace(
        task, lower_bound=task.lower_bound * growth, upper_bound=task.upper_bound * growth
    )
    return _unscaled(work(task), growth, exponent)


def _unscaled(report: Report, growth: float, exponent: int) -> Report:
    """Return a report with all that is shown in the unit of the points; a certificate names its."""
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
