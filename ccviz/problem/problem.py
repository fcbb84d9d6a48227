"""The problem: points, clusters, links, sizes and weights, checked once on construction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import InitVar, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import ContradictionError, ProblemError, UnfillableError, quote
from ccviz.numbers import card
from ccviz.problem.asked import Asked
from ccviz.problem.fixed_centers import center_weights, pairs_of_centers, read_centers
from ccviz.problem.links import Links, Repeated, chain, closure, read_links
from ccviz.problem.neighbors import Neighbors, read_neighbors
from ccviz.problem.points import checked_weights, coarse, read_points, unknown_classes
from ccviz.problem.rule_base import Rule
from ccviz.problem.sizes import (
    NO_SIZES,
    Sizes,
    checked_sizes,
    read_outliers,
    sizes_with,
    spare_points,
)


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A constrained minimum sum-of-squares clustering problem.

    Parameters
    ----------
    X : (n, d) array of float, or data frame
        One row a point. Copied, and read-only from then on. Points of float32 are kept as such,
        in half the memory, and mean the float64 numbers of the same values: costs, bounds,
        proofs and digests are those of `widened`, and sums and centres are always float64.
    k : int
        Number of clusters; none may be empty. See ``outliers``.
    must_link, cannot_link : pairs
        Each ``(i, j)`` (hard) or ``(i, j, weight)`` (soft unless the weight is ``inf``),
        zero-based.
    sizes : None, str, (k,) int, or pair of (k,) int
        Exact sizes, or lower and upper ones; or a text, such as ``"40-60"`` or ``"equal"``.
    truth : (n,) labels, optional
        Known classes, used by scores only; -1, None or NaN where a point's class is not known.
    rules : tuple
        Anti-monotone constraints on a single cluster (see `ccviz.problem.rules`).
    asked : Asked, optional
        The rules, links and sizes as given, if `ccviz.problem.reduction.with_rules` reduced
        rules to links and sizes. Solvers ignore it; reports count by it.
    weights : (n,) float, optional
        Weight of each point in the objective and in the centres, not negative; 1 if none are
        given. A point of weight 0 is labelled and not counted. Every cluster holds a point that
        counts. Sizes and rules count points, whatever their weight.
    outliers : int
        Points that may be left out; they cost nothing. Each has a cluster of its own, numbered
        after the others, and ``k`` counts these too once the problem is made. A point left out
        keeps its cannot-links, and one with a must-link is never left out. See
        `ccviz.problem.sizes`.
    outliers_asked : int
        Outliers asked for, if must-links or ``k`` allow fewer; ``outliers`` sets it.
    fixed : int
        The last points, which represent given centres; `fixed_centers` sets it.
    fixed_centers : (q, d) array of float, optional
        Centres of the first q clusters, which do not move; one may have no points. They become
        points of great weight after the others, which sizes do not count, and no truth is kept.
        See `ccviz.problem.fixed_centers`.
    neighbors : (e, 2) pairs, sparse (n, n) matrix or Neighbors, optional
        Which points are neighbours: every cluster must be connected in their graph. A point of
        weight 0 may be the bridge between others of its cluster. See `ccviz.problem.neighbors`.

    Attributes
    ----------
    corrections : tuple of str
        A sentence for each correction of the input, without that of pairs given more than once.
    repeated : tuple of Repeated
        Links that were given more than once, of each kind.

    Raises
    ------
    ProblemError
        If anything given is malformed; the sentence names the rows or pairs at fault.
    ContradictionError
        If a hard cannot-link lies inside a block of must-links; it carries the chain.
    """

    X: FloatArray
    k: int
    must_link: Links = ()  # type: ignore[assignment]
    cannot_link: Links = ()  # type: ignore[assignment]
    sizes: Sizes | None = None
    truth: IntArray | None = None
    rules: tuple[Rule, ...] = ()
    asked: Asked | None = None
    weights: FloatArray | None = None
    outliers: int = 0
    outliers_asked: int = 0
    fixed: int = 0
    fixed_centers: InitVar[Any] = None
    neighbors: Neighbors | None = None
    corrections: tuple[str, ...] = field(init=False, default=())
    repeated: tuple[Repeated, ...] = field(init=False, default=())

    def __post_init__(self, fixed_centers: Any) -> None:
        if fixed_centers is not None:
            _add_centers(self, fixed_centers)
        X = read_points(self.X)
        n = len(X)
        must_link, twice = read_links(self.must_link, n, "must-link")
        cannot_link, again = read_links(self.cannot_link, n, "cannot-link")
        k, sizes, outliers = _read_k(self.k, n), self.sizes, self.outliers
        asked = read_outliers(self.outliers_asked, n, 0)
        if outliers and sizes is not None and not asked:
            raise ProblemError(NO_SIZES)
        corrections = coarse(X)
        if outliers and sizes is None:
            asked = read_outliers(outliers, n, k)
            outliers = spare_points(must_link.hard.pairs, n, k, asked)
            k += outliers
            sizes = sizes_with(outliers, n, k) if outliers else None
            if outliers < asked:
                few = f"Of {asked} outliers only {outliers} can be"
                corrections.append(f"{few}: no point with a must-link is left out.")
        checked = {
            "X": X,
            "k": k,
            "must_link": must_link,
            "cannot_link": cannot_link,
            "sizes": checked_sizes(sizes, n - self.fixed, k, self.fixed),
            "truth": _read_truth(self.truth, n),
            "rules": read_rules(self.rules),
            "weights": checked_weights(self.weights, n),
            "neighbors": read_neighbors(self.neighbors, n),
            "outliers": outliers,
            "outliers_asked": max(asked, outliers),
            "corrections": tuple(corrections),
            "repeated": (*twice, *again),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.outliers:
            _check_left_out(self)
        if self.fixed:
            _check_fixed(self)
        _check_closure(self)

    @property
    def notices(self) -> tuple[str, ...]:
        """A sentence for each correction of the input (such as pairs given twice)."""
        return (*self.corrections, *(each.words() for each in self.repeated))

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.X)

    @property
    def d(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def n_clusters(self) -> int:
        """Number of clusters, those of points left out apart."""
        return self.k - self.outliers

    @property
    def limits_sizes(self) -> bool:
        """Whether clusters have sizes to keep, other than that points left out are alone."""
        if self.sizes is None or not self.outliers:
            return self.sizes is not None
        return bool((self.sizes.upper[: self.n_clusters] < self.n - self.k + 1).any())

    @property
    def n_points(self) -> int:
        """Number of points without those that represent given centres, which come last."""
        return self.n - self.fixed

    def shown(self, labels: IntArray) -> IntArray:
        """Return labels as people see them: none for given centres, -1 for points left out.

        Parameters
        ----------
        labels : (n,) int64

        Returns
        -------
        (n_points,) int64
        """
        labels = labels[: self.n_points]
        return np.where(labels < self.n_clusters, labels, -1) if self.outliers else labels

    @property
    def masses(self) -> FloatArray:
        """(n,) float64 the weight of each point; 1 where none are given."""
        return np.ones(self.n) if self.weights is None else self.weights

    @property
    def given(self) -> Asked:
        """The links, sizes and rules in words, before rules became links and sizes.

        The inverse of `ccviz.problem.reduction.with_rules`. Without rules in words these are the
        problem's own links and sizes. Given centres have no links here.
        """
        return self.asked or Asked((), self.must_link, self._cannot_link, self.sizes)

    @property
    def _cannot_link(self) -> Links:
        """Cannot-links, without those that keep given centres apart."""
        links = self.cannot_link
        return links.where(links.pairs.max(axis=1) < self.n_points) if self.fixed else links

    def __repr__(self) -> str:
        links = f"{len(self.must_link)} must-links, {len(self._cannot_link)} cannot-links"
        out = f", up to {self.outliers} outliers" if self.outliers else ""
        out += f", {self.fixed} fixed centres" if self.fixed else ""
        points = f"{self.n_points} points by {self.d} features"
        return f"Problem({points}, k={self.n_clusters}, {links}{out})"

    def _repr_html_(self) -> str:
        lines = [
            ("points", f"{self.n_points:,} with {self.d} feature{'s' * (self.d > 1)}"),
            ("clusters", str(self.n_clusters)),
            ("must-links", _count(self.must_link)),
            ("cannot-links", _count(self._cannot_link)),
        ]
        if self.fixed:
            lines.append(("fixed centres", f"{self.fixed:,}"))
        if self.outliers:
            lines.append(("outliers", f"up to {self.outliers:,}"))
        if self.limits_sizes and self.sizes is not None:
            limits = zip(self.sizes.lower.tolist(), self.sizes.upper.tolist(), strict=True)
            lines.append(("sizes", ", ".join(f"{a}–{b}" if a < b else f"{a}" for a, b in limits)))
        if self.neighbors is not None:
            lines.append(("neighbours", f"{len(self.neighbors):,} pairs"))
        if self.given.rules:
            lines.append(("rules", ", ".join(rule.text for rule in self.given.rules)))
        if self.weights is not None:
            low, high = float(self.weights.min()), float(self.weights.max())
            lines.append(("weights", f"{low:g} to {high:g}"))
        return card("Problem", lines, self.notices)

    def centred(self) -> Problem:
        """Return the problem with its points moved so that the mean of those that count is zero.

        No clustering changes its cost, but sums of squares of points far from zero lose digits.
        """
        counted = self.X if self.weights is None else self.X[self.weights > 0.0]
        return replace(self, X=self.X - counted.mean(axis=0, dtype=np.float64))

    def widened(self) -> Problem:
        """Return the problem with points of float64: itself, unless they are float32.

        No value changes by it.
        """
        if self.X.dtype == np.float64:
            return self
        return replace(self, X=freeze(self.X.astype(np.float64)))

    def asks_the_same(self, other: Problem) -> bool:
        """Return whether another problem has the same points, k, links, sizes, rules and weights.

        Rules that were reduced to links or sizes are compared as they were given.
        """
        ours, theirs = (
            (
                (each.k, each.outliers, each.fixed, each.neighbors is None),
                each.given.rules or each.rules,
            )
            for each in (self, other)
        )
        return ours == theirs and all(
            np.array_equal(*pair) for pair in zip(_asked(self), _asked(other), strict=True)
        )

    @property
    def must_keep(self) -> bool:
        """Whether there is any hard constraint."""
        hard = any(links.is_hard.any() for links in (self.must_link, self.cannot_link))
        asked = self.asked or self.sizes is not None or self.neighbors is not None
        return bool(hard or self.rules or asked)

    @property
    def is_soft(self) -> bool:
        """Whether any link is soft."""
        return bool(len(self.must_link.soft) or len(self.cannot_link.soft))


def _asked(problem: Problem) -> list[NDArray[Any]]:
    """Return a problem's constraints and points as arrays, the points last as the slowest."""
    given = problem.given
    kinds, sizes = (given.must_link, given.cannot_link), given.sizes
    links = [array for each in kinds for array in (each.pairs, each.weights)]
    limits = [] if sizes is None else [sizes.lower, sizes.upper]
    weights = np.zeros(0) if problem.weights is None else problem.weights
    pairs = [] if problem.neighbors is None else [problem.neighbors.pairs]
    return [*links, np.array(limits), weights, *pairs, problem.X]


def _count(links: Links) -> str:
    soft = len(links.soft)
    return f"{len(links):,}, {soft:,} of them soft" if soft else f"{len(links):,}"


def _read_k(given: Any, n: int) -> int:
    try:
        k = int(given)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"k is {quote(given)}, not a number of clusters.") from None
    if k != given or k < 1:
        raise ProblemError(f"k = {quote(given)} is not a whole number of at least 1 cluster.")
    if k > n:
        raise ProblemError(f"k = {quote(k)} clusters are more than the {n} points.")
    return k


