import csv
import io

import numpy as np
import pytest

from ccviz.views.lab import parcel
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.parcel import Parcels
from tests.patience import wait_until

TABLE = b"id,x,y,note\n" + b"\n".join(b"%d,%d.5,%d,n%d" % (7 * i, i % 5, 9 * (i % 2), i % 3)
                                      for i in range(1, 41))  # fmt: skip


def tick_until(session, condition):
    def holds():
        session.tick()
        return condition()

    wait_until(holds)


@pytest.fixture
def parcels(session):
    """Return the parcels of a session with a table of its own, clustered."""
    importing = Importing(session)
    importing.bring("mine.csv", TABLE)
    importing.load()
    session.set_k(2)
    session.start()
    session.player.pace = "Live"
    tick_until(session, lambda: not session.restless)
    return Parcels(session)


def test_rows_go_home_as_they_came_with_the_numbers_of_the_page(session, parcels):
    answer = session.run.incumbent
    session.hues.keep(1 - answer.labels)  # as if another run had coloured them first
    parcels.wish("rows")
    taken = parcels.parcel
    assert (taken.name, taken.kind) == ("mine-clusters.csv", "text/csv")
    head, *rows = csv.reader(io.StringIO(taken.text))
    assert head == ["id", "x", "y", "note", "cluster", "distance", "silhouette"]
    assert rows[0][:4] == ["7", "1.5", "9", "n1"]
    assert [int(row[4]) for row in rows] == (1 - answer.labels).tolist()
    parcels.wish("profile")
    sizes = np.bincount(1 - answer.labels).astype(str)
    assert parcels.parcel.text.splitlines()[1].split(",")[2:7:2] == ["40", *sizes]
    parcels.wish("report")
    assert "mine: 2 clusters" in parcels.parcel.text
    parcels.wish("markdown")
    assert parcels.parcel.name == "mine-profile.md"


def test_a_large_parcel_is_written_elsewhere(session, parcels, monkeypatch):
    parcels.wish("report")
    here = parcels.parcel.text
    monkeypatch.setattr(parcel, "_SMALL", 0)
    parcels.parcel = None
    parcels.wish("report")
    assert session.notice.text == "mine-report.html is being written…"
    tick_until(session, lambda: parcels.parcel is not None)
    assert parcels.parcel.text == here
    assert session.notice is None


def test_without_an_answer_there_is_nothing_to_take(session):
    parcels = Parcels(session)
    parcels.wish("rows")
    assert parcels.parcel is None
    assert "no answer yet" in session.notice.text
