"""A laboratory for the panels, without a page."""

import pytest

from ccviz.data.datasets import load
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session


@pytest.fixture
def session(archive):
    """Return a session with iris."""
    session = Session(archive, RunQueue(), load("iris"))
    yield session
    session.close()
