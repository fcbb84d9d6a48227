"""Neighbours: a graph in which every cluster is connected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from ccviz import Partition, Problem
from ccviz.errors import ProblemError
from ccviz.problem.neighbors import Neighbors

PATH: Any = [(1, 0), (1, 2), (2, 3), (3, 4), (2, 1)]
X = np.arange(5.0)[:, None]


def test_pairs_are_sorted_and_kept_once() -> None:
    found = Problem(X, 2, neighbors=PATH).neighbors
    assert found is not None
    assert found.pairs.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert found.indptr.tolist() == [0, 1, 3, 5, 7, 8]
    assert found.indices.tolist() == [1, 0, 2, 1, 3, 2, 4, 3]
    assert Problem(X, 2, neighbors=found).neighbors is found


def test_a_matrix_gives_neighbours_off_its_diagonal() -> None:
    matrix: Any = csr_array(([1.0, 2.0, 1.0], ([0, 1, 3], [0, 3, 2])), (5, 5))
    found = Problem(X, 2, neighbors=matrix).neighbors
    assert found is not None
    assert found.pairs.tolist() == [[1, 3], [2, 3]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([(0, 5)], "pair of neighbours 0-5 names point 5, but the points are 0 to 4"),
        ([(2, 2)], "pair of neighbours 2-2 joins a point to itself"),
        ([(0,)], "pair of neighbours number 1 is"),
        (Neighbors(np.array([(0, 1)]), 3), "the neighbours are of 3 points, but"),
    ],
)
def test_what_is_no_pair_of_neighbours_is_named(given: Any, words: str) -> None:
    with pytest.raises(ProblemError, match=words):
        Problem(X, 2, neighbors=given)


def test_pieces_are_numbered_within_their_cluster_the_largest_first() -> None:
    neighbors = Neighbors(PATH, 7)
    labels = np.array([1, 0, 1, 1, 0, 1, 2])
    assert neighbors.pieces(labels).tolist() == [1, 0, 0, 0, 1, 2, 0]
    assert neighbors.islands().tolist() == [0, 0, 0, 0, 0, 1, 2]
    assert [(c, p.tolist()) for c, p in neighbors.broken(labels)] == [(0, [4]), (1, [0]), (1, [5])]
    assert not neighbors.are_connected(labels)
    assert neighbors.are_connected(np.array([0, 0, 0, 0, 0, 1, 2]))


def test_a_partition_counts_the_clusters_that_fall_apart() -> None:
    problem = Problem(X, 2, neighbors=PATH)
    assert problem.must_keep
    broken = Partition(problem, np.array([0, 1, 1, 0, 0]))
    assert broken.violations.neighbors == 1
    assert not broken.violations.none_hard
    assert Partition(problem, np.array([0, 0, 0, 1, 1])).violations.none_hard


def test_problems_with_other_neighbours_ask_for_something_else() -> None:
    problem = Problem(X, 2, neighbors=PATH)
    assert problem.asks_the_same(Problem(X, 2, neighbors=PATH[:-1]))
    assert not problem.asks_the_same(Problem(X, 2))
    assert not problem.asks_the_same(Problem(X, 2, neighbors=PATH[:2]))


@pytest.mark.parametrize("beside", [{"outliers": 1}, {"fixed_centers": [[0.0]]}])
def test_neighbours_are_refused_beside_what_has_none(beside: dict[str, Any]) -> None:
    with pytest.raises(ProblemError, match="beside neighbours"):
        Problem(X, 2, neighbors=PATH, **beside)
