"""What divide and bound says of a problem before a search tree over all of it.

A round on some thousand blocks takes minutes; cut into parts they have a clustering and a bound
after seconds. Parts are merged, but not branched: what they leave open is for the tree.
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

_USUAL = DivideSettings()


def look_ahead(
    problem: Problem, context: Context, tolerance: float, cut: DivideSettings = _USUAL
) -> Generator[Event, None, Known | Finished]:
    """Yield the events of divide and bound but for the last, and return what the tree begins with.

    Parameters
    ----------
    problem : Problem
    context : Context
        A history that has a tree already has all that divide said.
    tolerance : float
        Relative gap at which no tree is needed: then the last event is returned.
    cut : DivideSettings
        How to cut; the tolerance there is not looked at.
    """
    before = tuple(takewhile(_is_ahead, context.history))
    division = Division(
        problem,
        replace(context, history=before),
        tolerance=tolerance,
        incumbent=cut.incumbent,
        part_size=cut.part_size,
        largest_part=cut.largest_part,
        shared=cut.shared,
        branching=False,
    )
    if len(before) < len(context.history):
        division.restore()
        return Known(division.upper_bound, division.lower_bound)
    for event in division.steps():
        if isinstance(event, Finished) and division.is_closed:
            return event
        # That no clustering exists is for the tree to prove: its certificate is what is checked.
        if not isinstance(event, Finished | InfeasibilityProved):
            yield event
    return Known(division.upper_bound, division.lower_bound)


def _is_ahead(record: Record) -> bool:
    return not isinstance(record.event, NodeOpened)
