"""Sentences on the clustering that stays near to the one before."""

from __future__ import annotations

from ccviz.numbers import count, number
from ccviz.studies.least_change import LeastChange


def stay_words(found: LeastChange) -> str:
    """Return how many points moved, and what the clustering costs at most.

    Parameters
    ----------
    found : LeastChange
    """
    moved = count(len(found.moved), "point")
    cost, most = number(found.partition.objective), number(found.allowed)
    return f"{moved} moved (ringed): WCSS {cost}, at most {most} tolerated"
