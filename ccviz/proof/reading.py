"""Strict parsing of a run's events before any arithmetic.

Only the kind of an event is trusted: numbers must be finite, indices whole and in range, arrays of
the right type and dimension. Anything else raises a `FlawError`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from ccviz.events import (
    Event,
    IncumbentFound,
    NodeBranched,
    NodeLeft,
    NodeOpened,
    NodePruned,
    Started,
)
from ccviz.problem.problem import Problem

SOLVERS = ("sdp", "colgen", "divide")
"""Solvers whose runs may hold proofs."""
REASONS = ("bound", "infeasible", "integral")
_ARRAYS = {  # arrays of a certificate: kind of number, dimensions
    "node": ("i", 1),
    "unit": ("i", 1),
    "nonnegativity": ("f", 1),
    "lifted": ("f", 2),
    "owner": ("i", 1),
    "points": ("i", 2),
    "kind": ("i", 1),
    "weights": ("f", 1),
    "duals": ("f", 1),
    "least": ("f", 1),
    "listed": ("i", 1),
    "prices": ("f", 1),
    "apart_pairs": ("i", 2),
    "apart_prices": ("f", 2),
    "taken": ("f", 1),
    "case_zone": ("i", 1),
    "case_places": ("i", 2),
    "case_prizes": ("f", 1),
    "case_blocks": ("i", 2),
    "case_changes": ("f", 1),
    "witness": ("i", 1),
    "without_must": ("i", 2),
    "without_cannot": ("i", 2),
    "with_sizes": ("i", 2),
    "must_pairs": ("i", 2),
    "must_prices": ("f", 2),
    "cannot_rows": ("i", 2),
    "cannot_members": ("i", 2),
    "cannot_prices": ("f", 1),
    "soft_pairs": ("i", 2),
    "soft_prices": ("f", 1),
}
_MOST_EXPONENT = 4000  # largest absolute exponent of a certificate's unit

Pair = tuple[int, int]


class FlawError(Exception):
    """A flaw of a proof; its text continues the name of the faulty part."""


@dataclass(frozen=True)
class Opened:
    """A node: its parent, and the pair that its branch put together or kept apart.

    Or the disc, by the point at its centre and one on its border, that is occupied or empty.
    """

    parent: int | None
    pair: Pair | None
    together: bool
    place: bool = False


@dataclass(frozen=True, eq=False)
class Leaf:
    """A closed node, or one that a stopped run left open with a bound."""

    reason: str
    lower_bound: float
    # Their types, dimensions and finiteness are checked, not their lengths.
    certificate: dict[str, np.ndarray]

    @property
    def exponent(self) -> int:
        """The power of two by which the points were scaled for the certificate."""
        unit = self.certificate.get("unit")
        return 0 if unit is None else int(unit[0])

    def require(self, *names: str) -> None:
        """Raise a `FlawError` if the certificate lacks one of the arrays."""
        for name in names:
            if name not in self.certificate:
                raise FlawError(f"lacks its {name}")


@dataclass(frozen=True, eq=False)
class Clustering:
    """(n,) labels from 0 to k - 1, and the claimed objective, if any."""

    labels: np.ndarray
    claimed: float | None


@dataclass(eq=False)
class Proof:
    """What a run says, sorted."""

    opened: dict[int, Opened] = field(default_factory=dict)
    branched: dict[int, tuple[Pair, bool]] = field(default_factory=dict)  # and if it is a place
    leaves: dict[int, Leaf] = field(default_factory=dict)
    left: dict[int, Leaf] = field(default_factory=dict)  # what a stop left, of any node
    clusterings: list[Clustering] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether some node is neither closed nor branched."""
        return bool(self._open)

    @property
    def _open(self) -> set[int]:
        return set(self.opened) - set(self.leaves) - set(self.branched)

    @property
    def with_left(self) -> Proof:
        """The proof whose leaves are also the open nodes, with the bounds that a stop left them."""
        left = {node: self.left[node] for node in self._open & set(self.left)}
        return replace(self, leaves={**self.leaves, **left})

    def path(self, node: int) -> list[int]:
        """Return the node and its ancestors."""
        path = [node]
        while (parent := self.opened[path[-1]].parent) is not None:
            path.append(parent)
        return path


def read_proof(problem: Problem, events: Iterable[Event]) -> Proof:
    """Read a run's events."""
    proof, solver = Proof(), None
    for event in events:
        match event:
            case Started():
                if solver is not None:
                    raise FlawError("the run begins twice")
                solver = event.solver
            case NodeOpened():
                _once(proof.opened, event.node, _read_opened(event, problem.n))
            case NodeBranched():
                what = f"the branching of node {event.node!r}"
                pair = _read_pair(event.pair, problem.n, what)
                _once(proof.branched, event.node, (pair, event.place is True))
            case NodePruned():
                _once(proof.leaves, event.node, _read_leaf(event, event.reason, problem))
            case NodeLeft():
                proof.left[_number(event.node)] = _read_leaf(event, "bound", problem)
            case IncumbentFound():
                proof.clusterings.append(read_clustering(event, problem))
    if solver not in SOLVERS or not proof.opened:
        raise FlawError(
            "the run has no search tree; only those of sdp, colgen and divide leave a proof"
        )
    return proof


