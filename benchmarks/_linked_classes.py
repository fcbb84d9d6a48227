"""Classes that follow from link files: published links without errors say which points agree."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ccviz import Problem
from ccviz.arrays import IntArray
from ccviz.problem.blocks import contract


def two_classes(problems: Iterable[Problem]) -> IntArray:
    """Return the two classes of points, where the links of all problems together settle them.

    With two clusters a cannot-link leaves no choice, so all links make two blocks of the points.
    """
    given = list(problems)
    must, cannot = (
        np.concatenate([getattr(each, kind).pairs for each in given])
        for kind in ("must_link", "cannot_link")
    )
    blocks = contract(Problem(given[0].X, 2, must_link=must, cannot_link=cannot))
    if blocks.s != 2:
        raise ValueError("These links do not settle the classes of all points.")
    return blocks.block_of
