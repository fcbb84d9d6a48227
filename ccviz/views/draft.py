"""The problem as a person edits it: frozen drafts, and a history that undoes and redoes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from ccviz.arrays import IntArray, freeze
from ccviz.data.datasets import Dataset, load_like
from ccviz.data.learned_metric import learn_metric
from ccviz.data.neighbors import neighbors_of, neighbors_text
from ccviz.data.scaling import (
    LEARNED,
    SCALINGS,
    WORDS,
    check_scaling,
    is_weighted,
    scale,
    scale_as,
    settled,
    unscaled_as,
    weighted,
)
from ccviz.errors import CcvizError, ParameterError
from ccviz.numbers import count, ordinal
from ccviz.problem.asked import AnyAsked, AskedRule
from ccviz.problem.fixed_centers import read_centers
from ccviz.problem.neighbors import Neighbors
from ccviz.problem.points import checked_weights
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.runs.file import plain
from ccviz.solvers.base import Solver
from ccviz.views.link_table import Kind, Link, LinkTable

# --- Names that people give to clusters -----------------------------------------------------------


@dataclass(frozen=True)
class ClusterName:
    """A name for the cluster that holds a point, whatever number the cluster has.

    Clusters change their numbers and their points from run to run, so a name is kept with the most
    central point of the cluster that it was given to.
    """

    point: int
    text: str


def names_by_cluster(names: Iterable[ClusterName], labels: IntArray) -> dict[int, str]:
    """Return the names of the clusters that have one.

    `names`: Of two in one cluster both are said: "setosa + virginica". `labels` (n,): -1 for a
    point without a cluster.
    """
    found: dict[int, str] = {}
    for name in names:
        cluster = int(labels[name.point])
        if cluster >= 0:
            found[cluster] = f"{found[cluster]} + {name.text}" if cluster in found else name.text
    return found


def with_name(
    names: Iterable[ClusterName], labels: IntArray, point: int, text: str
) -> tuple[ClusterName, ...]:
    """Return names after the cluster of a point was named, in place of its earlier names.

    `text`: Empty to take the name away.
    """
    others = [each for each in names if labels[each.point] != labels[point]]
    text = plain(text)
    return (*others, ClusterName(point, text)) if text else tuple(others)


MOST_AT_ONCE = 20_000
"""Largest number of links that one gesture makes."""

_MOST_SETS = 12  # Sets of links that are offered to a batch, the newest


@dataclass(frozen=True, eq=False)
class Draft:
    """A problem that is being edited. Every edit returns another draft, or raises a sentence."""

    data: Dataset
    k: int
    scaling: str = "none"  # A key of `ccviz.data.scaling.SCALINGS`, or the weights of the features
    links: LinkTable = field(default_factory=LinkTable)
    lower: tuple[int, ...] = ()  # lower, upper: Sizes of the clusters, empty where they are free
    upper: tuple[int, ...] = ()
    unsure: tuple[tuple[int, int], ...] = ()  # Pairs answered by *unsure*; they add no links
    rules: tuple[AnyAsked, ...] = ()  # All of them must hold
    cluster_names: tuple[ClusterName, ...] = ()  # What clusters of an answer are called
    outliers: int = 0
    # Centres of the first clusters, in the units of the data.
    fixed_centers: tuple[tuple[float, ...], ...] = ()
    neighbors: str = ""  # How they are found: ``knn:6 of lon, lat``
    # The links from which the weights of the features were learned. The weights do not change with
    # the links, so that the points stay where a proof has them.
    learned_from: LinkTable = field(default_factory=LinkTable)

    @cached_property
    def X(self) -> np.ndarray:  # noqa: N802, a matrix
        """(n, d) points as they are clustered, scaled."""
        given = self.data.X
        scaled = scale(given, self.scaling)
        # Scaled points are frozen, so that no problem made of them needs a copy.
        return given if scaled is given else freeze(scaled)

    @cached_property
    def problem(self) -> Problem:
        """The checked problem; its rules are links and sizes, as far as they can be."""
        return with_rules(self.given, self.rules, keeps_rules=False)

    @cached_property
    def keeping(self) -> Problem:
        """The problem for solvers that keep rules by themselves."""
        alone = [rule for rule in self.rules if isinstance(rule, AskedRule)]
        if not any(rule.words.kind == "size<=" for rule in alone):
            return self.problem
        return with_rules(self.given, self.rules, keeps_rules=True)

    def problem_for(self, solver: Solver) -> Problem:
        """Return the problem as a solver is given it."""
        return self.keeping if solver.supports.rules else self.problem

    @cached_property
    def given(self) -> Problem:
        """The checked problem without its rules."""
        sizes: Any = (self.lower, self.upper) if self.lower else None
        centers = None
        if self.fixed_centers:
            given = read_centers(self.fixed_centers, self.n, self.data.X.shape[1], self.k)
            centers = scale_as(given, self.data.X, self.scaling)
        return Problem(
            self.X,
            self.k,
            must_link=self.links.of_kind("must").rows,
            cannot_link=self.links.of_kind("cannot").rows,
            sizes=sizes,
            truth=self.data.truth,
            weights=self.data.weights,
            outliers=self.outliers,
            fixed_centers=centers,
            neighbors=self.near,
        )

    @cached_property
    def near(self) -> Neighbors | None:
        """The graph in which clusters have to be connected."""
        return neighbors_of(self.data, self.neighbors)

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.data.X)

    def has_points_of(self, other: Draft) -> bool:
        """Whether both are about the same data, scaled the same way."""
        return self.data is other.data and self.scaling == other.scaling

    def with_link(self, link: Link) -> Draft:
        """Return the draft with one more link, which replaces a link of its kind on the pair.

        Raises `ContradictionError` if hard links would contradict each other; it carries the chain.
        Raises `CcvizError` if the same link is there already, or the problem no longer makes sense.
        """
        if link in self.links:
            raise CcvizError(f"{link} is there already.")
        return self.with_links([link])

    def with_links(self, links: Iterable[Link]) -> Draft:
        """Return the draft with more links; a newer one of a kind replaces that on its pair."""
        return self._checked(links=self.links.with_links(links))

    def with_links_of(self, other: Draft) -> Draft:
        """Return the draft with k and links of another that has its features, found by name."""
        rows = other.rows_in(self)
        if rows.max() < 0:
            return self
        ends = rows[other.links.pairs]
        there = ends.min(axis=1, initial=0) >= 0
        kept = replace(other.links.taken(there), pairs=freeze(np.sort(ends[there], axis=1)))
        return self._checked(k=other.k, links=self.links.with_links(kept))

    def rows_in(self, other: Draft) -> IntArray:
        """Return (n,) the row of each point in another draft of its features, by name; -1 for none.

        There is none either where names are not unique.
        """
        row, names = {name: at for at, name in enumerate(other.data.names)}, self.data.names
        found = (len(row), len(set(names)), other.data.features)
        if found != (other.n, self.n, self.data.features):
            return np.full(self.n, -1)
        return np.array([row.get(name, -1) for name in names])

    def without_links(self, links: Iterable[Link]) -> Draft:
        """Return the draft without some links."""
        return self._checked(links=self.links.without(links))

    def with_unsure(self, i: int, j: int) -> Draft:
        """Return the draft with one more pair answered by *unsure*."""
        return replace(self, unsure=(*self.unsure, (i, j)))

    def with_cluster_names(self, names: Iterable[ClusterName]) -> Draft:
        """Return the draft with these names of clusters and no others."""
        return replace(self, cluster_names=tuple(names))

    def with_k(self, k: int) -> Draft:
        """Return the draft for another number of clusters; sizes are freed."""
        return self._checked(k=k, lower=(), upper=())

    def with_scaling(self, scaling: str) -> Draft:
        """Return the draft with the features scaled another way.

        `scaling`: A key of `SCALINGS`, weights of the features, `WORDS`, or `LEARNED`: the weights
        are then learned from the links as they are now.
        """
        if scaling == LEARNED:
            must, cannot = (self.links.of_kind(kind).rows for kind in ("must", "cannot"))
            found = weighted(learn_metric(self.data.X, self.k, must, cannot))
            return self._checked(scaling=found, learned_from=self.links)
        scaling = settled(scaling, self.data.X, self.data.features)
        check_scaling(scaling, self.data.X.shape[1])
        return self._checked(scaling=scaling, learned_from=LinkTable())

    @cached_property
    def scaling_name(self) -> str:
        """The scaling in one word, as people choose it."""
        is_words = is_weighted(self.scaling) and not self.learned_from
        if is_words and self.scaling == settled(WORDS, self.data.X, self.data.features):
            return WORDS
        return LEARNED if is_weighted(self.scaling) else self.scaling

    def with_sizes(self, lower: Iterable[int], upper: Iterable[int]) -> Draft:
        """Return the draft with a size for each cluster; empty to free them."""
        return self._checked(lower=tuple(lower), upper=tuple(upper))

    def with_outliers(self, outliers: int) -> Draft:
        """Return the draft with another number of points that may be left out."""
        return self._checked(outliers=outliers)

    def with_fixed_centers(self, centers: Iterable[Iterable[float]]) -> Draft:
        """Return the draft with these centres that do not move, and no others."""
        return self._checked(fixed_centers=tuple(map(tuple, centers)))

    def with_neighbors(self, text: str) -> Draft:
        """Return the draft with clusters that are connected among these neighbours."""
        near = neighbors_of(self.data, text) if text.strip() == "borders" else None
        if near is not None:  # addresses and project files have no areas
            text = neighbors_text(near)
        return self._checked(neighbors=text.strip())

    def with_rules(self, rules: Iterable[AnyAsked]) -> Draft:
        """Return the draft with these rules and no others, each once."""
        return self._checked(rules=tuple(dict.fromkeys(rules)))

    def light(self) -> Draft:
        """Return the draft without values computed from it, as a history keeps it."""
        return self._changed()

    def _checked(self, **changes: object) -> Draft:
        draft = self._changed(**changes)
        _ = draft.problem  # raises the sentence
        return draft

    def _changed(self, **changes: object) -> Draft:
        draft = replace(self, **changes)  # type: ignore[arg-type]
        if draft.scaling == self.scaling and "X" in vars(self):
            vars(draft)["X"] = self.X  # scaled once and stored once
        is_scaled_alike = not {"data", "scaling", "learned_from"} & changes.keys()
        if is_scaled_alike and "scaling_name" in vars(self):
            vars(draft)["scaling_name"] = self.scaling_name  # a look at the whole table
        same = draft.neighbors == self.neighbors and draft.data is self.data
        if same and "near" in vars(self):
            vars(draft)["near"] = self.near
        return draft


class History:
    """Earlier drafts, the current one, and undone ones."""

    def __init__(self, draft: Draft) -> None:
        self._past: list[Draft] = []
        self._future: list[Draft] = []
        self.present = draft

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier draft."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone draft."""
        return bool(self._future)

    def link_sets(self) -> dict[str, Draft]:
        """Return the present draft with its links, with those of earlier drafts, and with none."""
        present, tables = self.present, [LinkTable()]
        earlier = [each.links for each in self._past if each.data is present.data]
        for links in (present.links, *reversed(earlier)):
            if links not in tables:
                tables.append(links)
        sets: dict[str, Draft] = {}
        for links in (*tables[1:_MOST_SETS], tables[0]):
            name = count(len(links), "link") if len(links) else "no links"
            alike = sum(known.partition(",")[0] == name for known in sets)
            sets[f"{name}, {ordinal(alike + 1)} set" if alike else name] = present._changed(
                links=links
            )
        return sets

    def commit(self, draft: Draft) -> None:
        """Make a draft the current one; undone drafts are dropped."""
        self._past.append(self.present.light())
        self._future.clear()
        self.present = draft

    def undo(self) -> None:
        """Go back to the draft before, if there is one."""
        if self._past:
            self._future.append(self.present.light())
            self.present = self._past.pop()

    def redo(self) -> None:
        """Take back an undo, if there was one."""
        if self._future:
            self._past.append(self.present.light())
            self.present = self._future.pop()


