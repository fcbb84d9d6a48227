"""The contract of every solver, for this one."""

from ccviz_farthest import Farthest

from ccviz.solvers import make_solver
from ccviz.testing import check_solver


def test_ccviz_finds_it():
    """The entry point is installed."""
    assert make_solver("farthest", n_init=2) == Farthest(n_init=2)


def test_it_keeps_what_every_solver_promises():
    """Events, answers, bounds, seeds and stopping are as they must be."""
    check_solver(Farthest)
