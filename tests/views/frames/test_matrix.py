import numpy as np
import pytest

from ccviz.events import Record, RelaxationSolved
from ccviz.views.frames.exact import RelaxationLog, matrix


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
