"""Root bounds of a problem with one more decision, warm from the problem's own relaxation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import IntArray
from ccviz.bounds import OPTIMAL_GAP
from ccviz.problem.blocks import BoundedBlocks, contract, has_unweighted_blocks, refine
from ccviz.problem.problem import Problem
from ccviz.problem.relaxed import Bounded, bounded
from ccviz.solvers.base import never
from ccviz.solvers.common.scaling import rescale
from ccviz.solvers.relaxation.admm import Iterate, cold_start, inherit
from ccviz.solvers.relaxation.engine import RoundParams, run_rounds
from ccviz.solvers.relaxation.model import Relaxation, relax
from ccviz.solvers.search.decisions import margin_of

_ROUNDS = 20
"""Largest number of rounds of a relaxation."""


@dataclass(frozen=True, eq=False)
class Root:
    """The relaxation of a problem, solved."""

    given: Problem
    problem: Bounded
    growth: float  # By which costs in this unit exceed those of the points
    blocks: BoundedBlocks
    relaxation: Relaxation
    at: Iterate

    def bound(self, pairs: tuple[IntArray, IntArray], above: float) -> float:
        """Return a lower bound of the problem with more pairs.

        `pairs` (must_link, cannot_link): (m, 2) int64 each, that some clustering keeps. `above`:
        Cost of such a clustering, at which the rounds end.
        """
        refined = refine(self.problem, *pairs)
        if refined.neighbors is None and has_unweighted_blocks(refined):
            return -np.inf  # blocks of weight 0 that were parts of others
        blocks = contract(refined)
        child = relax(blocks)
        child_of = self.blocks.project(blocks.block_of)[: self.relaxation.s]
        start = inherit(self.at, child_of, self.relaxation, child)
        target = above * self.growth * (1.0 - OPTIMAL_GAP)
        at, _ = run_rounds(RoundParams(), child, start, target, _ROUNDS, never)
        return margin_of(self.given).below(at.lower_bound / self.growth)


def root_of(problem: Problem, above: float) -> Root | None:
    """Return the solved relaxation of a problem; None where it has one matrix for each size."""
    scaled, exponent = rescale(bounded(problem))
    growth = float(np.ldexp(1.0, 2 * exponent))
    blocks = contract(scaled)
    relaxation = relax(blocks)
    if relaxation.classes is not None:
        return None
    target = above * growth * (1.0 - 0.1 * OPTIMAL_GAP)
    at, _ = run_rounds(RoundParams(), relaxation, cold_start(relaxation), target, _ROUNDS, never)
    return Root(problem, scaled, growth, blocks, relaxation, at)
