"""NPU: the point with the most uncertain neighbourhood for the expected number of questions.

S. Xiong, J. Azimi, X. Z. Fern: Active learning of constraints for semi-supervised clustering
(IEEE TKDE 26, 2014), algorithms 1 and 2. Two points are the more alike the more trees of a random
forest, grown on the clustering so far, put them into one leaf.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ccviz.active.strategy import Pair, Strategy
from ccviz.arrays import FloatArray

_TREES = 50


class Npu(Strategy):
    """Normalised point-based uncertainty, clustered by PCK-means."""

    name: ClassVar[str] = "npu"
    title: ClassVar[str] = "NPU"
    paper: ClassVar[str] = "Xiong, Azimi and Fern (2014)"

    def questions(self) -> Iterator[Pair]:
        """Yield the questions that place one uncertain point after another."""
        first = int(self.rng.integers(self.n))
        asked = {first}
        while len(asked) < self.n:
            groups = self.answers.classes or [[first]]
            share = self._shares(groups)
            settled = [point for points in groups for point in points]
            worth = _uncertainty(share) / _expected_questions(share)
            worth[[*settled, *asked]] = -1.0
            point = int(worth.argmax())
            if worth[point] < 0:
                return
            order = np.argsort(-share[point], kind="stable")
            yield from self.place(point, [groups[g] for g in order])
            asked.add(point)

    def _shares(self, groups: list[list[int]]) -> FloatArray:
        """Return (n, groups) the probability of each point to belong to each group."""
        from sklearn.ensemble import RandomForestClassifier

        seed = int(self.rng.integers(2**31))
        forest = RandomForestClassifier(_TREES, random_state=seed).fit(self.X, self.labels())
        leaf = forest.apply(self.X)
        alike = np.column_stack(
            [np.mean([(leaf == leaf[p]).mean(axis=1) for p in points], axis=0) for points in groups]
        )
        alike[alike.sum(axis=1) == 0] = 1.0  # like none, so any
        return alike / alike.sum(axis=1, keepdims=True)


def _uncertainty(share: FloatArray) -> FloatArray:
    return -(share * np.log2(np.maximum(share, 1e-300))).sum(axis=1)


def _expected_questions(share: FloatArray) -> FloatArray:
    """Return (n,) expected number of groups asked about, the likeliest first."""
    return -np.sort(-share, axis=1) @ np.arange(1, share.shape[1] + 1)
