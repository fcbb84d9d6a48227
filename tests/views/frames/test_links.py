import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.views.draft import Draft
from ccviz.views.frames.links import LINKS_DRAWN, Lines, lines, many_broken, opacity, path, widths
from ccviz.views.frames.scatter import plane
from ccviz.views.link_table import Link, LinkTable

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 4.0], [1.0, 4.0]])
LINKS = (Link("must", 0, 1), Link("must", 0, 2, 3.0), Link("cannot", 1, 3))


@pytest.fixture
def draft():
    """Return the corners of a box with three links."""
    return Draft(Dataset("box", X, ("a", "b")), 2, links=LinkTable.of(LINKS))


def test_lines_join_their_points(draft):
    must = lines(draft, "must", plane(draft, "a", "b"))
    assert must.x1.tolist() == [1, 0]
    assert must.y1.tolist() == [0, 4]
    assert must.soft.tolist() == [False, True]
    assert list(must.names) == ["must-link 0-1", "must-link 0-2"]
    assert not must.broken.any()


def test_broken_links_by_kind(draft):
    where, labels = plane(draft, "a", "b"), np.array([0, 0, 1, 0])
    assert lines(draft, "must", where, labels).broken.tolist() == [False, True]
    assert lines(draft, "cannot", where, labels).broken.tolist() == [True]
    pair = np.array([LINKS[2].pair])
    assert many_broken(pair, LINKS[2].kind, labels) == 1
    assert many_broken(pair, LINKS[2].kind, None) == 0


def test_a_point_without_a_cluster_breaks_nothing(draft):
    labels = np.array([0, -1, -1, -1])
    where = plane(draft, "a", "b")
    assert not lines(draft, "must", where, labels).broken.any()
    assert not lines(draft, "cannot", where, labels).broken.any()


def test_a_path_follows_its_points(draft):
    lit = path((2, 0, 1), plane(draft, "a", "b"))
    assert lit.x.tolist() == [0, 0, 1]
    assert lit.y.tolist() == [4, 0, 0]


def test_links_can_be_faint_or_only_those_that_are_broken():
    frame = Lines(
        *np.zeros((4, 2)), np.array([True, False]), np.array([False, True]), ["a", "b"],
        np.array([0.0, 1.0]),
    )  # fmt: skip
    seen = {drawn: opacity(frame, drawn).tolist() for drawn in LINKS_DRAWN.values()}
    assert seen["all"] == [1.0, 1.0]
    assert 0 < seen["faded"][0] < 0.5
    assert seen["broken"] == [1.0, 0.0]
    assert seen["near"] == [0.0, 0.0]
    assert seen["price"] == [1.0, 1.0]
    assert widths(frame, "all").tolist() == [2.0, 1.0]
    assert widths(frame, "price").tolist() == [1.0, 9.0]