def _add_centers(problem: Problem, given: Any) -> None:
    """Add given centres to a problem that is being made, as points of great weight."""
    X, k = read_points(problem.X), problem.k
    n, d = X.shape
    _refuse(
        "centres cannot be fixed",
        {
            "rules": bool(problem.rules),
            "weights of points": problem.weights is not None,
            "outliers": bool(problem.outliers),
            "other fixed centres": bool(problem.fixed),
            "neighbours": problem.neighbors is not None,
        },
    )
    centers = read_centers(given, n, d, _read_k(k, n))
    _read_truth(problem.truth, n)
    must_link = read_links(problem.must_link, n, "must-link")[0]
    links, q = read_links(problem.cannot_link, n, "cannot-link")[0], len(centers)
    pairs = pairs_of_centers(n, q)
    changed = {
        "X": np.concatenate([X.astype(np.float64, copy=False), centers]),
        "must_link": must_link,
        "cannot_link": Links(
            np.concatenate([links.pairs, pairs]),
            np.append(links.weights, np.full(len(pairs), np.inf)),
        ),
        "weights": center_weights(n, q),
        "truth": None,
        "fixed": q,
    }
    for name, value in changed.items():
        object.__setattr__(problem, name, value)


def _check_fixed(problem: Problem) -> None:
    """Raise unless the last points are as heavy as given centres are, and nothing else is asked."""
    n, q = problem.n - problem.fixed, problem.fixed
    right = 0 < q <= problem.k and n > 0 and problem.weights is not None
    right = right and np.array_equal(problem.masses, center_weights(n, q))
    apart = {*map(tuple, problem.cannot_link.hard.pairs.tolist())}
    right = right and apart.issuperset(map(tuple, pairs_of_centers(n, q).tolist()))
    if not right or problem.rules or problem.outliers or problem.neighbors is not None:
        raise ProblemError("the fixed centres are not points of the weight that represents them.")


