"""MinMax: far points until every cluster has one, then the least familiar point again and again.

P. K. Mallapragada, R. Jin, A. K. Jain: Active query selection for semi-supervised clustering
(ICPR 2008). The first phase is *Explore* of Basu, Banerjee and Mooney (SDM 2004).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ccviz.active.strategy import Pair, Strategy


class MinMax(Strategy):
    """Farthest-first exploration and consolidation, clustered by PCK-means."""

    name: ClassVar[str] = "min-max"
    title: ClassVar[str] = "MinMax"
    paper: ClassVar[str] = "Mallapragada, Jin and Jain (2008)"

    def questions(self) -> Iterator[Pair]:
        """Yield the questions about one far point after another.

        Both phases take the point whose nearest asked point is farthest: the similarity of the
        paper's second phase falls with the distance.
        """
        first = int(self.rng.integers(self.n))
        asked = [first]
        away = self._distances(first)
        while len(asked) < self.n:
            point = int(away.argmax())
            groups = sorted(self.answers.classes or [[first]], key=lambda g: self._apart(point, g))
            yield from self.place(point, groups)
            asked.append(point)
            away = np.minimum(away, self._distances(point))
            away[asked] = -1.0  # also where points coincide

    def _distances(self, point: int) -> np.ndarray:
        return ((self.X - self.X[point]) ** 2).sum(axis=1)

    def _apart(self, point: int, points: list[int]) -> float:
        return float(((self.X[points] - self.X[point]) ** 2).sum(axis=1).min())
