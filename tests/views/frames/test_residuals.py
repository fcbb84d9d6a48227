import numpy as np

from ccviz.views.frames.residuals import ResidualsLog


def log_of(records):
    log = ResidualsLog()
    log.feed(records)
    return log


def test_a_row_an_iteration(residual_records):
    frame = log_of(residual_records).frame()
    assert frame.iteration.tolist() == list(range(200))
    assert (np.diff(frame.primal) < 0).all()
    assert frame.violations[0] == 12


def test_long_runs_are_thinned_with_their_ends(residual_records):
    frame = log_of(residual_records[1:-1] * 20).frame()
    assert len(frame.iteration) == 800
    assert frame.iteration[[0, -1]].tolist() == [0, 3999]


def test_a_residual_of_zero_is_not_put_on_a_logarithmic_axis(residual_records):
    import msgspec

    record = residual_records[1]
    event = msgspec.structs.replace(record.event, primal_residual=0.0)
    frame = log_of([msgspec.structs.replace(record, event=event)]).frame()
    assert np.isnan(frame.primal[0])


def test_x_is_ordered_by_cluster_and_turns_binary(residual_records, labels):
    early, late = (log_of(residual_records[:end]).relaxed() for end in (3, 200))
    assert early.image.shape == (40, 3)
    assert set(np.unique(late.image)) == {0, 255}
    assert 0 < early.image[0].max() < 255
    assert late.image.argmax(axis=1).tolist() == np.sort(labels).tolist()


def test_no_iteration_yet():
    assert ResidualsLog().relaxed() is None
    assert len(ResidualsLog().frame().iteration) == 0
