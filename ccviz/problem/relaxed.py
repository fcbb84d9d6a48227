"""A problem without some of its constraints: bounds and certificates of it hold for all of it.

Every clustering that a problem allows is allowed without some of its links, or with wider sizes,
and costs no more there. So a bound that is proved without them holds with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NewType, TypeVar

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import IntArray
from ccviz.errors import ProblemError
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.problem.sums import MaxSum, MinSum, SumLimit

WITHOUT = ("without_must", "without_cannot", "with_sizes")
"""Arrays of a certificate that was made without some of the problem's constraints."""


Bounded = NewType("Bounded", Problem)
"""A problem that a relaxation may be made of. Only `bounded` makes one, so that the type checker
finds a bound that takes sizes for weights, or a limit on sums for nothing."""

AnyProblem = TypeVar("AnyProblem", bound=Problem)


Sums = Literal["none", "largest", "all"]
"""The limits on sums that a bound has terms for: none, the upper ones of values at least 0, all."""

_KEPT: dict[Sums, tuple[type[SumLimit], ...]] = {
    "none": (),
    "largest": (MaxSum,),
    "all": (SumLimit,),
}


def bounded(problem: Problem, sums: Sums = "none") -> Bounded:
    """Return the problem that a relaxation may be made of; the same one if that is all of it.

    Sizes beside weights stay out: sizes count points, the masses of blocks weight. Limits on sums
    stay out where the bound has no term for them. Where it has them for all, the sizes beside
    weights are limits on sums of ones.
    """
    kept = _KEPT[sums]
    rules = tuple(
        rule for rule in problem.rules if isinstance(rule, kept) or not isinstance(rule, SumLimit)
    )
    sizes = None if problem.weights is not None else problem.sizes
    if sums == "all" and problem.sizes is not None and sizes is None:
        ones, least, most = (1.0,) * problem.n, problem.sizes.lower.min(), problem.sizes.upper.max()
        rules = (*rules, MinSum(ones, float(least)), MaxSum(ones, float(most)))
    if len(rules) == len(problem.rules) and sizes is problem.sizes:
        return Bounded(problem)
    return Bounded(replace(problem, rules=rules, sizes=sizes, asked=None))


@dataclass(frozen=True, eq=False)
class Lacking:
    """The constraints that a certificate was made without."""

    must: IntArray  # must, cannot, (m, 2): Links of the problem, hard or soft
    cannot: IntArray
    # (2, k): The sizes instead of the problem's, which are within these; without rows none, None
    # for those of the problem.
    sizes: IntArray | None = None

    def arrays(self) -> dict[str, IntArray]:
        """Return what a certificate says of them: nothing where nothing is lacking."""
        pairs = {"without_must": self.must, "without_cannot": self.cannot}
        said = {name: value for name, value in pairs.items() if len(value)}
        return said if self.sizes is None else {**said, "with_sizes": self.sizes}


def lacking_of(certificate: dict[str, np.ndarray]) -> Lacking:
    """Return what a certificate says that it was made without."""
    none = np.empty((0, 2), dtype=np.int64)
    must, cannot = (certificate.get(name, none) for name in WITHOUT[:2])
    return Lacking(must, cannot, certificate.get("with_sizes"))


def relaxed(problem: Problem, lacking: Lacking) -> Problem:
    """Return a problem without some of its constraints.

    Raises `ProblemError` if it has no such links, or its sizes are not within the others.
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
    """Return whether all clusterings of some sizes are of others too."""
    if wider is None:
        return True
    if now is None:
        return False
    return bool((now.lower >= wider.lower).all() and (now.upper <= wider.upper).all())


def keys(pairs: IntArray, n: int) -> IntArray:
    """Return a number for each pair; a page compares hundreds of thousands after an edit."""
    return pairs[:, 0] * n + pairs[:, 1]


def shared(links: Links, others: Links, n: int) -> NDArray[np.bool_]:
    """Return (m,) bool: which links are among others, with the same weight."""
    mine, theirs = keys(links.pairs, n), keys(others.pairs, n)
    order = np.argsort(theirs)
    at = np.minimum(np.searchsorted(theirs[order], mine), max(0, len(theirs) - 1))
    if not len(theirs):
        return np.zeros(len(mine), dtype=bool)
    found = order[at]
    return (theirs[found] == mine) & (others.weights[found] == links.weights)
