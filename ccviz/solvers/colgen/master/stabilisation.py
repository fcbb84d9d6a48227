"""Dual stabilisation: the choice of the duals to price at.

The master's optimal duals jump between far corners of its optimal face; pricing there makes
columns of little use (Babaki et al. 2014, section 5.3). Four ways to deal with it:

- ``none``: price at the simplex method's duals.
- ``perturbation``: the paper's (table 4). Every row may be missed by up to mu at the price
  theta. When no column is missing, theta moves to the duals and mu is divided by 2^l.
- ``smoothing``: price between the best duals so far and the simplex method's (Wentges 1997).
- ``interior``: price between the best duals so far and those of the interior-point method, which
  lie in the middle of the optimal face, where du Merle et al. 1999 look for them too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray

SCHEMES = ("interior", "smoothing", "perturbation", "none")
_FIRST_EXTENT = 0.99
"""First mu of the perturbation (section 6)."""
_LAST_EXTENT = 1e-7
"""Mu below which the perturbation is dropped."""


@dataclass(frozen=True, eq=False)
class Stabiliser:
    """The state of a scheme; it travels with the node.

    Attributes
    ----------
    scheme : str
    smoothing : float
        Share of the best duals so far in the point to price at.
    center : (s,) float64 or None
        Best duals so far, or theta of the perturbation.
    extent : float
        mu of the perturbation, otherwise 0.
    updates : int
        l of the perturbation.
    """

    scheme: str = "interior"
    smoothing: float = 0.5
    center: FloatArray | None = None
    extent: float = 0.0
    updates: int = 0

    @property
    def interior(self) -> bool:
        """Whether the master is to be solved by the interior-point method."""
        return self.scheme == "interior"

    @property
    def smooths(self) -> bool:
        """Whether pricing happens away from the master's duals."""
        return self.scheme in ("interior", "smoothing") and self.smoothing > 0.0

    def start(self, usual: FloatArray) -> Stabiliser:
        """Return the state before the first iteration; ``usual`` (s,) are plausible duals."""
        if self.scheme != "perturbation":
            return self
        return replace(self, center=usual, extent=_FIRST_EXTENT, updates=0)

    def point(self, duals: FloatArray) -> FloatArray:
        """Return the duals to price at."""
        if not self.smooths or self.center is None:
            return duals
        return self.smoothing * self.center + (1.0 - self.smoothing) * duals

    def recenter(self, duals: FloatArray) -> Stabiliser:
        """Return the state after the Lagrangian bound rose at these duals."""
        return self if self.scheme == "perturbation" else replace(self, center=duals)

    def relax(self, duals: FloatArray) -> Stabiliser:
        """Return the state after a perturbed master was solved to optimality."""
        updates = self.updates + 1
        extent = self.extent / 2.0**updates
        extent = extent if extent > _LAST_EXTENT else 0.0
        return replace(self, center=duals, extent=extent, updates=updates)

    def inherit(self, child_of: np.ndarray, s: int) -> Stabiliser:
        """Return the state for a child whose block ``child_of[b]`` holds the parent's block b."""
        if self.center is None:
            return self
        center = np.bincount(child_of, self.center, s).astype(np.float64)
        extent = _FIRST_EXTENT if self.scheme == "perturbation" else 0.0
        return replace(self, center=center, extent=extent, updates=0)
