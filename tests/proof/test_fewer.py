"""Problems with fewer constraints, in which bounds are proved: what may be left out."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem
from ccviz.problem.rules import MaxSize
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.check import as_bounded, has_only_sums, without_lacking
from ccviz.proof.reading import FlawError

X = np.arange(6.0)[:, None]
SUMS = (MinSum((1.0,) * 6, 1.0), MaxSum((1.0,) * 6, 5.0))


@pytest.fixture
def problem():
    """Return a problem with links, one of them soft, and sizes."""
    must, cannot = [(0, 1), (3, 2, 0.5)], [(0, 5), (1, 4)]
    return Problem(X, 2, must, cannot, sizes=([1, 2], [4, 5]))


def pairs_of(links):
    return links.pairs.tolist()


def sizes_of(problem):
    return problem.sizes.lower.tolist(), problem.sizes.upper.tolist()


def test_bounds_leave_out_lower_sums_and_sizes_beside_weights(problem):
    assert as_bounded(problem) is problem
    summed = replace(problem, rules=(*SUMS, MaxSize(5)))
    assert as_bounded(summed).rules == (SUMS[1], MaxSize(5))
    assert sizes_of(as_bounded(summed)) == sizes_of(summed)
    weighted = Problem(X, 2, sizes=([1, 2], [4, 5]), weights=1.0 + X[:, 0], rules=(SUMS[1],))
    assert as_bounded(weighted).sizes is None
    assert as_bounded(weighted).rules == (SUMS[1],)


def test_rules_are_only_sums_or_not(problem):
    assert has_only_sums(replace(problem, rules=SUMS))
    assert not has_only_sums(replace(problem, rules=(*SUMS, MaxSize(5))))


def test_nothing_that_lacks_is_the_problem_itself(problem):
    assert without_lacking(problem, {"kind": np.zeros(1)}) is problem


def test_links_that_lack_are_left_out(problem):
    less = without_lacking(problem, {"without_must": np.array([[2, 3]])})
    assert pairs_of(less.must_link) == [[0, 1]]
    assert less.must_link.weights.tolist() == [np.inf]
    assert pairs_of(less.cannot_link) == pairs_of(problem.cannot_link)
    assert sizes_of(less) == sizes_of(problem)
    less = without_lacking(problem, {"without_cannot": np.array([[1, 4], [0, 5]])})
    assert not len(less.cannot_link)
    assert pairs_of(less.must_link) == pairs_of(problem.must_link)


def test_no_links_of_none_lack():
    bare = Problem(X, 2)
    assert not len(without_lacking(bare, {"without_must": np.zeros((0, 2), int)}).must_link)


@pytest.mark.parametrize("name", ["without_must", "without_cannot"])
@pytest.mark.parametrize("pair", [[0, 2], [3, 2], [0, 1, 2]])
def test_links_that_are_none_are_a_flaw(problem, name, pair):
    with pytest.raises(FlawError, match=r"^is made without what is not there"):
        without_lacking(problem, {name: np.array([pair])})


def test_sizes_are_wider_or_none(problem):
    wider = without_lacking(problem, {"with_sizes": np.array([[1, 1], [4, 6]])})
    assert sizes_of(wider) == ([1, 1], [4, 6])
    same = without_lacking(problem, {"with_sizes": np.array([[1, 2], [4, 5]])})
    assert sizes_of(same) == ([1, 2], [4, 5])
    assert without_lacking(problem, {"with_sizes": np.zeros((0, 2), int)}).sizes is None


@pytest.mark.parametrize(
    "table", [[[1, 3], [4, 5]], [[1, 2], [4, 4]], [[1, 2, 1], [4, 5, 1]], [[1, 2]], [[4, 5]] * 3]
)
def test_sizes_that_are_not_wider_are_a_flaw(problem, table):
    with pytest.raises(FlawError, match=r"^is made with sizes that"):
        without_lacking(problem, {"with_sizes": np.array(table)})


def test_sizes_where_there_are_none_are_a_flaw(problem):
    bare = replace(problem, sizes=None)
    for table in (np.zeros((0, 2), int), np.array([[1, 1], [6, 6]])):
        with pytest.raises(FlawError, match="do not fit"):
            without_lacking(bare, {"with_sizes": table})