def draft_of(data: Dataset, k: int | None = None) -> Draft:
    """Return a draft for as many clusters as suit the data, with the links that come with them."""
    setup = data.setup
    links = LinkTable.of_pairs(setup.must_link, setup.cannot_link) if setup else LinkTable()
    return Draft(data, k or data.k or min(3, len(data.X)), links=links)


def draft_of_problem(problem: Problem, present: Draft, dataset: str, scaling: str = "") -> Draft:
    """Return a stored problem as a draft: on the data it was made of, where these are known.

    `present`: Its data and its scaling are compared first. `dataset`, `scaling`: Those of the run,
    as it names them.
    """
    given = problem.given
    must, cannot = (
        np.column_stack([table.pairs, table.weights])
        for table in (given.must_link, given.cannot_link)
    )
    listed = LinkTable.of_pairs(must, cannot)
    sizes = None if problem.outliers else given.sizes
    limits: Any = {} if sizes is None else {
        "lower": tuple(sizes.lower.tolist()), "upper": tuple(sizes.upper.tolist()),
    }  # fmt: skip
    data, scaling = _source(problem, present, dataset, scaling)
    if data is present.data:  # with the sources that are known of them
        listed = listed.with_links(present.links.taken(present.links.among(listed)))
    centers = unscaled_as(problem.X[problem.n_points :], data.X, scaling)
    if problem.neighbors is not None:
        limits["neighbors"] = _near(problem.neighbors, present if data is present.data else None)
    learned_from = present.learned_from if scaling == present.scaling else LinkTable()
    return Draft(
        data, problem.n_clusters, scaling, links=listed, rules=given.rules,
        outliers=problem.outliers_asked, fixed_centers=tuple(map(tuple, centers.tolist())),
        learned_from=learned_from, **limits,
    )  # fmt: skip


