"""Disjunctions on discs in distant regions of the plane, each with a small tree of its own.

A decision in one region changes duals there and nowhere else, yet a tree of nodes repeats it under
every combination of decisions elsewhere: gains add, work multiplies. So a node may have
disjunctions: boxes of centres that do not meet, each with *terms*, the leaves of a tree of
decisions on discs, one of which holds for every clustering. A term changes the node's duals. It may
lower any; it raises a block's only where every centre that the block may then be assigned to is in
the box, and an occupied disc's only if the disc is.

A clustering fulfils one term of each disjunction. Make the changes of all these terms at once. A
cluster with its centre in a box has no smaller reduced cost than under that box's term alone, since
the other terms only lower its duals; one with its centre in no box has no smaller one than under
the node's duals. So if no cluster has a negative reduced cost in any term by itself, none has in
any combination of terms, and the node's bound rises by the sum over disjunctions of the least
increase of a term.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.master.covering import MasterSolution, cluster_columns, column_costs
from ccviz.solvers.colgen.master.facility_master import FacilityDuals, Neighbourhoods
from ccviz.solvers.colgen.params import DisjunctionParams
from ccviz.solvers.colgen.strong_branching import Candidate
from ccviz.solvers.search.decisions import DiscDecision


class Term(NamedTuple):
    """A leaf of a disjunction's tree of decisions."""

    decisions: tuple[DiscDecision, ...]
    duals: FloatArray  # (z + t,): Of the disjunction's blocks and the occupied discs
    columns: np.ndarray
    solution: MasterSolution  # Over these columns
    candidates: tuple[Candidate, ...]  # Evaluated discs that it may be split on
    increase: float  # Sum of its duals less that of the node's; no less than its parent's
    # No cluster has a smaller reduced cost, without the cardinality dual, under its duals.
    min_reduced_cost: float
    # (d,): Where discs are still to be evaluated, once it is the worst term.
    at: FloatArray | None = None
    stalled: int = 0  # Number of last decisions that gained nothing

    @property
    def growth_rate(self) -> float:
        """The least growth rate of a candidate; infinite without any."""
        return min((each.growth_rate for each in self.candidates), default=np.inf)


class Disjunction(NamedTuple):
    """A box of centres with its terms."""

    low: FloatArray  # low, high, (d,): Corners, in the points' own axes
    high: FloatArray
    rows: IntArray  # (z,): Blocks that may be assigned to a centre in it
    caps: FloatArray  # (z,): Upper limits of the duals in any term
    terms: tuple[Term, ...] = ()  # Empty before it is opened

    @property
    def increase(self) -> float:
        """The least bound increase of a term."""
        return min((term.increase for term in self.terms), default=0.0)

    def holds(self, center: FloatArray, border: FloatArray) -> bool:
        """Whether a disc is inside, given by its centre and a point on its border (d,)."""
        radius = np.sqrt(((center - border) ** 2).sum())
        return bool((center - radius > self.low).all() and (center + radius < self.high).all())

    @property
    def worst(self) -> Term:
        """The term of least increase, the next to be split."""
        return min(self.terms, key=lambda term: term.increase)

    @property
    def is_ready(self) -> bool:
        """Whether it is opened, and discs are evaluated for its worst term."""
        return len(self.terms) > 0 and self.worst.at is None

    def put(self, *terms: Term) -> Disjunction:
        """Return it with other terms in place of the worst one."""
        kept = [term for term in self.terms if term is not self.worst]
        return self._replace(terms=(*kept, *terms))

    def rate(self, trusted: float) -> float:
        """Return the expected bound increase per term that is split, until terms are e times more.

        The best candidate predicts the increase by then; so do the increases so far, with more
        weight the more terms there are. A term with a greater increase is split into fewer. Where
        the last decisions gained nothing the next is expected to gain little.
        """
        growth_rate, count = self.worst.growth_rate, len(self.terms)
        if not np.isfinite(growth_rate):
            return 0.0
        if growth_rate == 0.0:
            return np.inf
        seen = (count - 1) * self.increase / np.log(count) if count > 1 else 0.0
        ahead = (trusted / growth_rate + seen) / (trusted + count - 1)
        above = np.array([term.increase for term in self.terms]) - self.increase
        more = np.expm1(np.maximum(1.0 - above / ahead, 0.0))
        return float(ahead / more.sum() / (1 + self.worst.stalled))


