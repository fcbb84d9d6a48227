"""The iterate to begin a node with whose multipliers another run has left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.admm import cold_start
from ccviz.solvers.relaxation.certificate import symmetric
from ccviz.solvers.relaxation.cuts import Cuts, rows_of
from ccviz.solvers.relaxation.engine import AnyIterate
from ccviz.solvers.relaxation.engine import cold_start as any_start
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.relaxation.spectral_projection import SpectralProjector
from ccviz.solvers.search.tree import Multipliers

_PENALTY = 0.35
"""Penalty as a share of a cold start's: multipliers near the best ones need a smaller one."""


def restart(relaxation: Relaxation, block_of: IntArray, left: Multipliers) -> AnyIterate:
    """Return the first iterate of a node from multipliers over other blocks of the same points.

    Parameters
    ----------
    relaxation : Relaxation
    block_of : (n,) int64
        Its blocks.
    left : Multipliers
    """
    certificate = left.certificate
    if relaxation.classes is not None or not {"nonnegativity", "weights"} <= set(certificate):
        return any_start(relaxation)
    first = np.unique(left.block_of, return_index=True)[1]
    child_of = block_of[first]
    cuts = Cuts(certificate["points"].astype(np.int64), certificate["kind"].astype(np.int8))
    cuts, proper = cuts.merged(child_of)
    weights = certificate["weights"].astype(np.float64)[proper]
    at = cold_start(relaxation)
    at = replace(at, penalty=_PENALTY * at.penalty)
    T = _overlap(relaxation, block_of, left.block_of)
    N = symmetric(certificate["nonnegativity"].astype(np.float64), len(first))
    M = -(T @ N @ T.T)
    rows = rows_of(cuts, relaxation)
    cut_part = np.zeros_like(M)
    kernels.add_rows(cut_part, weights * rows.norm, *rows.entries)
    M = (M - cut_part) / at.unit
    project = SpectralProjector(relaxation.u, relaxation.k - 1, None)
    F = project(-(relaxation.cost / at.unit + M) / at.penalty)
    Y = np.outer(relaxation.u, relaxation.u) + F @ F.T
    return replace(at, Y=Y, M=M, cuts=cuts, weights=weights / at.unit, basis=project.basis)


def _overlap(relaxation: Relaxation, block_of: IntArray, old: IntArray) -> FloatArray:
    """Return T, T_ca = the points of both blocks over the root of the product of their points."""
    T = np.zeros((relaxation.s, int(old.max()) + 1))
    np.add.at(T, (block_of, old), 1.0)
    return T / np.sqrt(np.outer(T.sum(axis=1), T.sum(axis=0)))
