"""What tests of runs share: an archive of their own, and workers that wait beside it."""

import pytest

from ccviz.runs.archive import Archive
from ccviz.runs.worker_pool import WorkerPool


@pytest.fixture
def archive(tmp_path):
    """Return an empty archive."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        yield archive


@pytest.fixture
def pool(archive):
    """Return the waiting workers of the archive."""
    pool = WorkerPool(archive.path)
    pool.fill()
    yield pool
    pool.close()
