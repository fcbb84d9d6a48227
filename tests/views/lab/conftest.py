"""A laboratory without a page."""

import pytest

from ccviz.data.datasets import load
from ccviz.runs.fork_client import ForkClient
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session


@pytest.fixture
def forks(tmp_path, fork_client):
    """Return a pool without idle workers, whose processes the tests' fork server forks."""
    pool = WorkerPool(tmp_path / "runs.sqlite", size=0)
    if ForkClient.possible:
        pool._client = fork_client()
    yield pool
    pool.close()


@pytest.fixture
def session_kind():
    """Return the class of the session, which a module of tests may replace."""
    return Session


@pytest.fixture
def session(archive, forks, session_kind):
    """Return a session with iris."""
    session = session_kind(archive, RunQueue(limit=1), load("iris"), pool=forks)
    yield session
    session.close()