class Disjunctions(NamedTuple):
    """A node's disjunctions."""

    each: tuple[Disjunction, ...]
    own: float  # No cluster has a smaller reduced cost under the node's own duals
    params: DisjunctionParams = DisjunctionParams()

    @property
    def gaining(self) -> tuple[Disjunction, ...]:
        """Those that raise the bound."""
        return tuple(each for each in self.each if each.increase > 0.0)

    @property
    def min_reduced_cost(self) -> float:
        """No cluster has a smaller reduced cost in any of their terms either."""
        terms = (term for each in self.gaining for term in each.terms)
        return min([self.own, *(term.min_reduced_cost for term in terms)])

    @property
    def increase(self) -> float:
        """The sum of their bound increases, without that of `min_reduced_cost`."""
        return sum(each.increase for each in self.each)

    @property
    def next(self) -> int | None:
        """The one to work on, None if no split of any would gain."""
        for z, each in enumerate(self.each):
            if not each.is_ready:
                return z
        rates = [each.rate(self.params.trusted) for each in self.each]
        spent = sum(len(each.terms) for each in self.each) >= self.params.most_terms
        return None if spent or max(rates, default=0.0) <= 0.0 else int(np.argmax(rates))

    def put(self, z: int, disjunction: Disjunction) -> Disjunctions:
        """Return them with one exchanged."""
        return self._replace(each=(*self.each[:z], disjunction, *self.each[z + 1 :]))


def certificate(disjunctions: Disjunctions, duals: FloatArray) -> dict[str, np.ndarray]:
    """Return the terms of all disjunctions that raise the bound, as arrays.

    `duals` (s,): Of the node; a term gives its differences from them. Returns: ``case_zone`` (c,),
    the disjunction of each term; ``case_places`` (p, 4), a row for each decision: the term, the two
    points of the disc, and whether it is occupied; ``case_prizes`` (p,), the dual of the disc, 0 if
    it is empty; ``case_blocks`` (e, 2), a term and a block, and ``case_changes`` (e,), by how much
    its dual is raised.
    """
    terms = [(z, each, term) for z, each in enumerate(disjunctions.gaining) for term in each.terms]
    discs, disc_duals, blocks, changes = [], [], [], []
    for c, (_, disjunction, term) in enumerate(terms):
        own, occupied = np.split(term.duals, [len(disjunction.rows)])
        dual = iter(occupied)
        for disc in term.decisions:
            discs.append((c, disc.center, disc.border, int(disc.occupied)))
            disc_duals.append(float(next(dual)) if disc.occupied else 0.0)
        change = own - duals[disjunction.rows]
        changed = np.flatnonzero(change)
        blocks += [(c, int(disjunction.rows[row])) for row in changed]
        changes.append(change[changed])
    return {
        "case_zone": np.array([z for z, _, _ in terms], dtype=np.int64),
        "case_places": np.array(discs, dtype=np.int64).reshape(-1, 4),
        "case_prizes": np.array(disc_duals, dtype=np.float64),
        "case_blocks": np.array(blocks, dtype=np.int64).reshape(-1, 2),
        "case_changes": np.concatenate([np.zeros(0), *changes]),
    }


# --------------------------------------------------------------------------------------------------
# The boxes of disjunctions: where a clustering has its reduced costs, without two that meet.


