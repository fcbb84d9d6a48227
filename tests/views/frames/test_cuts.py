import numpy as np

from ccviz.events import CutsAdded, Record
from ccviz.views.frames.cuts import CutsLog


def log_of(records):
    log = CutsLog()
    log.feed(records)
    return log


def test_a_row_a_round(relaxation_records):
    frame = log_of(relaxation_records).frame(0)
    assert frame.at.tolist() == [1, 2, 3, 4, 5, 6]
    assert frame.triangle.tolist() == [200, 160, 120, 80, 40, 0]
    assert frame.totals == {"pair": 45, "triangle": 600, "clique": 15}


def test_rounds_are_told_apart_by_node():
    events = [
        CutsAdded(
            node=at % 2,
            round=at,
            lower_bound=1.0,
            pair=at,
            triangle=0,
            clique=0,
            dropped=0,
            active=0,
        )
        for at in range(10)
    ]
    log = log_of(Record(at, 0.0, event) for at, event in enumerate(events))
    assert log.frame(1).pair.tolist() == [1, 3, 5, 7, 9]
    assert log.frame().pair.tolist() == list(range(10))
    assert len(log.frame(7).at) == 0


def test_only_the_newest_rounds_are_shown(relaxation_records):
    rounds = [record for record in relaxation_records if isinstance(record.event, CutsAdded)]
    frame = log_of(rounds * 100).frame()
    assert len(frame.at) == 400
    assert frame.at[-1] == 600
    assert (np.diff(frame.at) == 1).all()


def test_clear_forgets(relaxation_records):
    log = log_of(relaxation_records)
    log.clear()
    assert len(log.frame().at) == 0
