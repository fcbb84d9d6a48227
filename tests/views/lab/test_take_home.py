import csv
import io

import numpy as np
import pytest

from ccviz.errors import CcvizError
from ccviz.views.lab import download
from ccviz.views.lab.download import answer_download, deliver
from ccviz.views.lab.importing import Importing
from tests.patience import tick_until

TABLE = b"id,x,y,note\n" + b"\n".join(b"%d,%d.5,%d,n%d" % (7 * i, i % 5, 9 * (i % 2), i % 3)
                                      for i in range(1, 41))  # fmt: skip


@pytest.fixture
def answered(session):
    """Return a session with a table of its own, clustered."""
    importing = Importing(session)
    importing.read_file("mine.csv", TABLE)
    importing.load()
    session.edits.set_k(2)
    session.start()
    session.player.pace = "Live"
    tick_until(session, lambda: not session.needs_tick)
    return session


def taken(session, what):
    """Return the file that a person takes home."""
    downloads = []
    deliver(session, answer_download(session, what), downloads.append)
    tick_until(session, lambda: downloads)
    assert session.notice is None
    return downloads[0]


def test_rows_go_home_as_they_came_with_the_numbers_of_the_page(answered):
    labels = answered.run.incumbent.labels
    answered.cluster_colors.keep(1 - labels)  # as if another run had coloured them first
    rows = taken(answered, "rows")
    assert (rows.name, rows.kind) == ("mine-clusters.csv", "text/csv")
    head, *lines = csv.reader(io.StringIO(rows.content))
    assert head == ["id", "x", "y", "note", "cluster", "distance", "silhouette", "why"]
    assert lines[0][:4] == ["7", "1.5", "9", "n1"]
    assert [int(line[4]) for line in lines] == (1 - labels).tolist()
    sizes = np.bincount(1 - labels).astype(str)
    profile = taken(answered, "profile").content
    assert profile.splitlines()[1].split(",")[2:7:2] == ["40", *sizes]
    assert "mine: 2 clusters" in taken(answered, "report").content
    assert taken(answered, "markdown").name == "mine-profile.md"


def test_pasted_cells_go_home_with_commas(session):
    importing = Importing(session)
    importing.read_file("pasted.tsv", TABLE.replace(b",", b"\t"))
    importing.load()
    session.edits.set_k(2)
    session.start()
    tick_until(session, lambda: not session.needs_tick)
    for what in ("rows", "profile"):
        file = taken(session, what)
        assert file.name.endswith(".csv")
        assert "," in file.content
        assert "\t" not in file.content


def test_a_large_file_is_written_elsewhere(answered, monkeypatch):
    here = taken(answered, "report").content
    monkeypatch.setattr(download, "_SMALL", 0)
    downloads = []
    deliver(answered, answer_download(answered, "report"), downloads.append)
    assert answered.notice.text == "mine-report.html is being written…"
    assert not downloads
    assert taken_when_ready(answered, downloads) == here


def taken_when_ready(session, downloads):
    tick_until(session, lambda: downloads)
    assert session.notice is None
    return downloads[0].content


def test_without_an_answer_there_is_nothing_to_take(session):
    with pytest.raises(CcvizError, match="no answer yet"):
        answer_download(session, "rows")
