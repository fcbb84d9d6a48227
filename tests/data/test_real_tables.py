"""Thirty tables as people have them are read without a setting."""

import pytest

from ccviz.data.read_table import read_table
from tests.data.real_tables import real_tables

TABLES = real_tables()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_rows_and_numbers_are_found(table):
    data = read_table(table.content, table.name, missing="median")
    assert len(data.X) == table.rows
    assert dict(zip(data.features, data.X[0], strict=True)) == pytest.approx(table.numbers)


def test_there_are_thirty_of_every_kind():
    assert len(TABLES) == 30
    assert {table.name.rpartition(".")[2] for table in TABLES} == {
        "csv", "tsv", "txt", "xlsx", "parquet"
    }  # fmt: skip
