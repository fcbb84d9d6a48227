r"""Closed-form multipliers of a clustering: a bound before the first iteration.

If clusters are well apart the relaxation has their clustering as its only solution, and multipliers
that prove it can be written down (Iguchi, Mixon, Peterson and Villar 2017; Li, Li, Ling, Strohmer
and Wei 2020). Here those of two blocks in clusters a and b, D_i the squared distance of block i to
its own cluster's mean and m_a the cluster's mass, are

    N_ij = sqrt(e_i e_j) (|x_i - x_j|^2 - D_i - D_j - c / m_a - c / m_b) / 2,

and zero within a cluster. Then S = C - N takes each cluster's indicator to a multiple of itself but
for a multiple of u, with the value -c on all of their span that is orthogonal to u; what is
orthogonal to all indicators it sees through the scatter inside single clusters only. So the k - 1
smallest eigenvalues are -c, and the bound is the clustering's cost, if c is at least the largest
eigenvalue of any cluster's scatter matrix. The least such c leaves the fewest N_ij
negative; these are set to zero, which is the only loss.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.common.clusters import cluster_means
from ccviz.solvers.relaxation.model import Relaxation


def multipliers_of(relaxation: Relaxation, labels: IntArray) -> FloatArray:
    """Return (s, s) N of either sign; `ccviz.solvers.relaxation.certificate.certify` takes -N.

    Parameters
    ----------
    relaxation : Relaxation
    labels : (s,) int64
        A clustering, every cluster with a block.
    """
    root = np.sqrt(relaxation.mass)
    points = relaxation.factor / root[:, None]
    size = np.bincount(labels, relaxation.mass, relaxation.k)
    means = cluster_means(points, relaxation.mass, labels, relaxation.k)
    away = points - means[labels]
    level = _largest_scatter(root[:, None] * away, labels, relaxation.k)
    taken = (away**2).sum(axis=1) + level / size[labels]
    products = points @ points.T
    squares = products.diagonal()
    N = 0.5 * (squares - taken)[:, None] + 0.5 * (squares - taken) - products
    N *= np.outer(root, root)
    N[labels[:, None] == labels] = 0.0
    return N


def _largest_scatter(away: FloatArray, labels: IntArray, k: int) -> float:
    """Return the largest eigenvalue of any cluster's scatter matrix."""
    return max(float(np.linalg.norm(away[labels == cluster], 2)) ** 2 for cluster in range(k))
