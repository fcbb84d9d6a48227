"""How sure the points of a run are: what the plot shows of it, and sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.numbers import count
from ccviz.problem.problem import Problem
from ccviz.runs.earlier import same_points, tightens
from ccviz.studies.margin_table import Margins
from ccviz.views.frames.scatter import Coloring


def sure_only(frame: Coloring, known: Margins | None, rise: float | None) -> Coloring:
    """Return a colouring in which the points that are proved to stay keep their colours.

    Parameters
    ----------
    frame : Coloring
    known : Margins or None
        Of the clustering in it.
    rise : float or None
        Share by which the cost may rise; None for all points.
    """
    if known is None or rise is None or len(frame.labels) != known.problem.n:
        return frame
    return replace(frame, labels=np.where(known.surely_there(rise), frame.labels, -1))


def sure_words(known: Margins | None, rise: float, asked: Problem) -> str:
    """Return how many points are proved to stay, as a sentence without its full stop.

    Parameters
    ----------
    known : Margins or None
    rise : float
        Share by which the cost may rise.
    asked : Problem
        The current one.
    """
    if known is None:
        return ""
    stay = int(known.surely_there(rise).sum())
    words = (
        f"{stay:,} of {count(known.problem.n, 'point')} proved to belong here unless the cost may "
        f"rise by more than {100.0 * rise:.3g} %"
    )
    if known.todo:
        words += f", {count(len(known.todo), 'bound')} to come"
    if not known.problem.asks_the_same(asked):
        words += ", of the problem before your last edit"
    return words


def answer_words(known: Margins | None, pair: tuple[int, int], asked: Problem) -> str:
    """Return what the less likely answer to a question would cost, as a sentence, or nothing.

    Parameters
    ----------
    known : Margins or None
        Of the run shown.
    pair : (int, int)
        The points in question.
    asked : Problem
        The current one, with the answers so far. They can only raise the cost.
    """
    if known is None or not same_points(known.problem, asked):
        return ""
    if not tightens(known.problem, asked):
        return ""
    least = known.least_of_pair(*pair)
    together = known.labels[pair[0]] == known.labels[pair[1]]
    answer = "Apart" if together else "Together"
    if not np.isfinite(least):
        return f"The links already rule out “{answer}”."
    share = least / known.objective if known.objective > 0.0 else 0.0
    if share < 5e-4:
        return "Either answer may leave the cost where it is."
    return f"“{answer}” raises the cost by at least {100.0 * share:.2g} %: proved."
