"""What tests of runs share: an archive of their own, and workers that wait beside it."""

import pytest

from ccviz.runs.fork_client import ForkClient
from ccviz.runs.worker_pool import WorkerPool


@pytest.fixture
def pool(archive, fork_client):
    """Return the waiting workers of the archive, forked by the server that tests share."""
    pool = WorkerPool(archive.path)
    if ForkClient.possible:
        pool._client = fork_client()
    pool.fill()
    yield pool
    pool.close()
