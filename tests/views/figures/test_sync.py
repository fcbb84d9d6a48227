import numpy as np
import pytest
from bokeh.document import Document
from bokeh.models import ColumnDataSource

from ccviz.views.figures.base import sync


@pytest.fixture
def source():
    source = ColumnDataSource({"x": np.empty(0), "word": np.empty(0)})
    sync(source, columns(10))
    return source


def columns(n):
    return {
        "x": np.arange(n, dtype=float),
        "word": np.array([f"w{i}" for i in range(n)], dtype=object),
    }


def heard(source, change):
    """Return the kinds of messages that a change sends."""
    document, kinds = Document(), []
    document.add_root(source)
    document.on_change(lambda event: kinds.append(type(event).__name__))
    change()
    return kinds


def test_the_same_again_sends_nothing(source):
    assert heard(source, lambda: sync(source, columns(10))) == []


def test_nan_stays_nan_without_a_message(source):
    with_gap = columns(10) | {"x": np.full(10, np.nan)}
    sync(source, with_gap)
    assert heard(source, lambda: sync(source, with_gap)) == []


def test_new_rows_are_streamed(source):
    assert heard(source, lambda: sync(source, columns(12))) == ["ColumnsStreamedEvent"]
    assert list(source.data["word"])[-1] == "w11"


def test_changed_cells_are_patched(source):
    changed = columns(10)
    changed["x"][3] = 30.0
    assert heard(source, lambda: sync(source, changed)) == ["ColumnsPatchedEvent"]
    assert list(source.data["x"]) == changed["x"].tolist()


def test_changed_and_new(source):
    changed = columns(11)
    changed["word"][0] = "first"
    kinds = heard(source, lambda: sync(source, changed))
    assert kinds == ["ColumnsPatchedEvent", "ColumnsStreamedEvent"]
    assert list(source.data["word"]) == changed["word"].tolist()


@pytest.mark.parametrize("n", [0, 4])
def test_fewer_rows_replace_all(source, n):
    sync(source, columns(n))
    assert [len(column) for column in source.data.values()] == [n, n]


def test_much_changed_is_sent_at_once(source):
    changed = {"x": columns(10)["x"] + 1, "word": columns(10)["word"]}
    assert heard(source, lambda: sync(source, changed)) == ["ColumnDataChangedEvent"]
