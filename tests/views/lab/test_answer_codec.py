"""An answer comes back as it was, and a forged one makes nothing but what was asked for."""

import io
import pickle
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from ccviz.data.datasets import load
from ccviz.data.sheet import Sheet, open_sheet
from ccviz.errors import CcvizError
from ccviz.problem.asked import AskedRule
from ccviz.studies.elbow_step import Step, measure
from ccviz.views.draft import Draft
from ccviz.views.lab.loading import read_link_table
from ccviz.views.lab.personal_archive import import_for
from ccviz.views.lab.sandboxed_call import decode_answer, encode_answer, returned_by
from ccviz.views.link_table import Link, LinkTable
from ccviz.views.share.project import Project, read_project


def same(first, second):
    """Whether two values are alike, arrays by their numbers."""
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=True)
    if isinstance(first, (list, tuple)):
        return type(first) is type(second) and all(map(same, first, second))
    if hasattr(first, "__dataclass_fields__"):
        fields = first.__dataclass_fields__
        return all(same(getattr(first, name), getattr(second, name)) for name in fields)
    return type(first) is type(second) and (first == second or first != first)


def sheet_of(suffix):
    table = pd.DataFrame({
        "a": [1.5, None, 3.0], "word": ["x", None, "z"],
        "day": pd.date_range("2026-01-01", periods=3),
    })  # fmt: skip
    file = io.BytesIO()
    write = {"csv": table.to_csv, "parquet": table.to_parquet, "xlsx": table.to_excel}
    write[suffix](file)
    return open_sheet(file.getvalue(), f"table.{suffix}")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_a_sheet_comes_back(suffix):
    sheet = sheet_of(suffix)
    assert same(sheet, decode_answer(encode_answer(sheet), Sheet))


def test_links_and_projects_and_steps_come_back():
    read = read_link_table(b"ML 1 4\nCL 2 3 1.5\n", 5, "links.txt", ())
    links, notice = decode_answer(encode_answer(read), returned_by(read_link_table))
    assert same(links, read[0])
    assert (
        notice
        == read[1]
        == ("links.txt: its numbers count points from 0, and none is 0. Did you count from 1?")
    )
    data = replace(load("iris"), origin=None)
    rules = (AskedRule("size<=80"),)
    draft = Draft(data, 3, "none", LinkTable.of([Link("must", 0, 1)]), rules=rules)
    project = Project(draft, "", "", "k-means", {"restarts": 3}, 0, {"gap_limit": None})
    assert same(project, decode_answer(encode_answer(project), returned_by(read_project)))
    step = Step(2, "optimal", 1.0, -np.inf, 0.5, float("nan"), 0.1)
    assert same(step, decode_answer(encode_answer(step), returned_by(measure)))


def test_an_array_that_comes_again_is_written_once():
    file = io.BytesIO()
    np.save(file, np.arange(6.0, dtype=np.float32).reshape(3, 2))
    sheet = open_sheet(file.getvalue(), "points.npy")
    again = decode_answer(encode_answer(sheet), Sheet)
    assert same(sheet, again)
    assert all(each.cells is each.values for each in again.columns)


@pytest.mark.parametrize("value", [b"page", "text", None, (1, [2, "3"]), {"a": 1.0}, range(3)])
def test_plain_values_come_back(value):
    assert same(value, decode_answer(encode_answer(value), Any))


class Attack:
    """What an unpickler would run."""

    def __reduce__(self):
        return exec, ("raise SystemExit('an answer was run')",)


SHEET = msgspec.msgpack.decode(encode_answer(sheet_of("csv")))


def forged(**fields):
    return msgspec.msgpack.encode(["class", "Sheet", SHEET[2] | fields])


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(Attack()),
        msgspec.msgpack.encode(["class", "Attack", {}]),
        msgspec.msgpack.encode(["class", "Popen", {"args": "true"}]),
        msgspec.msgpack.encode(["class", "Step", {}]),  # known, but no part of a sheet
        msgspec.msgpack.encode(["array", "O", [1], b"12345678"]),
        msgspec.msgpack.encode(["array", "|b1", [1], b"\x02"]),
        msgspec.msgpack.encode(["array", "<f8", [1 << 40], b""]),
        msgspec.msgpack.encode(["again", 0]),
        msgspec.msgpack.encode(["again", "a"]),
        msgspec.msgpack.encode({"no": "tag"}),
        msgspec.msgpack.encode(["tuple", True, [["class"]]]),
        b"\x91" * 100_000,
        b"",
        msgspec.msgpack.encode([]),
        msgspec.msgpack.encode(["class", "Sheet", "a"]),
        forged(file=1),
        forged(columns=["list", True, []]),
        forged(style=["class", "NumberStyle", {"comma": 1, "guessed": ""}]),
        forged(more=1),
        forged(columns=["tuple", False, [SHEET[2]["columns"][2][0], SHEET[2]["table"]]]),
    ],
)
def test_a_forged_answer_is_refused(data):
    with pytest.raises(CcvizError, match="It cannot be read"):
        decode_answer(data, Sheet)


def test_a_sheet_of_columns_of_different_lengths_is_refused():
    sheet = sheet_of("csv")
    table = replace(sheet.table, places=[1, 2])
    longer = ["class", "Sheet", SHEET[2] | {"table": msgspec.msgpack.decode(encode_answer(table))}]
    with pytest.raises(CcvizError, match="It cannot be read"):
        decode_answer(msgspec.msgpack.encode(longer), Sheet)


@pytest.mark.parametrize("value", [1, 1.0, b"run", None, ["run"]])
def test_a_run_is_named_by_a_text(value):
    with pytest.raises(CcvizError, match="It cannot be read"):
        decode_answer(encode_answer(value), returned_by(import_for))
