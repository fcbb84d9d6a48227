import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.problem.asked import read_asked
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.views.frames import clusters as frames
from ccviz.views.frames.clusters import clusters, sums_in_words

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


def test_many_points_features_and_clusters_are_sampled(monkeypatch):
    monkeypatch.setattr(frames, "MOST_COMPARED", 3)
    monkeypatch.setattr(frames, "_FEW_FEATURES", 2)
    monkeypatch.setattr(frames, "_MOST_CELLS", 6)
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 3], [300, 30, 1])
    points = np.array([[0.0] * 5, [20.0] * 5, [9.0] * 5, [40.0] * 5])[labels]
    points += rng.normal(size=points.shape)
    data = Dataset("some", points, tuple("abcde"))
    partition = Partition(Problem(points, 4), labels)
    whole = clusters(data, partition)
    assert not whole.sampled
    monkeypatch.setattr(frames, "_MOST_COSTS", 20 * 3 * 3 * 5)
    frame = clusters(data, partition)
    assert frame.sampled
    assert frame.simplified
    assert [head.size for head in frame.heads] == [300, 30, 0, 1]
    assert frame.silhouette == pytest.approx(whole.silhouette, abs=0.01)
    assert frame.heads[3].silhouette == 0.0
    assert (len(frame.rows), frame.features) == (2, 5)


def test_one_point_of_one_feature_is_a_cluster():
    one = np.array([[2.0]])
    frame = clusters(Dataset("one", one, ("a",)), Partition(Problem(one, 1), np.array([0])))
    assert (frame.heads[0].size, frame.silhouette, frame.rows[0].separation) == (1, 0.0, 0.0)


def test_what_each_cluster_has_of_a_limited_column_is_said():
    asked = read_asked("sum(people)>=10%", column=lambda _: (10.0, 20.0, 30.0, 40.0))
    partition = Partition(with_rules(Problem(X, 2), [asked], False), np.array([0, 1, 1, 1]))
    said = "Sum of people: cluster 0 10 (10.0%), north 90 (90.0%)"
    assert sums_in_words(partition, {1: "north"}) == (said,)
    assert sums_in_words(Partition(Problem(X, 2), np.array([0, 1, 1, 1]))) == ()
