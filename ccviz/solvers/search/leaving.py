"""What the open nodes of a stopped search leave, so that a run that goes on keeps their bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ccviz.arrays import IntArray
from ccviz.events import NodeLeft
from ccviz.problem.blocks import contract, refine
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import lacking_of, relaxed
from ccviz.solvers.search.decisions import Decision, decided_pairs

_LARGEST = 1 << 28
"""Bytes of certificates after which further nodes are left without theirs."""


@dataclass(frozen=True, eq=False)
class ProvedNode:
    """An open node with a proved bound.

    Attributes
    ----------
    node : int
    lower_bound : float
    certificate : dict of arrays
        Proves the bound, of this node or of one above it.
    decisions : tuple of Decision
        Of the node that the certificate was made for.
    """

    node: int
    lower_bound: float
    certificate: dict[str, np.ndarray]
    decisions: tuple[Decision, ...]


def left_nodes(problem: Problem, proved: Callable[[], Iterable[ProvedNode]]) -> Iterator[NodeLeft]:
    """Yield what open nodes leave, those with the lowest bounds first.

    Parameters
    ----------
    problem : Problem
    proved : callable
        Returns the open nodes that have a bound.
    """
    size = 0
    for each in sorted(proved(), key=lambda node: node.lower_bound):
        size += sum(array.nbytes for array in each.certificate.values())
        if size > _LARGEST:
            return
        yield NodeLeft(
            node=each.node,
            lower_bound=each.lower_bound,
            certificate=each.certificate,
            block_of=_block_of(problem, each),
        )


def _block_of(problem: Problem, node: ProvedNode) -> IntArray:
    made_for = relaxed(problem, lacking_of(node.certificate))
    together, apart = (decided_pairs(node.decisions, side) for side in (True, False))
    return contract(refine(made_for, together, apart)).block_of
