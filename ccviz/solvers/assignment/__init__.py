"""The exact assignment step that the k-means-like solvers share.

Importing this package loads numba: solvers do it inside ``steps``.
"""

from ccviz.feasibility.repair import Graph
from ccviz.solvers.assignment.centers import Assignment, objective_of
from ccviz.solvers.assignment.exact import solve_assignment
from ccviz.solvers.assignment.greedy import greedy_assignment
from ccviz.solvers.assignment.structure import Structure, structure_of

__all__ = [
    "Assignment",
    "Graph",
    "Structure",
    "greedy_assignment",
    "objective_of",
    "solve_assignment",
    "structure_of",
]