def _near(neighbors: Neighbors, present: Draft | None) -> str:
    """Return how a problem's neighbours are found, pair by pair unless it is as at present."""
    ours = None if present is None else present.near
    if present is not None and ours is not None and np.array_equal(ours.pairs, neighbors.pairs):
        return present.neighbors
    return neighbors_text(neighbors)


def _source(problem: Problem, present: Draft, dataset: str, scaling: str) -> tuple[Dataset, str]:
    """Return data and the scaling that makes a problem's points of them, the present ones first."""
    ways = dict.fromkeys(filter(None, (present.scaling, scaling, *SCALINGS)))
    points, weights = problem.X[: problem.n_points], None if problem.fixed else problem.weights
    known = load_like(dataset, problem.n_points)
    for data in (present.data, *([known] if known else [])):
        ours = checked_weights(data.weights, len(data.X))
        alike = ours is weights if ours is None or weights is None \
            else np.array_equal(ours, weights)  # fmt: skip
        for how in ways if alike and data.X.shape == points.shape else ():
            with suppress(ParameterError):  # a way of another version, or of other data
                check_scaling(how, problem.d)
                if np.array_equal(scale(data.X, how), points):
                    return data, how
    features = tuple(f"x{j}" for j in range(problem.d))
    return Dataset(
        dataset or "an old run", points, features, problem.truth, weights=weights
    ), "none"


def group_links(kind: Kind, points: Sequence[int], weight: float = inf) -> list[Link]:
    """Return the links that a group asks for: a chain of must-links, or all cannot-links."""
    if kind == "must":
        return [Link(kind, a, b, weight) for a, b in pairwise(points)]
    _refuse_flood(len(points) * (len(points) - 1) // 2)
    return [Link(kind, a, b, weight) for place, a in enumerate(points) for b in points[:place]]


def links_between(
    kind: Kind, ours: Sequence[int], theirs: Sequence[int], weight: float = inf
) -> list[Link]:
    """Return links that put two groups together, or every point of one apart from the other's.

    Raises `CcvizError` if a point is in both groups, or there would be too many links.
    """
    both = sorted(set(ours) & set(theirs))
    if both:
        raise CcvizError(f"Point {both[0]} is in both groups.")
    if kind == "must":
        return group_links(kind, [*ours, *theirs], weight)
    _refuse_flood(len(ours) * len(theirs))
    return [Link(kind, a, b, weight) for a in ours for b in theirs]


def _refuse_flood(many: int) -> None:
    if many > MOST_AT_ONCE:
        raise CcvizError(
            f"That would be {many:,} cannot-links; at most {MOST_AT_ONCE:,} can be made at once."
        )
