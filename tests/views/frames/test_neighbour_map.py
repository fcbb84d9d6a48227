"""The map that keeps neighbours together, and the plane that it spans."""

import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.errors import CcvizError
from ccviz.views.draft import draft_of
from ccviz.views.frames.projection import (
    MOST_POINTS,
    SAMPLE,
    check_axes,
    keep_layout,
    lay_out,
    map_of,
    offered_axes,
    spectral_map,
)
from ccviz.views.frames.scatter import plane


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
