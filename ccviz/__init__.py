"""Constrained clustering: one solver core, one event stream, a live dashboard."""

from ccviz.api import Stepper, solve, start
from ccviz.blocks import Blocks, contract
from ccviz.errors import CcvizError, ContradictionError, ProblemError
from ccviz.feasibility import check_feasibility
from ccviz.links import Links
from ccviz.notebook import explore
from ccviz.partition import Partition
from ccviz.problem import Problem, Sizes
from ccviz.run import Result, Run

__all__ = [
    "Blocks",
    "CcvizError",
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
    "explore",
    "solve",
    "start",
]
