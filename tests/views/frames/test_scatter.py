import numpy as np
import pytest
from numpy.testing import assert_allclose

from ccviz.data import read_table
from ccviz.data.datasets import Dataset, load
from ccviz.errors import CcvizError
from ccviz.events import Assigned, CentersMoved, Record, RelaxationSolved
from ccviz.runs.run import Run
from ccviz.views.draft import Draft, draft_of
from ccviz.views.frames.exact import RelaxationLog, matrix
from ccviz.views.frames.projection import (
    MOST_POINTS,
    SAMPLE,
    check_axes,
    first_axes,
    keep_layout,
    lay_out,
    map_of,
    offered_axes,
    spectral_map,
)
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


# --- The map that keeps neighbours together, and the plane that it spans --------------------------


def test_a_bent_strip_is_laid_out_in_its_order():
    rng = np.random.default_rng(0)
    turn = np.sort(rng.uniform(1.5, 9.0, 300))
    X = np.column_stack([turn * np.cos(turn), turn * np.sin(turn), rng.uniform(0, 0.2, 300)])
    first = spectral_map(X)[:, 0]
    ranks = np.argsort(np.argsort(first))
    assert abs(np.corrcoef(ranks, np.arange(300))[0, 1]) > 0.99


def test_clusters_that_are_far_apart_are_apart_and_the_map_is_the_same_each_time():
    rng = np.random.default_rng(1)
    X = np.repeat(np.eye(3) * 100, 40, axis=0) + rng.normal(size=(120, 3))
    found = spectral_map(X)
    assert np.array_equal(found, spectral_map(X))
    classes = np.repeat(np.arange(3), 40)
    means = np.array([found[classes == at].mean(axis=0) for at in range(3)])
    nearest = np.linalg.norm(found[:, None] - means, axis=2).argmin(axis=1)
    assert np.array_equal(nearest, classes)


@pytest.mark.parametrize("X", [np.zeros((3, 4)), np.zeros((30, 4)), np.eye(4)])
def test_few_or_equal_points_are_finite(X):
    assert np.isfinite(spectral_map(X)).all()


def test_the_map_is_an_axis_on_which_centres_lie_at_their_next_point():
    draft = draft_of(load("iris"))
    where = plane(draft, "Map 1", "PC 1")
    assert (where.x_title, len(where.x)) == ("Map 1 (a sketch by Laplacian eigenmaps)", 150)
    assert where.place(draft.X[[7]])[0] == pytest.approx([where.x[7], where.y[7]])
    assert where.place(np.zeros((0, 4))).shape == (0, 2)
    assert plane(draft.with_k(4), "Map 1", "PC 1").x is not None


def test_of_many_points_or_two_features_there_is_no_map():
    few, many, narrow = (
        Dataset("", np.zeros((n, len(names))), names)
        for n, names in ((MOST_POINTS, (*"abc",)), (MOST_POINTS + 1, (*"abc",)), (10, (*"ab",)))
    )
    assert "Map 1" in offered_axes(few)
    assert "Map 1" not in {*offered_axes(many), *offered_axes(narrow)}
    with pytest.raises(CcvizError, match="no axis"):
        check_axes(many, "Map 1")


def test_equal_data_share_no_map_by_mistake():
    rng = np.random.default_rng(2)
    one, two = (Dataset("", rng.normal(size=(50, 3)), ("a", "b", "c"), None) for _ in range(2))
    first, second = (plane(draft_of(each, 2), "Map 1", "Map 2").x for each in (one, two))
    assert not np.allclose(first, second)


def test_a_layout_takes_the_place_of_the_sketch():
    rng = np.random.default_rng(3)
    classes = np.repeat(np.arange(3), 20)
    X = 20 * np.eye(3)[classes] + rng.normal(size=(60, 3))
    data = Dataset("", X, ("a", "b", "c"), None)
    draft = draft_of(data, 3)
    assert map_of(data, "none", X).is_sketch
    keep_layout(data, "none", X, lay_out(X))
    assert plane(draft, "PC 1", "Map 2").y_title == "Map 2 (t-SNE)"
    found = map_of(data, "none", X).values
    assert np.array_equal(plane(draft, "Map 1", "Map 2").x, found[:, 0])
    means = np.array([found[classes == at].mean(axis=0) for at in range(3)])
    nearest = np.linalg.norm(found[:, None] - means, axis=2).argmin(axis=1)
    assert np.array_equal(nearest, classes)
    assert lay_out(X[:4]).shape == (4, 2)


