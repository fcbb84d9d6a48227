"""Runs, run files, projects and addresses that version 0.1 wrote still open, and say the same."""

import json
import shutil
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from ccviz.data import load
from ccviz.proof.verify import verify
from ccviz.runs.archive import Archive
from ccviz.runs.file import import_run
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.share.address import apply_query, query
from ccviz.views.share.project import read_project, take_project

WRITTEN = Path(__file__).parent / "v0_1"
WANTED = json.loads((WRITTEN / "want.json").read_text(encoding="utf-8"))


def open_project(session, name, content):
    """Do at once what the page lets another process do."""
    with session.reporting_errors():
        take_project(session, read_project(content, name, session.archive.path, session.person))


@pytest.fixture
def archive(tmp_path):
    """Return the archive of version 0.1, in a place where it may be written to."""
    shutil.copy(WRITTEN / "runs.sqlite", tmp_path)
    with Archive(tmp_path / "runs.sqlite") as archive:
        yield archive


@pytest.fixture
def session(tmp_path):
    session = Session(Archive(tmp_path / "new.sqlite"), RunQueue(), load("iris"))
    yield session
    session.close()
    session.archive.close()


def what_it_came_to(archive, run_id):
    run = archive.load(run_id)
    return {
        "status": run.status,
        "objective": pytest.approx(run.objective),
        "lower": pytest.approx(run.lower_bound),
        "records": run.seq + 1,
    }


def wanted(solver):
    return {key: WANTED[solver][key] for key in ("status", "objective", "lower", "records")}


@pytest.mark.parametrize("solver", WANTED)
def test_a_run_of_the_archive_is_the_same_run(archive, solver):
    run_id = WANTED[solver]["id"]
    assert wanted(solver) == what_it_came_to(archive, run_id)
    assert archive.info(run_id).name == f"{solver} of 0.1"


@pytest.mark.parametrize("path", sorted(WRITTEN.glob("*.ccviz")), ids=lambda path: path.stem)
def test_a_run_file_is_imported_as_the_same_run(archive, path):
    run_id = import_run(archive, path)
    assert wanted(path.stem) == what_it_came_to(archive, run_id)


@pytest.mark.parametrize("solver", ["sdp", "colgen"])
def test_a_proof_is_still_accepted(archive, solver):
    run_id = WANTED[solver]["id"]
    events = (record.event for record in archive.records(run_id))
    assert verify(archive.problem(run_id), events).accepted


def of(address):
    """Return the parameters of an address; their order has no meaning."""
    return sorted(parse_qsl(address))


def test_a_project_opens(session):
    open_project(session, "project.ccvizlab", (WRITTEN / "project.ccvizlab").read_bytes())
    assert session.notice is None
    # The project has k-means++, which was the default then: an address now names it.
    written = (WRITTEN / "address.txt").read_text(encoding="utf-8").strip()
    assert of(query(session)) == of(f"{written}&set.init=k-means%2B%2B")


def test_an_address_opens(session):
    address = (WRITTEN / "address.txt").read_text(encoding="utf-8").strip()
    apply_query(session, dict(parse_qsl(address)))
    assert of(query(session)) == of(address)
