"""The small problems of the relaxation's tests."""

from tests.solvers.relaxation.conftest import draw, optimum, small_problems

__all__ = ["draw", "optimum", "small_problems"]