@pytest.mark.slow
def test_of_many_points_a_sample_is_placed_and_the_others_beside_it():
    rng = np.random.default_rng(4)
    classes = np.arange(SAMPLE + 500) % 3
    X = 30 * np.eye(3)[classes] + rng.normal(size=(len(classes), 3))
    data = Dataset("", X, ("a", "b", "c"), None)
    assert "principal components" in map_of(data, "none", X).method
    keep_layout(data, "none", X, lay_out(X))
    found = map_of(data, "none", X)
    assert f"{SAMPLE:,} points" in found.method
    means = np.array([found.values[classes == at].mean(axis=0) for at in range(3)])
    nearest = np.linalg.norm(found.values[:, None] - means, axis=2).argmin(axis=1)
    assert (nearest == classes).mean() > 0.99
    assert np.array_equal(found.place(X[:3]), found.values[:3])


def test_few_maps_are_kept_for_each_data_set():
    X = np.random.default_rng(5).normal(size=(20, 3))
    data = Dataset("", X, ("a", "b", "c"), None)
    first = map_of(data, "none", X)
    assert map_of(data, "none", X) is first
    for at in range(8):
        map_of(data, f"weights:1,1,{at + 1}", X)
    assert map_of(data, "none", X) is not first


# --- Matrix ---------------------------------------------------------------------------------------


def event_of(labels, node=0):
    Z = (labels[:, None] == labels) / np.bincount(labels)[labels]
    return RelaxationSolved(node=node, Z=Z, block_of=np.arange(len(labels)))


def test_a_clustering_is_blocks_along_the_diagonal(labels):
    frame = matrix(event_of(labels), labels)
    sizes = np.bincount(labels)
    expected = np.zeros((40, 40), dtype=np.uint8)
    for start, end in zip(np.cumsum(sizes) - sizes, np.cumsum(sizes), strict=True):
        expected[start:end, start:end] = 255
    assert (frame.image == expected).all()
    assert frame.edges.tolist() == np.cumsum(sizes)[:-1].tolist()
    assert frame.settled == pytest.approx(1.0)


def test_grey_becomes_settled(relaxation_records, labels):
    log, settled = RelaxationLog(), []
    for record in relaxation_records:
        log.feed([record])
        if isinstance(record.event, RelaxationSolved):
            settled.append(log.frame(labels).settled)
    assert settled[-1] == pytest.approx(1.0)
    assert settled[1] < settled[-2] < 0.999


def test_blocks_of_many_points_take_the_incumbents_cluster():
    event = RelaxationSolved(node=3, Z=np.eye(3) / 2, block_of=np.array([0, 0, 1, 1, 2, 2]))
    frame = matrix(event, np.array([1, 1, 0, 0, 1, 1]))
    assert frame.order.tolist() == [1, 0, 2]
    assert frame.edges.tolist() == [1.0]
    assert frame.node == 3


def test_without_an_incumbent_there_are_no_borders(labels):
    assert len(matrix(event_of(labels)).edges) == 0


def test_large_matrices_are_averaged_down():
    labels = np.sort(np.arange(1000) % 4)
    frame = matrix(event_of(labels), labels)
    assert frame.image.shape == (400, 400)
    assert frame.image.mean() == pytest.approx(255 / 4, rel=0.02)
    assert len(frame.order) == 1000


def test_the_newest_matrix_of_each_node_is_kept(labels):
    log = RelaxationLog()
    assert log.frame(None) is None
    log.feed(Record(at, 0.0, event_of(labels, node)) for at, node in enumerate([0, 1, 0]))
    assert log.newest().node == 0
    assert log.newest(1).node == 1
    assert log.newest(2) is None


def test_memory_is_bounded_and_the_root_stays():
    labels = np.arange(500) % 3
    log = RelaxationLog()
    log.feed(Record(node, 0.0, event_of(labels, node)) for node in range(40))
    assert log.newest(0) is not None
    assert log.newest(39) is not None
    assert log.newest(1) is None
    assert log._bytes <= 32 << 20
