"""Constrained clustering: one solver core, one event stream, a live dashboard.

Begin with these three:

>>> result = solve(Problem([[0.0], [1.0], [9.0]], 2, cannot_link=[(0, 1)]), "sdp")
>>> result.labels.tolist(), result.status
([1, 0, 0], 'optimal')

`solve` runs a solver on a `Problem`; ``ConstrainedKMeans(2).fit(X, must_link=[(0, 1)])`` does the
same for scikit-learn. `explore` opens the laboratory in a notebook.
"""

from typing import TYPE_CHECKING, Any

from ccviz.api import solve
from ccviz.distribution import __version__ as __version__
from ccviz.errors import CcvizError, ContradictionError, ProblemError
from ccviz.feasibility.check import check_feasibility
from ccviz.feasibility.conflict import Conflict, explain_conflict
from ccviz.moved import find_moved
from ccviz.notebook import explore
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.runs.run import Result, Run
from ccviz.runs.stepper import Stepper, start

if TYPE_CHECKING:
    from ccviz.estimator import ConstrainedKMeans

__all__ = [
    "Blocks",
    "CcvizError",
    "Conflict",
    "ConstrainedKMeans",
    "ContradictionError",
    "Links",
    "Partition",
    "Problem",
    "ProblemError",
    "Result",
    "Run",
    "Sizes",
    "Stepper",
    "check_feasibility",
    "contract",
    "explain_conflict",
    "explore",
    "solve",
    "start",
]

find_moved()


def __getattr__(name: str) -> Any:
    """Return the estimator, which is imported only where it is used: it loads scikit-learn."""
    if name != "ConstrainedKMeans":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ccviz.estimator import ConstrainedKMeans

    return ConstrainedKMeans
