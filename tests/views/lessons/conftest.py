"""The session in which lessons are taken."""

import pytest

from ccviz.data.datasets import load
from ccviz.runs.archive import Archive
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lessons.walk import SessionHere


@pytest.fixture
def session(tmp_path):
    """Return a session whose runs take no process of their own, and are shown at their end."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        session = SessionHere(archive, RunQueue(), load("iris"))
        yield session
        session.close()
