import numpy as np
import pytest
from numpy.testing import assert_allclose

from ccviz.data import read_table
from ccviz.data.datasets import Dataset, load
from ccviz.events import Assigned, CentersMoved, Record
from ccviz.runs.run import Run
from ccviz.views.draft import Draft, draft_of
from ccviz.views.frames.projection import first_axes
from ccviz.views.frames.scatter import classes, coloring, matching, only, pairs, plane

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 4.0], [1.0, 4.0]])


@pytest.fixture
def draft():
    """Return the corners of a box, two clusters."""
    return Draft(Dataset("box", X, ("a", "b"), np.array([0, 0, 1, 1]), ("low", "high")), 2)


def run_with(draft, labels, centers=None):
    run = Run(draft.problem)
    run.apply(
        Record(0, 0.0, Assigned(iteration=1, labels=np.array(labels), objective=1.0, moved=0))
    )
    if centers is not None:
        run.apply(Record(1, 0.0, CentersMoved(iteration=1, centers=np.array(centers))))
    return run


def test_plane_of_two_features(draft):
    where = plane(draft, "b", "a")
    assert where.x.tolist() == [0, 0, 4, 4]
    assert where.y.tolist() == [0, 1, 0, 1]
    assert where.classes == ["(low)", "(low)", "(high)", "(high)"]
    assert where.x_range[0] < 0 < 4 < where.x_range[1]
    assert where.place(np.array([[0.5, 2.0]])).tolist() == [[2.0, 0.5]]
    assert where.is_whole


def test_a_plane_is_whole_if_its_axes_are_all_the_features(draft):
    assert not plane(draft, "a", "PC 2").is_whole
    wider = Draft(Dataset("wide", np.column_stack([X, X[:, 0]]), ("a", "b", "c")), 2)
    assert not plane(wider, "a", "b").is_whole


def test_no_run_no_colour(draft):
    frame = coloring(None, plane(draft, "a", "b"))
    assert frame.labels.tolist() == [-1] * 4
    assert len(frame.centers) == 0


def test_centres_have_the_colours_of_their_clusters(draft):
    run = run_with(draft, [0, 0, 1, 1], [[0.5, 0.0], [0.5, 4.0]])
    frame = coloring(run, plane(draft, "a", "b"))
    assert frame.labels.tolist() == [0, 0, 1, 1]
    assert frame.centers.tolist() == [[0.5, 0.0], [0.5, 4.0]]
    assert frame.center_labels.tolist() == [0, 1]


def test_clusters_that_only_change_numbers_keep_their_colours(draft):
    run = run_with(draft, [1, 1, 0, -1], [[0.5, 4.0], [0.5, 0.0]])
    frame = coloring(run, plane(draft, "a", "b"), before=np.array([0, 0, 1, 1]))
    assert frame.labels.tolist() == [0, 0, 1, -1]
    assert frame.center_labels.tolist() == [1, 0]


def test_labels_to_be_shown_instead(draft):
    run = run_with(draft, [0, 0, 1, 1])
    frame = coloring(run, plane(draft, "a", "b"), instead=np.array([0, 1, 0, 1]))
    assert frame.labels.tolist() == [0, 1, 0, 1]


def test_colours_stay_until_there_are_new_ones(draft):
    before = np.array([1, 1, 0, 0])
    assert coloring(None, plane(draft, "a", "b"), before).labels.tolist() == [1, 1, 0, 0]
    run = Run(draft.problem)
    assert coloring(run, plane(draft, "a", "b"), before).labels.tolist() == [-1] * 4


def test_colours_beyond_the_clusters_are_given_up():
    labels, before = np.array([0, 0, 1, 1]), np.array([3, 3, 0, 0])
    assert matching(labels, before, 2)[labels].tolist() == [1, 1, 0, 0]


def test_as_many_clusters_as_points_keep_their_colours():
    before = np.random.default_rng(0).permutation(20_000)
    assert (matching(np.arange(20_000), before, 20_000) == before).all()


