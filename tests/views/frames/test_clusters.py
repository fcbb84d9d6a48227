import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.views.frames import clusters as frames
from ccviz.views.frames.clusters import clusters

X = np.array([[0.0, 5.0, 1.0], [2.0, 6.0, 1.0], [10.0, 5.0, 1.0], [12.0, 6.0, 1.0]])


@pytest.fixture
def data():
    """Return four points that their first feature tells apart."""
    return Dataset("four", X, ("first", "second", "same"))


def test_the_feature_that_separates_comes_first(data):
    frame = clusters(data, Partition(Problem(X, 2), np.array([1, 1, 0, 0])))
    assert [row.name for row in frame.rows] == ["first", "second", "same"]
    first = frame.rows[0]
    assert first.separation == pytest.approx(25 / 26)
    assert [cell.mean for cell in first.cells] == [11.0, 1.0]
    assert [cell.spread for cell in first.cells] == [1.0, 1.0]
    assert first.cells[0].apart == pytest.approx(5 / np.sqrt(26))
    assert frame.rows[2].cells[0].apart == 0.0
    assert [(head.number, head.size, head.share) for head in frame.heads] == [
        (0, 2, 0.5), (1, 2, 0.5),
    ]  # fmt: skip
    assert 0.7 < frame.silhouette < 1.0
    assert not frame.simplified


def test_an_empty_cluster_has_no_silhouette(data, monkeypatch):
    monkeypatch.setattr(frames, "MOST_COMPARED", 3)
    monkeypatch.setattr(frames, "MOST_FEATURES", 1)
    frame = clusters(data, Partition(Problem(X, 3), np.array([0, 0, 2, 2])))
    assert np.isnan(frame.heads[1].silhouette)
    assert np.isnan(frame.rows[0].cells[1].mean)
    assert frame.simplified
    assert (len(frame.rows), frame.features) == (1, 3)
