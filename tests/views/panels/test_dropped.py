from ccviz.views.panels.dropped import take_dropped


def test_a_file_that_is_still_there_is_not_taken_again():
    value = {"no.csv": b"nothing"}
    assert take_dropped(value) == [("no.csv", b"nothing")]
    value["a.csv"] = "a,b"  # as Panel does: in place, before the first one goes
    assert take_dropped(value) == [("a.csv", b"a,b")]
    del value["no.csv"]
    assert take_dropped(value) == []


def test_a_file_dropped_again_is_taken_again():
    value = {"a.csv": bytes(range(9))}
    assert take_dropped(value)
    value["a.csv"] = bytes(range(9))
    assert take_dropped(value) == [("a.csv", bytes(range(9)))]


def test_no_content_stays_in_the_dropper():
    value = {"a.csv": b"0123456789", "empty.csv": b""}
    assert len(take_dropped(value)) == 2
    assert list(value) == ["a.csv", "empty.csv"]
    assert not any(value.values())
