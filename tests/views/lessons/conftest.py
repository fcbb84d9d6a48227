"""The session in which lessons are taken."""

import pytest

from ccviz.data.datasets import load
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lessons.catalogue import SessionHere


@pytest.fixture
def session(archive):
    """Return a session whose runs take no process of their own, and are shown at their end."""
    session = SessionHere(archive, RunQueue(), load("iris"))
    yield session
    session.close()
