"""A budget of work, counted and not timed, so that a verdict is the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass

STEP = 2.5e7
"""Array elements visited per unit of work; a unit takes about a second."""
DEFAULT_WORK = 5.0


@dataclass(eq=False)
class Budget:
    """Work left for searches.

    Attributes
    ----------
    left : float
        In elements visited.
    """

    left: float

    @staticmethod
    def of(work: float) -> Budget:
        """Return a budget of the given number of units."""
        return Budget(work * STEP)

    def spend(self, looks: float) -> bool:
        """Subtract the given work; False if not enough is left."""
        if looks > self.left:
            return False
        self.left -= looks
        return True
