"""A laboratory for the panels, without a page."""

import pytest

from ccviz.data.datasets import load
from ccviz.runs.archive import Archive
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session


@pytest.fixture
def session(tmp_path):
    """Return a session with iris."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        session = Session(archive, RunQueue(), load("iris"))
        yield session
        session.close()
