"""Separators that a matrix violates, against every set of vertices."""

from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ccviz import Problem
from ccviz.solvers.relaxation.cuts import Cuts, sides_of
from ccviz.solvers.relaxation.kernels import SEPARATOR
from ccviz.solvers.relaxation.separators import block_graph, separators

N, LEAST = 7, 1e-3


def is_cut(pairs, i, j, chosen):
    """Return whether a set separates two vertices."""
    kept = [pair for pair in pairs if not set(pair) & set(chosen)]
    ends = np.array(kept or [(0, 0)])
    joined = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(N, N))
    labels = connected_components(joined, directed=False)[1]
    return labels[i] != labels[j]


def violated(pairs, Z, apart):
    """Return the first vertices of pairs whose separator is violated, by trying all sets."""
    found = set()
    for i in range(N):
        for j in range(i + 1, N):
            if (i, j) in pairs or (j, i) in pairs or apart[i, j]:
                continue
            out = [v for v in range(N) if apart[i, v] or apart[j, v]]
            others = [v for v in range(N) if v not in (i, j, *out)]
            sets = [each for m in range(N) for each in combinations(others, m)]
            least = min(
                (
                    np.minimum(Z[i], Z[j])[list(each)].sum()
                    for each in sets
                    if is_cut(pairs, i, j, [*each, *out])
                ),
                default=np.inf,
            )
            if Z[i, j] - least > LEAST:
                found.add(i)
    return found


def test_a_path_leads_through_blocks_of_weight_0():
    near = [(0, 1), (1, 2), (0, 3), (3, 2)]
    weights = [1.0, 1.0, 1.0, 0.0]

    def found(**more):
        problem = Problem(np.arange(4)[:, None], 2, weights=weights, neighbors=near, **more)
        Z = np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
        return separators(block_graph(problem), Z, np.ones(3), LEAST)[0].tolist()

    assert found() == []
    assert found(cannot_link=[(2, 3)]) == [[0, 2, 1]]


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_violate_a_separator_are_found(seed):
    rng = np.random.default_rng(seed)
    pairs = [(i, i + 1) for i in range(N - 1)] + [(0, 3), (2, 5)][: seed % 3]
    apart = [(1, 4)] if seed % 2 else []
    graph = block_graph(Problem(np.arange(N)[:, None], 2, cannot_link=apart, neighbors=pairs))
    Z = rng.choice([0.0, 0.05, 0.1, 0.2], size=(N, N))
    Z = np.maximum(Z, Z.T)
    points, depth = separators(graph, Z, np.ones(N), LEAST)
    wanted = violated(pairs, Z, graph.apart)
    assert set(points[:, 0].tolist()) == wanted
    assert wanted
    assert (depth > 0.0).all()
    across, divides = sides_of(points)
    for (i, j, *members), is_j, gone in zip(points.tolist(), across, divides, strict=True):
        sides = [
            (j if b else i, v) for v, b in zip(members, is_j[2:], strict=True) if v not in (-1, j)
        ]
        chosen = [v for _, v in sides]
        out = np.flatnonzero(graph.apart[i] | graph.apart[j]).tolist()
        assert is_cut(pairs, i, j, [*chosen, *out])
        assert Z[i, j] > sum(Z[end, v] for end, v in sides)
        assert gone.sum() == is_j.any()


@pytest.mark.parametrize(
    ("union", "merged"),
    [
        ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 1, 4, 5]),
        ([0, 1, 2, 3, 2, 4], [0, 1, 2, 3, 1, 4, -1]),  # one of both rows is of the row of i
        ([0, 1, 2, 3, 3, 3], [0, 1, 2, 3, -1, -1, -1]),
        ([0, 0, 1, 2, 3, 4], [0, 0, 1, 2, 3, 4, -1]),
        ([0, 1, 2, 3, 1, 4], None),
        ([0, 1, 0, 2, 3, 4], None),
    ],
)
def test_a_separator_of_two_rows_is_merged(union, merged):
    cuts = Cuts(np.array([[0, 1, 3, 2, 1, 5, 4]]), np.array([SEPARATOR], np.int8))
    found, proper = cuts.merged(np.array(union))
    assert found.points.tolist() == ([merged] if merged else [])
    assert proper.tolist() == [merged is not None]
