"""A check under way, and the comparison of what a run claims with what is recomputed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.proof.budget import Budget
from ccviz.proof.fewer import as_bounded
from ccviz.proof.reading import FlawError, Proof
from ccviz.proof.rounding import Unit

_AGREE = 1e-8  # largest relative difference by rounding between a claim and its recomputation


@dataclass(eq=False)
class Check:
    """A check under way.

    Attributes
    ----------
    problem : Problem
    proof : Proof
    unit : Unit
        In which the points and all costs are.
    budget : Budget
        Work that searches may still take.
    upper_bound : float
        What the best clustering costs.
    enough : float
        Bounds from here on suffice for the gap.
    trusted : int
        Leaves whose search was longer than the budget allows.
    """

    problem: Problem
    proof: Proof
    unit: Unit
    budget: Budget
    upper_bound: float = math.inf
    enough: float = -math.inf
    trusted: int = 0

    @cached_property
    def told(self) -> Problem:
        """The problem as bounds know it."""
        return as_bounded(self.problem)


def compare(check: Check, claimed: float, bound: float) -> None:
    """Raise a `FlawError` if a claimed bound is not the one that is proved.

    Parameters
    ----------
    check : Check
    claimed, bound : float
        In the unit of the check.
    """
    if not agree(check, claimed, bound):
        raise FlawError(
            f"claims the bound {check.unit.back(claimed):.9g}, "
            f"but its certificate proves {check.unit.back(bound):.9g}"
        )


def agree(check: Check, claimed: float, found: float) -> bool:
    """Whether a claim agrees with the recomputed value up to rounding.

    No accepted bound depends on this: it finds runs that claim more than they prove.

    Parameters
    ----------
    check : Check
    claimed, found : float
        In the unit of the check.
    """
    plain = float(((4.0 * np.finfo(float).eps * check.unit.X) ** 2).sum())
    size = max(abs(found), check.unit.norm**2)
    return abs(found - claimed) <= _AGREE * size + check.unit.scaled(plain)
