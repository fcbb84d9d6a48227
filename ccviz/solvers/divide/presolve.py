"""Presolve by divide and bound: a clustering and a bound before a tree over all blocks.

A round on some thousand blocks takes minutes; in parts they have a clustering and a bound after
seconds. Parts are merged, but not branched: the gap that is left is for the tree.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from itertools import takewhile

from ccviz.events import Event, Finished, InfeasibilityProved, NodeOpened, Record
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.divide.division import Division
from ccviz.solvers.divide.settings import DivideSettings
from ccviz.solvers.search.branch_and_bound import Known

_DEFAULTS = DivideSettings()


def presolve(
    problem: Problem, context: Context, tolerance: float, settings: DivideSettings = _DEFAULTS
) -> Generator[Event, None, Known | Finished]:
    """Yield the events of divide and bound, and return the bounds that the tree starts from.

    Parameters
    ----------
    problem : Problem
    context : Context
        If its history has nodes of a tree, it has all events of the presolve as well.
    tolerance : float
        Relative gap at which no tree is needed: then the last event is returned.
    settings : DivideSettings
        Settings of the parts; their tolerance is not used.
    """
    before = tuple(takewhile(_is_presolve, context.history))
    division = Division(
        problem,
        replace(context, history=before),
        tolerance=tolerance,
        incumbent=settings.incumbent,
        part_size=settings.part_size,
        largest_part=settings.largest_part,
        shared=settings.shared,
        branching=False,
    )
    if len(before) < len(context.history):
        division.restore()
        return Known(division.upper_bound, division.lower_bound)
    for event in division.steps():
        if isinstance(event, Finished) and division.is_closed:
            return event
        # The tree proves infeasibility, with a certificate that can be checked.
        if not isinstance(event, Finished | InfeasibilityProved):
            yield event
    return Known(division.upper_bound, division.lower_bound)


def presolved(
    problem: Problem, context: Context, tolerance: float
) -> Generator[Event, None, Known | None]:
    """Yield the events of `presolve` and, if no tree is needed, the last one.

    Parameters
    ----------
    problem : Problem
    context : Context
    tolerance : float

    Returns
    -------
    Known or None
        The bounds that the tree starts from; None if the run is over.
    """
    known = yield from presolve(problem, context, tolerance)
    if context.stop():
        return None
    if isinstance(known, Finished):
        yield known
        return None
    return known


def _is_presolve(record: Record) -> bool:
    return not isinstance(record.event, NodeOpened)
