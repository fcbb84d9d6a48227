import numpy as np

from ccviz.views.frames.columns import ColumnsLog


def log_of(records):
    log = ColumnsLog()
    log.feed(records)
    return log


def test_a_row_a_round(column_records):
    frame = log_of(column_records).frame()
    assert frame.at.tolist() == list(range(1, 41))
    assert frame.exact.sum() == 8
    assert (np.diff(frame.master) < 0).all()


def test_what_is_not_known_is_nan(column_records):
    frame = log_of(column_records).frame()
    assert np.isnan(frame.lower_bound[:4]).all()
    assert np.isfinite(frame.lower_bound[4:]).all()
    assert np.isnan(frame.reduced_cost[-1])
    assert (frame.reduced_cost[:-1] > 0).all()


def test_prices_are_ordered_and_name_their_block(column_records):
    frame = log_of(column_records).duals()
    newest = column_records[-2].event.duals
    assert (np.diff(frame.price) <= 0).all()
    assert (newest[frame.block] == frame.price).all()


def test_no_round_yet():
    assert len(ColumnsLog().frame().at) == 0
    assert len(ColumnsLog().duals().price) == 0


def test_only_the_newest_rounds_are_shown(column_records):
    frame = log_of(column_records[1:-1] * 20).frame()
    assert len(frame.at) == 600
    assert frame.at[-1] == 800