def find_disjunctions(
    instance: Instance,
    centroid: FloatArray,
    node: FacilityDuals,
    middles: FloatArray,
    labels: IntArray,
    neighbourhoods: Neighbourhoods,
    params: DisjunctionParams,
) -> tuple[Disjunction, ...]:
    """Return disjunctions whose boxes hold most of the reduced costs of a clustering.

    The reduced costs of all its clusters add up to what the bound lacks of its cost; those of the
    clusters inside a box limit what the disjunction can gain.

    `centroid` (s, d): Of its blocks, in the points' own axes.
    """
    duals, cardinality_dual = node
    middles = middles[: params.candidates]
    if len(middles) == 0:
        return ()
    clusters = cluster_columns(labels)
    reduced = column_costs(clusters, centroid, instance.mass) - clusters @ duals + cardinality_dual
    corners = [(centroid[own].min(axis=0), centroid[own].max(axis=0)) for own in clusters]
    least, most = (np.array(each) for each in zip(*corners, strict=True))
    # Distance within which a block may be assigned to a centre when its dual is at its cap.
    reach = np.sqrt(params.cap * np.maximum(duals, 0.0) / instance.mass)
    size = params.size * Neighbourhoods(int(labels.max()) + 1, neighbourhoods.params).size(
        len(centroid)
    )
    boxes = [_box_at(centroid, reach, int(size), middle) for middle in middles]
    low, high = (np.array(each) for each in zip(*boxes, strict=True))
    inside = np.all(least > low[:, None], axis=2) & np.all(most < high[:, None], axis=2)
    meets = np.all((low[:, None] <= high) & (high[:, None] >= low), axis=2)
    weight = inside @ np.maximum(reduced, 0.0)
    heaviest = _heaviest(weight, meets, params.packing_nodes)
    chosen = heaviest[weight[heaviest] > 0.0]
    low, high = low[chosen], high[chosen]
    _grow(low, high, params.step, params.steps)
    return tuple(
        _disjunction(instance, centroid, duals, reach, low_corner, high_corner, params.cap)
        for low_corner, high_corner in zip(low, high, strict=True)
    )


def _heaviest(weight: FloatArray, meets: np.ndarray, nodes: int) -> IntArray:
    """Return those of largest total weight of which no two (m, m) meet."""
    first, second = np.nonzero(np.triu(meets, 1))
    rows = np.repeat(np.arange(len(first)), 2)
    pairs = (np.ones(len(rows)), (rows, np.stack([first, second], axis=1).ravel()))
    apart = LinearConstraint(csr_array(pairs, shape=(len(first), len(weight))), ub=1.0)
    every = np.ones(len(weight))
    found = milp(
        -weight, constraints=apart, integrality=every, bounds=Bounds(0.0, 1.0),
        options={"node_limit": nodes},
    )  # fmt: skip
    return np.zeros(0, dtype=np.int64) if found.x is None else np.flatnonzero(found.x > 0.5)


def _box_at(
    centroid: FloatArray, reach: FloatArray, size: int, middle: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return corners (d,) of a box: every centre to which that number of blocks may be assigned."""
    width = np.abs(centroid - middle).max(axis=1) + reach
    count = min(len(width), size)
    half = float(np.partition(width, count - 1)[count - 1])
    return middle - half, middle + half


def _grow(low: FloatArray, high: FloatArray, share: float, steps: int) -> None:
    """Enlarge (m, d) corners of boxes on each side, by a share a step, as long as no two meet."""
    step = share * (high - low)
    for _ in range(steps):
        for b, axis in np.ndindex(low.shape):
            for side, way in ((low, -1.0), (high, 1.0)):
                side[b, axis] += way * step[b, axis]
                meets = np.all((low[b] <= high) & (high[b] >= low), axis=1)
                if meets.sum() > 1:
                    side[b, axis] -= way * step[b, axis]


def _disjunction(
    instance: Instance,
    centroid: FloatArray,
    duals: FloatArray,
    reach: FloatArray,
    low: FloatArray,
    high: FloatArray,
    cap: float,
) -> Disjunction:
    """Return the disjunction of a box: its blocks, and the caps of their duals."""
    out = np.maximum(np.maximum(low - centroid, centroid - high), 0.0)
    near = np.flatnonzero((out**2).sum(axis=1) < reach**2)
    # With the blocks at the ends of all axes no mean, of any blocks, is outside their box.
    ends = [instance.points.argmin(axis=0), instance.points.argmax(axis=0)]
    rows = np.unique(np.concatenate([near, *ends]))
    inside = np.minimum(centroid - low, high - centroid).min(axis=1) >= reach
    caps = np.where(inside, cap, 1.0) * np.maximum(duals, 0.0)
    return Disjunction(low, high, rows, caps[rows])
