"""The colour of each cluster on the page, and with it the cluster's number."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import IntArray
from ccviz.problem.partition import Partition
from ccviz.views.frames.scatter import matching


class ClusterColors:
    """Remembers the colours shown, so that runs, views and tables name clusters alike.

    Attributes
    ----------
    shown : (n,) int or None
        The colour of each point when any were shown last, -1 for none.
    answer : (n,) int or None
        Their colours in the answer of the run that was seen to end last.
    """

    def __init__(self) -> None:
        self.shown: IntArray | None = None
        self.answer: IntArray | None = None

    @property
    def before(self) -> IntArray | None:
        """What the colours of a run follow: the last answer, or what was shown where none is.

        From frame to frame they would drift: a run begins at random, so colours that follow
        its first clusters have lost the answer of the run before.
        """
        return self.shown if self.answer is None else self.answer

    def keep(self, colors: IntArray, is_answer: bool = False) -> None:
        """Remember the colours that are shown, unless there are none.

        Parameters
        ----------
        colors : (n,) int
        is_answer : bool
            Whether they are those of the answer of a run that has ended.
        """
        if colors.max(initial=-1) < 0:
            return
        self.shown = colors
        if is_answer:
            self.answer = colors

    def forget(self) -> None:
        """Forget all colours: the points have changed."""
        self.shown = self.answer = None

    def of(self, answer: Partition) -> IntArray:
        """Return the colours of a clustering, as near as can be to those shown.

        Parameters
        ----------
        answer : Partition

        Returns
        -------
        (n,) int
            Points left out keep their own numbers, which are no colours. Given centres come last.
        """
        k = answer.problem.n_clusters
        color = np.arange(answer.problem.k)
        color[:k] = matching(answer.shown, self.shown, k)
        return color[answer.labels]
