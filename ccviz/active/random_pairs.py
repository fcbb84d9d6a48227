"""Pairs drawn by chance: what every other strategy has to beat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ccviz.active.strategy import Pair, Strategy


class RandomPairs(Strategy):
    """Random pairs, clustered by PCK-means."""

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random pairs"
    paper: ClassVar[str] = "Wagstaff, Cardie, Rogers and Schrödl (2001)"

    def questions(self) -> Iterator[Pair]:
        """Yield random pairs, those left out that earlier answers imply."""
        for _ in range(self.n**2):  # almost surely every pair that is still open
            i, j = self.rng.choice(self.n, 2, replace=False).tolist()
            yield from self.ask(i, j)
