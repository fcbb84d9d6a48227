import sqlite3

import pytest

from ccviz.errors import ArchiveError
from ccviz.runs.archive import Archive
from ccviz.runs.database import Database
from ccviz.runs.info import RunInfo


def test_a_file_whose_error_is_no_text_is_refused_in_words(tmp_path):
    path = tmp_path / "runs.sqlite"
    Database(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    content = path.read_bytes()
    assert content.count(b"CREATE TABLE runs (") == 1
    path.write_bytes(content.replace(b"CREATE TABLE runs (", b"CRE\x80TE TABLE runs ("))
    with pytest.raises(ArchiveError, match="cannot be used: it is damaged"):
        Database(path)


def test_a_run_without_one_of_its_columns_is_refused_in_words(tmp_path):
    Archive(tmp_path / "runs.sqlite").close()
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute("ALTER TABLE runs RENAME COLUMN k TO kk")
    with Archive(tmp_path / "runs.sqlite") as archive:
        db = sqlite3.connect(tmp_path / "runs.sqlite")
        names = [row[1] for row in db.execute("PRAGMA table_info(runs)")]
        row = dict.fromkeys(names, 1)
        assert archive.runs() == []
    with pytest.raises(ArchiveError, match="a run in it cannot be read"):
        RunInfo.from_row(row)