def _check_left_out(problem: Problem) -> None:
    outliers = read_outliers(problem.outliers, problem.n, problem.n_clusters)
    sizes = problem.sizes
    assert sizes is not None
    kept = problem.k - outliers  # the others are of one point, and none of these has a least size
    if kept < 1 or (sizes.lower > 1).any() or (sizes.upper[kept:] > 1).any():
        raise ProblemError(NO_SIZES)
    _refuse(
        "points cannot be left out",
        {
            "soft links": problem.is_soft,
            "rules other than diameter<= and size<=": bool(problem.rules),
            "weights of points": problem.weights is not None,
            "neighbours": problem.neighbors is not None,
        },
    )


def _refuse(what: str, beside: dict[str, bool]) -> None:
    """Raise if something is asked beside what it cannot be combined with."""
    for words, is_asked in beside.items():
        if is_asked:
            raise ProblemError(f"{what} beside {words}.")


def read_rules(given: Any) -> tuple[Any, ...]:
    """Return rules as a tuple.

    Parameters
    ----------
    given : iterable
        The rules; a text is not split into its letters.

    Raises
    ------
    ProblemError
        If that is no list.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ProblemError(f"the rules are {quote(given)}, not a list of rules.")
    return tuple(given)


def _read_truth(given: Any, n: int) -> IntArray | None:
    if given is None:
        return None
    labels = np.asarray(given)
    if labels.shape != (n,):
        raise ProblemError(f"there are {n} points but truth labels of shape {labels.shape}.")
    known = ~unknown_classes(given)
    numbers = np.full(n, -1)
    try:
        numbers[known] = np.unique(labels[known], return_inverse=True)[1]
    except TypeError:
        raise ProblemError("the truth mixes labels of several types.") from None
    return freeze(numbers) if known.any() else None


def _check_closure(problem: Problem) -> None:
    must, cannot = problem.must_link.hard.pairs, problem.cannot_link.hard.pairs
    block_of = closure(problem.n, must)
    inside = np.flatnonzero(block_of[cannot[:, 0]] == block_of[cannot[:, 1]])
    if len(inside):
        i, j = cannot[inside[0]].tolist()
        raise ContradictionError((i, j), chain(must, i, j))
    n_blocks = int(block_of.max()) + 1
    if problem.k > n_blocks:
        raise UnfillableError(
            f"k = {problem.k} clusters cannot all be filled: "
            f"the must-links leave only {n_blocks} blocks of points."
        )
    if problem.weights is not None:
        counted = int((np.bincount(block_of, problem.weights) > 0.0).sum())
        if problem.k > counted:
            raise UnfillableError(
                f"k = {problem.k} clusters cannot all hold weight: "
                f"only {counted} blocks of points weigh more than 0."
            )
