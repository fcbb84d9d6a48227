"""Links indexed like rows, for the folds of a cross-validation and for pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ccviz.arrays import IntArray
from ccviz.problem.links import Links, read_links


class RowLinks:
    """Must-links and cannot-links of n rows, indexed like the rows themselves.

    Where scikit-learn takes some of the rows, it takes the same of whatever has one entry a row:
    what is left are the links between these rows, under their new numbers.

    Parameters
    ----------
    n : int
        Number of rows.
    must_link, cannot_link : pairs
        As in `ccviz.Problem`, by row number.

    Attributes
    ----------
    shape : (n,)

    Raises
    ------
    ProblemError
        If a pair is malformed or names a row that does not exist.

    Examples
    --------
    >>> from ccviz.row_links import RowLinks
    >>> links = RowLinks(5, must_link=[(0, 4)], cannot_link=[(1, 2)])
    >>> links[[4, 0, 1]].must_link.pairs.tolist()
    [[0, 1]]
    """

    def __init__(self, n: int, must_link: Any = (), cannot_link: Any = ()) -> None:
        self.shape = (n,)
        self.must_link = read_links(must_link, n, "must-link")[0]
        self.cannot_link = read_links(cannot_link, n, "cannot-link")[0]

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return (
            f"RowLinks({len(self)} rows, {len(self.must_link)} must-links, "
            f"{len(self.cannot_link)} cannot-links)"
        )

    def __getitem__(self, rows: Any) -> RowLinks:
        """Return the links between some of the rows, given as an index of an array."""
        chosen = np.arange(len(self))[rows[0] if isinstance(rows, tuple) else rows]
        chosen = np.atleast_1d(chosen)
        place = np.full(len(self), -1, dtype=np.int64)
        place[chosen[::-1]] = np.arange(len(chosen))[::-1]  # the first of rows taken twice
        return RowLinks(len(chosen), *(_moved(each, place) for each in self._both()))

    def _both(self) -> tuple[Links, Links]:
        return self.must_link, self.cannot_link


def _moved(links: Links, place: IntArray) -> ArrayLike:
    """Return (i, j, weight) of the links whose rows both have a place."""
    pairs = place[links.pairs]
    kept = (pairs >= 0).all(axis=1)
    return np.column_stack([pairs[kept], links.weights[kept]])
