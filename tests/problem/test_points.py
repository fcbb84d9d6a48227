import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from ccviz import Problem
from ccviz.errors import ProblemError
from ccviz.problem.points import columns_of, like_distances, read_points, repeated, rows

FRAME = pd.DataFrame({"length": [1, 2, 3], "width": [0.5, 0.25, 4.0]})


class Arrow:
    """A table as pyarrow has it: ``columns`` are the cells, not the labels."""

    column_names = ("a", "b")
    columns = ([0.0, 1.0], [5.0, 6.0])

    def __array__(self, dtype=None, copy=None):
        return np.array(self.columns).T


def test_columns_are_known_by_their_labels():
    frame = pd.DataFrame({"column_names": [0.0], 7: [1.0]})
    assert columns_of(frame) == ["column_names", 7]
    assert columns_of(Arrow()) == ["a", "b"]
    assert columns_of(np.zeros((1, 2))) == []
    assert read_points(Arrow()).tolist() == [[0.0, 5.0], [1.0, 6.0]]


def test_a_data_frame_is_a_table_of_its_numbers():
    assert read_points(FRAME).tolist() == [[1, 0.5], [2, 0.25], [3, 4]]
    whole = FRAME.astype({"length": "Int64"})
    assert read_points(whole).tolist() == [[1, 0.5], [2, 0.25], [3, 4]]
    assert read_points(FRAME.astype(object)).dtype == np.float64


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (FRAME.assign(name=["a", "b", "c"]), "row 0, column 'name' is 'a', not a number"),
        (FRAME.assign(width=["1", "2", "3,5"]), "row 2, column 'width' is '3,5', not a number"),
        (FRAME.assign(day=pd.to_datetime(["2026-01-01"] * 3)), "column 'day' is .*not a number"),
        (FRAME.assign(width=pd.array([1, None, 3], dtype="Int64")), "row 1, column 'width' is mis"),
        (FRAME.assign(width=[0.5, np.nan, 1.0]), "missing or infinite in row 1"),
        ([[1.0, 2.0], [3.0, "x"]], "row 1, column 1 is 'x', not a number"),
        ([[1.0, 2.0], [3.0, None]], "missing or infinite in row 1"),
        (pd.to_datetime(["2026-01-01"]).to_frame(), "of the type datetime64.*, not numbers"),
        (np.array([[1j]]), "of the type complex128, not numbers"),
        ([[1.0, 2.0], [3.0]], "its rows differ in length"),
        (csr_array(np.eye(3)), "a sparse matrix; give an array"),
        (np.ma.masked_greater(np.eye(3), 0.5), "missing or infinite in rows 0, 1, 2"),
        (iter([[1.0]]), "not a table of numbers"),
    ],
)
def test_what_is_no_table_of_numbers_is_named(given, sentence):
    with pytest.raises(ProblemError, match=sentence):
        read_points(given)


def test_the_first_few_of_many_rows_are_named():
    assert rows([4]) == "row 4"
    assert rows(range(7)) == "rows 0, 1, 2, 3, 4 and 2 more"


def test_points_that_nobody_can_change_are_not_copied():
    first = read_points([[1.0], [2.0]])
    assert read_points(first) is first
    view = np.eye(2)[:1]
    view.setflags(write=False)
    assert read_points(view) is not view


def test_float32_too_coarse_for_the_data_is_said():
    far = 5_000_000 + np.array([[0.0], [0.1], [10.0], [10.1]])
    (notice,) = Problem(far.astype(np.float32), 2).notices
    assert notice.startswith("float32 cannot hold values nearer than 0.5 to each other at 5,000,0")
    assert Problem(np.full((3, 1), 1e8, dtype=np.float32), 2).notices
    assert not Problem(far, 2).notices
    assert not Problem((far - 5_000_000).astype(np.float32), 2).notices


def test_fewer_different_rows_than_clusters_are_said():
    X = np.array([[0.0, 0.0]] * 9 + [[1.0, 0.0]] * 5)
    assert repeated(X, 2) == []
    assert repeated(X, 3) == [
        "The table has 2 different rows for 3 clusters, so equal rows are split."
    ]


def test_a_matrix_of_distances_is_noticed():
    places = np.random.default_rng(0).normal(size=(6, 2))
    away = np.linalg.norm(places[:, None] - places, axis=2)
    assert "MDS makes coordinates" in like_distances(away)[0]
    assert not like_distances(away[:5])
    assert not like_distances(away + np.triu(np.ones((6, 6)), 1))
    assert not like_distances(np.eye(6))
