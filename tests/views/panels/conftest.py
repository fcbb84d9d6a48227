"""A laboratory for the panels, without a page."""

import pytest

from ccviz.archive import Archive
from ccviz.datasets import load
from ccviz.views.queue import RunQueue
from ccviz.views.session import Session


@pytest.fixture
def session(tmp_path):
    """Return a session with iris on the table."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        session = Session(archive, RunQueue(), load("iris"))
        yield session
        session.close()
