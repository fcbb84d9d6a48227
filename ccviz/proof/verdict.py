"""The result of a check."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """Result of a check.

    Attributes
    ----------
    accepted : bool
        Whether the run proves that its clustering is within the requested gap, or that no
        clustering exists.
    sentence : str
        ``proved within gap ...``, ``proved infeasible``, or ``no proof: ...`` and why.
    upper_bound, lower_bound, gap : float
        Upper bound on the cost of the clustering, lower bound on the cost of every clustering;
        ``inf``/``-inf`` if not computed.
    leaves : int
        Number of leaves, or parts, that were checked.
    trusted : int
        Number of leaves whose search would have exceeded the budget.
    """

    accepted: bool
    sentence: str
    upper_bound: float = math.inf
    lower_bound: float = -math.inf
    gap: float = math.inf
    leaves: int = 0
    trusted: int = 0
