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

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen.branching.strong import Candidate
from ccviz.solvers.colgen.master.covering import MasterSolution
from ccviz.solvers.colgen.params import DisjunctionParams
from ccviz.solvers.search.decisions import DiscDecision


class Term(NamedTuple):
    """A leaf of a disjunction's tree of decisions.

    Attributes
    ----------
    decisions : tuple of DiscDecision
        From the root down.
    duals : (z + t,) float64
        Of the disjunction's blocks and the occupied discs.
    columns : (m, z + t) bool
    solution : MasterSolution
        Over these columns.
    candidates : tuple of Candidate
        Evaluated discs that it may be split on.
    increase : float
        Sum of its duals less that of the node's; no less than its parent's.
    min_reduced_cost : float
        No cluster has a smaller reduced cost, without the cardinality dual, under its duals.
    at : (d,) float64 or None
        Where discs are still to be evaluated, once it is the worst term.
    stalled : int
        Number of last decisions that gained nothing.
    """

    decisions: tuple[DiscDecision, ...]
    duals: FloatArray
    columns: np.ndarray
    solution: MasterSolution
    candidates: tuple[Candidate, ...]
    increase: float
    min_reduced_cost: float
    at: FloatArray | None = None
    stalled: int = 0

    @property
    def growth_rate(self) -> float:
        """The least growth rate of a candidate; infinite without any."""
        return min((each.growth_rate for each in self.candidates), default=np.inf)


class Disjunction(NamedTuple):
    """A box of centres with its terms.

    Attributes
    ----------
    low, high : (d,) float64
        Corners, in the points' own axes.
    rows : (z,) int64
        Blocks that may be assigned to a centre in it.
    caps : (z,) float64
        Upper limits of the duals in any term.
    terms : tuple of Term
        Empty before it is opened.
    """

    low: FloatArray
    high: FloatArray
    rows: IntArray
    caps: FloatArray
    terms: tuple[Term, ...] = ()

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

        Parameters
        ----------
        trusted : float
            Weight of the prediction, in terms.
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
    """A node's disjunctions.

    Attributes
    ----------
    each : tuple of Disjunction
    own : float
        No cluster has a smaller reduced cost under the node's own duals.
    params : DisjunctionParams
    """

    each: tuple[Disjunction, ...]
    own: float
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

    Parameters
    ----------
    disjunctions : Disjunctions
    duals : (s,) float64
        Of the node; a term gives its differences from them.

    Returns
    -------
    dict of arrays
        ``case_zone`` (c,), the disjunction of each term; ``case_places`` (p, 4), a row for each
        decision: the term, the two points of the disc, and whether it is occupied; ``case_prizes``
        (p,), the dual of the disc, 0 if it is empty; ``case_blocks`` (e, 2), a term and a block,
        and ``case_changes`` (e,), by how much its dual is raised.
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
