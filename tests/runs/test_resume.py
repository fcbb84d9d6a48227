"""A stored run goes on where this machine says, whatever stands in the archive."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import ParameterError
from ccviz.runs.job import Job
from ccviz.runs.resume import open_run
from ccviz.solvers.search import dask, workforce


def test_the_workers_of_the_archive_are_not_called_up(archive, monkeypatch):
    monkeypatch.setattr(dask, "DaskWorkers", pytest.fail)
    monkeypatch.setattr(workforce, "Processes", pytest.fail)
    problem = Problem(np.arange(12.0).reshape(6, 2), 2, cannot_link=[(0, 1)])
    for workers in ("tcp://203.0.113.7:8786", "24"):
        run_id = archive.create(problem, "sdp", {}, workers=workers)
        assert open_run(archive, run_id).result().status == "optimal"


def test_workers_that_are_none_change_nothing(archive):
    problem = Problem(np.arange(12.0).reshape(6, 2), 2)
    run_id = archive.create(problem, "sdp", {})
    archive.finish(run_id, "interrupted", "It was stopped.")
    with pytest.raises(ParameterError, match="workers = 'many'"):
        Job.resume(archive, run_id, workers="many")
    assert archive.info(run_id).state == "finished"
