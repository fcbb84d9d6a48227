"""Which colour, and so which number, each cluster has on the page."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import IntArray
from ccviz.views.frames.scatter import matching


class Hues:
    """Remembers the colours shown, so that runs, views and tables name clusters alike.

    Attributes
    ----------
    shown : (n,) int or None
        The colour of each point when any were shown last, -1 for none.
    """

    def __init__(self) -> None:
        self.shown: IntArray | None = None

    def keep(self, colors: IntArray) -> None:
        """Remember the colours that are shown, unless there are none.

        Parameters
        ----------
        colors : (n,) int
        """
        if colors.max(initial=-1) >= 0:
            self.shown = colors

    def forget(self) -> None:
        """Begin anew: there are other points."""
        self.shown = None

    def of(self, labels: IntArray, k: int) -> IntArray:
        """Return the colours of a clustering, as near as can be to those shown.

        Parameters
        ----------
        labels : (n,) int
            0 to k - 1.
        k : int

        Returns
        -------
        (n,) int
        """
        return np.asarray(matching(labels, self.shown, k)[labels])