@pytest.mark.parametrize("seed", range(20))
def test_many_clusters_have_different_colours_and_the_largest_keep_theirs(seed, monkeypatch):
    monkeypatch.setattr("ccviz.views.frames.scatter._MATCHED_EXACTLY", 0)
    rng = np.random.default_rng(seed)
    labels, before = rng.integers(-1, 6, (2, 40))
    colors = matching(labels, before, 6)
    assert sorted(colors) == list(range(6))
    table = np.zeros((6, 6))
    both = (labels >= 0) & (before >= 0)
    np.add.at(table, (labels[both], before[both]), 1)
    kept = table[np.arange(6), colors]
    for cluster, color in np.argwhere(table):  # each pair gave way to one at least as large
        rivals = kept[cluster], kept[colors == color][0]
        assert max(rivals) >= table[cluster, color]


def test_classes_look_like_the_clusters_that_they_resemble():
    truth = np.array([0, 0, 1, 1])
    assert classes(truth, np.array([1, 1, 0, 2])).labels.tolist() == [1, 1, 0, 0]


def test_one_cluster_or_some_points_alone_keep_their_colours(draft):
    run = run_with(draft, [0, 0, 1, 1], [[0.5, 0.0], [0.5, 4.0]])
    frame = coloring(run, plane(draft, "a", "b"))
    assert only(frame, None) is frame
    alone = only(frame, 1)
    assert alone.labels.tolist() == [-1, -1, 1, 1]
    assert alone.centers.tolist() == [[0.5, 4.0]]
    assert only(frame, None, (0, 3)).labels.tolist() == [0, -1, -1, 1]


def test_a_component_says_its_share_of_the_variance(draft):
    where = plane(draft, "PC 1", "a")
    assert (where.x_title, where.y_title) == ("PC 1 (94% of the variance)", "a")


def test_points_left_out_have_no_colour_and_no_centre(draft):
    labels, centers = [0, 2, 1, 1], [[0.0, 0.0], [0.5, 4.0], [1.0, 0.0]]
    run = run_with(draft.with_outliers(1), labels, centers)
    frame = coloring(run, plane(draft, "a", "b"))
    assert frame.labels.tolist() == [0, -1, 1, 1]
    assert frame.center_labels.tolist() == [0, 1]
    assert frame.centers.tolist() == [[0.0, 0.0], [0.5, 4.0]]
    again = coloring(run, plane(draft, "a", "b"), np.array([1, -1, 0, 0]))
    assert again.labels.tolist() == [1, -1, 0, 0]


def test_few_features_are_all_shown():
    frame = pairs(draft_of(load("iris")))
    assert frame.features == load("iris").features
    assert np.array_equal(frame.columns, load("iris").X)


def test_of_many_features_those_that_weigh_most_in_their_order():
    X = np.random.default_rng(0).normal(size=(50, 8)) * [1, 9, 2, 8, 3, 7, 4, 6]
    frame = pairs(draft_of(Dataset("wide", X, tuple("abcdefgh")), 2))
    assert frame.features == ("b", "d", "f", "g", "h")


def test_very_many_points_are_thinned_out():
    data = load("blobs", n=5000)
    frame = pairs(draft_of(data))
    assert len(frame.rows) == 2000
    assert np.array_equal(frame.columns, data.X[frame.rows])


PLACES = np.array([[10.0, 60.0, 1.0], [12.0, 61.0, 5.0], [11.0, 62.0, 2.0], [10.5, 60.5, 9.0]])


@pytest.mark.parametrize("scaling", ["none", "standard"])
def test_a_map_has_degrees_at_equal_scale_whatever_the_scaling(scaling):
    data = Dataset("", PLACES, ("lon", "lat", "income"))
    where = plane(Draft(data, 2, scaling), *first_axes(data))
    assert (where.x_title, where.y_title) == ("lon", "lat")
    assert_allclose(np.column_stack([where.x, where.y]), PLACES[:, :2])
    assert where.aspect == pytest.approx(np.cos(np.radians(61.0)))
    middle = Draft(data, 2, scaling).X[:2].mean(axis=0, keepdims=True)
    assert_allclose(where.place(middle), [[11.0, 60.5]])


def test_places_that_are_no_features_are_axes_too():
    text = b"lon,lat,income\n10,60,1\n12,61,5\n11,62,2\n"
    data = read_table(text, "towns.csv", columns=["income"])
    assert first_axes(data) == ("lon", "lat")
    where = plane(Draft(data, 2), "lon", "lat")
    assert where.x.tolist() == [10.0, 12.0, 11.0]
    assert where.place(np.array([[4.6]])).tolist() == [[12.0, 61.0]]
    assert plane(Draft(data, 2), "income", "lat").aspect == 0.0
