"""What every way to choose questions has: the points, the answers so far, a clustering."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ccviz.active.answers import Answers
from ccviz.api import solve
from ccviz.arrays import FloatArray, IntArray
from ccviz.problem.problem import Problem
from ccviz.solvers.pck_means import PckMeans

Pair = tuple[int, int]


class Strategy(ABC):
    """A way to choose questions.

    A strategy yields the pair that it wants answered, the point in question first, and finds the
    answer among the answers when it goes on: True, False, or still None if unknown. It never
    asks what follows from the answers, so a restarted strategy continues where it was.

    Parameters
    ----------
    X : (n, d) float64
    answers : Answers
        To be read only; the learner writes them.
    noise : float
        The share of answers that are expected to be wrong.

    Attributes
    ----------
    enough : str
        Why there is no question any more, once there is none.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]

    enough = "what is known answers every question that is left."

    def __init__(
        self, X: FloatArray, k: int, answers: Answers, seed: int = 0, noise: float = 0.0
    ) -> None:
        self.X, self.k, self.answers, self.seed, self.noise = X, k, answers, seed, noise
        self.n = len(X)
        self.rng = np.random.default_rng(seed)

    @abstractmethod
    def questions(self) -> Iterator[Pair]:
        """Yield the pairs to ask about, each after the answer to the one before."""

    def prepare(self) -> None:  # noqa: B027, most need nothing
        """Work out beforehand what the questions after the first one will need."""

    def labels(self) -> IntArray:
        """Return (n,) int64 the clustering now: PCK-means, the answers as soft links."""
        must_link, cannot_link = self.answers.links()
        problem = Problem(self.X, self.k, must_link=must_link, cannot_link=cannot_link)  # type: ignore[arg-type]
        # Answers are scarce and mostly right: they cost more than the default price.
        pck_means = PckMeans(w=1.0, scale="data", n_init=1)
        found = solve(problem, pck_means, seed=self.seed, progress=False).labels
        return np.zeros(self.n, dtype=np.int64) if found is None else found

    def ask(self, i: int, j: int) -> Iterator[Pair]:
        """Yield a pair unless the answers know it already."""
        if i != j and self.answers.known(i, j) is None and i not in self.answers.aside:
            yield i, j

    def place(self, point: int, order: list[list[int]]) -> Iterator[Pair]:
        """Yield what asks whether a point belongs to groups, the likeliest first, until it does."""
        for points in order:
            yield from self.ask(point, nearest(self.X, self.X[point], points))
            if self.answers.known(point, points[0]):
                return


def nearest(X: FloatArray, place: FloatArray, points: list[int]) -> int:
    """Return that of some points which is nearest to a place.

    Parameters
    ----------
    X : (n, d) float64
    place : (d,) float64
    """
    return points[int(((X[points] - place) ** 2).sum(axis=1).argmin())]
