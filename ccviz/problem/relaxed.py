"""A problem without some of its constraints, of which another problem's certificates still prove.

Every clustering that a problem allows is allowed without some of its links, or with wider sizes,
and costs no more there. So a bound that is proved without them holds with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes

WITHOUT = ("without_must", "without_cannot", "with_sizes")
"""Arrays of a certificate that was made without some of the problem's constraints."""


@dataclass(frozen=True, eq=False)
class Lacking:
    """The constraints that a certificate was made without.

    Attributes
    ----------
    must, cannot : (m, 2) int64
        Links of the problem, hard or soft.
    sizes : (2, k) or (0, k) int64, or None
        The sizes instead of the problem's, which are within these; without rows none, None for
        those of the problem.
    """

    must: IntArray
    cannot: IntArray
    sizes: IntArray | None = None

    def arrays(self) -> dict[str, IntArray]:
        """Return what a certificate says of them: nothing where nothing is lacking."""
        pairs = {"without_must": self.must, "without_cannot": self.cannot}
        said = {name: value for name, value in pairs.items() if len(value)}
        return said if self.sizes is None else {**said, "with_sizes": self.sizes}


def lacking_of(certificate: dict[str, np.ndarray]) -> Lacking:
    """Return what a certificate says that it was made without.

    Parameters
    ----------
    certificate : dict of arrays
    """
    none = np.empty((0, 2), dtype=np.int64)
    must, cannot = (certificate.get(name, none) for name in WITHOUT[:2])
    return Lacking(must, cannot, certificate.get("with_sizes"))


def relaxed(problem: Problem, lacking: Lacking) -> Problem:
    """Return a problem without some of its constraints.

    Parameters
    ----------
    problem : Problem
    lacking : Lacking

    Raises
    ------
    ProblemError
        If it has no such links, or its sizes are not within the others.
    """
    sizes = problem.sizes
    if lacking.sizes is not None:
        sizes = _wider(problem, lacking.sizes)
    return replace(
        problem,
        asked=None,
        must_link=_left(problem.must_link, lacking.must, problem.n),
        cannot_link=_left(problem.cannot_link, lacking.cannot, problem.n),
        sizes=sizes,
    )


def _left(links: Links, pairs: IntArray, n: int) -> Links:
    if not len(pairs):
        return links
    if pairs.shape[1:] != (2,) or not np.isin(keys(pairs, n), keys(links.pairs, n)).all():
        raise ProblemError("links to leave out are not links of the problem.")
    stay = ~np.isin(keys(links.pairs, n), keys(pairs, n))
    return Links(links.pairs[stay], links.weights[stay])


def _wider(problem: Problem, table: IntArray) -> Sizes | None:
    now, k = problem.sizes, problem.k
    if now is None or table.shape not in {(0, k), (2, k)}:
        raise ProblemError("wider sizes are given, but they do not fit the problem's.")
    if not len(table):
        return None
    wider = Sizes(*table)
    if not is_within(now, wider):
        raise ProblemError("the problem's sizes are not within those named.")
    return wider


def is_within(now: Sizes | None, wider: Sizes | None) -> bool:
    """Return whether all clusterings of some sizes are of others too.

    Parameters
    ----------
    now, wider : Sizes or None
    """
    if wider is None:
        return True
    if now is None:
        return False
    return bool((now.lower >= wider.lower).all() and (now.upper <= wider.upper).all())


def keys(pairs: IntArray, n: int) -> IntArray:
    """Return a number for each pair; a page compares hundreds of thousands after an edit.

    Parameters
    ----------
    pairs : (m, 2) int64
    n : int
        Number of points, or whatever the pairs are of.
    """
    return pairs[:, 0] * n + pairs[:, 1]


def shared(links: Links, others: Links, n: int) -> NDArray[np.bool_]:
    """Return (m,) bool: which links are among others, with the same weight.

    Parameters
    ----------
    links, others : Links
        Each pair once.
    n : int
        Number of points.
    """
    mine, theirs = keys(links.pairs, n), keys(others.pairs, n)
    order = np.argsort(theirs)
    at = np.minimum(np.searchsorted(theirs[order], mine), max(0, len(theirs) - 1))
    if not len(theirs):
        return np.zeros(len(mine), dtype=bool)
    found = order[at]
    return (theirs[found] == mine) & (others.weights[found] == links.weights)
