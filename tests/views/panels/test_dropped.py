from ccviz.views.panels.dropped import Dropped


def test_a_file_that_is_still_there_is_not_taken_again():
    dropped, value = Dropped(), {"no.csv": b"nothing"}
    assert dropped.fresh(value) == [("no.csv", b"nothing")]
    value["a.csv"] = "a,b"  # as Panel does: in place, before the first one goes
    assert dropped.fresh(value) == [("a.csv", b"a,b")]
    del value["no.csv"]
    assert dropped.fresh(value) == []


def test_a_file_dropped_again_is_taken_again():
    dropped = Dropped()
    assert dropped.fresh({"a.csv": bytes(range(9))})
    assert dropped.fresh({}) == []
    assert dropped.fresh({"a.csv": bytes(range(9))})