def _once(table: dict[int, Any], node: Any, value: Any) -> None:
    number = _number(node)
    if number in table:
        raise FlawError(f"node {number} is opened or closed twice")
    table[number] = value


def _number(node: Any) -> int:
    if not is_whole(node):
        raise FlawError(f"a node has the number {node!r}")
    return int(node)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number of at least zero."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= 0


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and not math.isnan(value)


def _read_opened(event: NodeOpened, n: int) -> Opened:
    if event.parent is not None and not is_whole(event.parent):
        raise FlawError(f"node {event.node!r} has the parent {event.parent!r}")
    pair = event.pair
    if pair is not None:
        pair = _read_pair(pair, n, f"the branch of node {event.node!r}")
    return Opened(event.parent, pair, event.together is True, event.place is True)


def _read_pair(pair: Any, n: int, what: str) -> Pair:
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(map(is_whole, pair)):
        raise FlawError(f"{what} is over {pair!r}, not over two points")
    i, j = map(int, pair)
    if i == j or max(i, j) >= n:
        raise FlawError(f"{what} is over {i} and {j}, not over two of the points 0 to {n - 1}")
    return i, j


def _read_leaf(event: NodePruned | NodeLeft, reason: str, problem: Problem) -> Leaf:
    what = f"leaf {event.node!r}"
    if reason not in REASONS:
        raise FlawError(f"{what} is closed for no known reason")
    if not _is_number(event.lower_bound):
        raise FlawError(f"{what} claims the bound {event.lower_bound!r}")
    if not isinstance(event.certificate, dict):
        raise FlawError(f"{what} has no certificate")
    arrays = {
        name: _read_array(f"{what} has {name}", array, *_ARRAYS[name])
        for name, array in event.certificate.items()
        if name in _ARRAYS
    }
    single = {"node", "unit"} if problem.sizes is not None else {"node", "unit", "least"}
    for name in single & set(arrays):
        if arrays[name].shape != (1,):
            raise FlawError(f"{what} has {name} that is not one number")
    if "unit" in arrays and abs(int(arrays["unit"][0])) > _MOST_EXPONENT:
        raise FlawError(f"{what} has a unit that is out of all range")
    witness = arrays.get("witness")
    if witness is not None and ((witness < 0) | (witness >= problem.n)).any():
        last = problem.n - 1
        raise FlawError(f"{what} has a witness that is not one of the points 0 to {last}")
    return Leaf(reason, float(event.lower_bound), arrays)


def _read_array(what: str, array: Any, kind: str, dimensions: int) -> np.ndarray:
    if not isinstance(array, np.ndarray) or array.ndim != dimensions:
        raise FlawError(f"{what} that is no array of {dimensions} dimensions")
    if kind == "i":
        if array.dtype.kind not in "iu" or array.dtype == np.uint64:
            raise FlawError(f"{what} that is not of whole numbers")
        return array.astype(np.int64)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise FlawError(f"{what} that is not of numbers")
    if not np.isfinite(array).all():
        raise FlawError(f"{what} that is not finite")
    return array.astype(np.float64)


def read_multipliers(what: str, certificate: Any) -> dict[str, np.ndarray]:
    """Return the arrays of a semidefinite certificate; ``what`` names its owner in a flaw."""
    names = ("nonnegativity", "points", "kind", "weights")
    if not isinstance(certificate, dict) or not set(names) <= set(certificate):
        raise FlawError(f"{what} lacks its {', '.join(names)}")
    return {
        name: _read_array(f"{what} has {name}", certificate[name], *_ARRAYS[name]) for name in names
    }


def read_number(what: str, value: Any) -> float:
    """Return a claimed bound."""
    if not _is_number(value):
        raise FlawError(f"{what} claims the bound {value!r}")
    return float(value)


def read_clustering(event: IncumbentFound, problem: Problem) -> Clustering:
    """Return a clustering with a valid label for each point and no empty cluster."""
    labels = _read_array("a clustering has a label", event.labels, "i", 1)
    if labels.shape != (problem.n,) or labels.min() < 0 or labels.max() >= problem.k:
        raise FlawError(f"a clustering lacks a label from 0 to {problem.k - 1} for each point")
    if (np.bincount(labels, minlength=problem.k) == 0).any():
        raise FlawError("a clustering has an empty cluster")
    claimed = event.objective
    if claimed is not None and not (_is_number(claimed) and math.isfinite(claimed)):
        raise FlawError(f"a clustering claims the objective {claimed!r}")
    return Clustering(labels, claimed)
