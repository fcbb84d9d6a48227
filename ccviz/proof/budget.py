"""A budget of work: counted, not timed, so that an answer does not hang on the machine."""

from __future__ import annotations

from dataclasses import dataclass

STEP = 2.5e7
"""Looks at a number that make one unit of work: about a second."""
DEFAULT_WORK = 5.0


@dataclass(eq=False)
class Budget:
    """What a check may still spend on searches.

    Attributes
    ----------
    left : float
        Looks.
    """

    left: float

    @staticmethod
    def of(work: float) -> Budget:
        """Return a budget of so many units."""
        return Budget(work * STEP)

    def spend(self, looks: float) -> bool:
        """Take off what is about to be done; False if there is not enough left."""
        if looks > self.left:
            return False
        self.left -= looks
        return True
