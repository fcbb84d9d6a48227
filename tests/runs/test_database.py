import sqlite3

import pytest

from ccviz.errors import ArchiveError
from ccviz.runs.database import Database


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
