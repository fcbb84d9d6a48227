import numpy as np
import pytest

from ccviz.events import Finished, PartBounded, PartsCut, Record
from ccviz.views.frames.exact import LEAST_GAP, PartsLog


def log_of(events):
    log = PartsLog()
    log.feed(Record(at, 2.0 * at, event) for at, event in enumerate(events))
    return log


def cut(parts, shared=0):
    part_of = np.concatenate([np.arange(parts), np.full(shared, -1)])
    return PartsCut(parts=parts, part_of=part_of)


def bounded(part, lower, upper):
    return PartBounded(part=part, lower_bound=lower, upper_bound=upper, rounds=1)


def test_no_mosaic_before_the_points_are_cut():
    assert log_of([Finished(termination="proved")]).frame() is None


def test_a_tile_a_part_in_a_square():
    frame = log_of([cut(5, shared=2), bounded(0, 9.0, 10.0), bounded(3, 4.0, 4.0)]).frame()
    assert frame.gap.shape == (2, 3)
    assert frame.gap[0, 0] == pytest.approx(0.1)
    assert frame.gap[1, 0] == LEAST_GAP
    assert np.isnan(frame.gap).sum() == 4
    assert (frame.parts, frame.done, frame.cuts, frame.shared) == (5, 2, 1, 2)
    assert frame.to_go_s == pytest.approx(6.0)


def test_a_part_that_is_improved_counts_once_and_a_new_cut_begins_anew():
    events = [cut(2), bounded(1, 1.0, 2.0), bounded(1, 1.5, 2.0)]
    assert log_of(events).frame().done == 1
    frame = log_of([*events, cut(1)]).frame()
    assert (frame.parts, frame.done, frame.cuts) == (1, 0, 2)
    assert np.isnan(frame.to_go_s)


def test_merged_parts_have_one_gap():
    one = PartBounded(part=0, merged=(2,), lower_bound=9.0, upper_bound=10.0, rounds=1)
    frame = log_of([cut(4), bounded(0, 1.0, 2.0), one]).frame()
    assert frame.done == 2
    assert frame.gap[0, 0] == frame.gap[1, 0] == pytest.approx(0.1)
