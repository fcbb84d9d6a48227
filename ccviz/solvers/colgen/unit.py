"""Column generation in a unit of its own, whatever the unit of the points.

Linear programs are solved to absolute tolerances: points that lie a millionth apart would all be
worth the same to them. The unit is a power of two, so nothing is rounded on the way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from ccviz.events import ColumnsPriced, Event
from ccviz.problem.problem import Problem
from ccviz.problem.rules import Alternatives, Rule, conjunction
from ccviz.solvers.tree import Report, Task

_REACH = 5  # the farthest point is about 2^5 from the mean


@dataclass(frozen=True, eq=False)
class _Settled(Rule):
    """Rules in normal form, worked out in the unit in which they were meant."""

    normal_form: Alternatives

    def alternatives(self, problem: Problem) -> Alternatives:
        return self.normal_form


def in_unit(problem: Problem) -> tuple[Problem, float]:
    """Return the problem about its mean in the unit of column generation.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    problem : Problem
        With the same clusterings, in the same order of their costs.
    growth : float
        By how much each cost has grown.
    """
    centred = problem.centred()
    _, exponent = np.frexp(np.abs(centred.X).max())
    factor = float(np.ldexp(1.0, _REACH - int(exponent)))
    rules = (_Settled(conjunction(problem, problem.rules)),) if problem.rules else ()
    return replace(centred, X=centred.X * factor, rules=rules), factor**2


def scaled_task(task: Task, growth: float) -> Task:
    """Return a task with its bounds in the unit of column generation."""
    return replace(
        task, lower_bound=task.lower_bound * growth, upper_bound=task.upper_bound * growth
    )


def unscaled(report: Report, growth: float) -> Report:
    """Return a report with everything that leaves the node in the unit of the points."""
    return replace(
        report,
        lower_bound=report.lower_bound / growth,
        events=tuple(_unscaled_event(event, growth) for event in report.events),
        certificate={name: values / growth for name, values in report.certificate.items()},
    )


def _unscaled_event(event: Event, growth: float) -> Event:
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
