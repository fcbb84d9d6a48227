"""What a spreadsheet would evaluate is text in every table that leaves the package."""

import ast
import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ccviz
from ccviz.data import read_table
from ccviz.data.cells import DELIMITERS, CsvStyle, guarded, markdown_table, unguarded
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.studies.profile import profile, profile_csv, profile_markdown
from ccviz.studies.rows import rows_csv
from ccviz.studies.suite import RowFile
from ccviz.studies.sweep import SweepRow
from ccviz.views.share.project import csv_text

FORMULAS = [
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1+1", "=cmd|' /C calc'!A0",
    "-", "＝1+1", "'=1",
]  # fmt: skip
PLAIN = [
    "", "a", "a=1", "-1", "+1.5", "-1,234.5", "-1e-9", "-.5", "-3 %", "-1.2 ± 0.3", "'tis", "–",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe(text):
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_words_stay(text):
    assert guarded(text) == unguarded(text) == text


@pytest.mark.parametrize("mark", [";", ",", "|", "\t", "\n", "; "])
def test_what_another_separator_would_split_off_gets_one_too(mark):
    assert guarded(f"a{mark}=1+1") == f"a{mark}'=1+1"
    assert unguarded(f"a{mark}'=1+1") == f"a{mark}=1+1"


@given(st.text("'=+-@\t\r\n 1a;,", max_size=8))
def test_the_guard_is_removed_again(text):
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in {"=", "@", "\t", "\r"}


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_a_file_is_read_again_with_its_own_names(delimiter):
    rows = [["=x", "@y", "place"], *([float(i), -0.5 * i, f"+{i}+"] for i in range(9))]
    text = CsvStyle(delimiter).table(rows)
    assert "'=x" in text
    assert read_table(text.encode()).features == ("=x", "@y")


def hostile():
    """Return a table whose names of columns, points and classes are formulas."""
    lines = "".join(f'"=cmd{i}",{i % 2},{i},{-i / 8},@{"ab"[i % 2]}\n' for i in range(8))
    roles = {"=id": "name", "@class": "class"}
    return read_table(f'=id,+x,"-a|=b",@z,@class\n{lines}'.encode(), roles=roles)


def texts(table):
    """Return the cells of a CSV file that are no numbers."""
    for row in csv.reader(table.splitlines()):
        for cell in row:
            try:
                float(cell or 0)
            except ValueError:
                yield cell


def test_rows_profile_and_data_hold_no_formula():
    data = hostile()
    labels = np.arange(8) % 2
    marks = profile(data.X, labels, 2, data.features)
    partition = Partition(Problem(data.X, 2), labels)
    for table in (rows_csv(data, partition), profile_csv(marks), csv_text(data)):
        found = list(texts(table))
        assert "'+x" in found
        assert not [cell for cell in found if cell[:1] in set("=+-@\t\r")]
    assert csv_text(data).splitlines()[2].split(",")[2] == "-0.125"
    assert "| '+x | " in profile_markdown(marks)


def test_markdown_holds_neither_formulas_nor_markup():
    text = markdown_table([["=x", "b"], ["a|b\n| c", "<b>*[x](y)*`\\"]])
    assert text.splitlines()[0] == "| '=x | b |"
    assert text.splitlines()[2] == r"| a\|b \| c | \<b\>\*\[x\](y)\*\`\\ |"
    assert len(text.splitlines()) == 3


def test_a_sweep_finds_its_rows_again(tmp_path):
    row = SweepRow("=data", 0.0, 1.0, 0, 0.5, 2.0, 0, 0.1)
    RowFile(tmp_path / "s.csv", SweepRow).add(row)
    RowFile(tmp_path / "s.csv", SweepRow).add(replace(row, seed=1))
    assert (tmp_path / "s.csv").read_text().splitlines()[1].startswith("'=data,")
    assert RowFile(tmp_path / "s.csv", SweepRow).rows == [row, replace(row, seed=1)]


def test_there_is_one_writer_of_csv():
    writers = {"writer", "DictWriter", "to_csv", "savetxt"}
    root = Path(ccviz.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in writers
    }
    assert found == {"data/cells.py"}
