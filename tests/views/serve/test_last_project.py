import pytest

from ccviz.data.datasets import load
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run
from ccviz.runs.info import summarise
from ccviz.runs.stepper import start
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.share.kept import LastProject
from tests.patience import wait_until


@pytest.fixture
def open_session(tmp_path):
    """Return a function that opens a session, which greets a last_project."""
    archive = Archive(tmp_path / "runs.sqlite")
    sessions = []

    def open_one(last_project):
        sessions.append(Session(archive, RunQueue(), load("iris")))
        importing = Importing(sessions[-1])
        last_project.register(sessions[-1], importing)
        wait_until(lambda: sessions[-1].tick() or not sessions[-1].file_jobs.busy)
        importing.load()  # what lies on the sheet, if there is one
        return sessions[-1]

    yield open_one
    for session in sessions:
        session.close()
    archive.close()


@pytest.mark.slow
def test_the_last_project_is_opened_again(open_session, tmp_path):
    first = LastProject(tmp_path)
    session = open_session(first)
    session.edits.load(load("moons", n=60))
    session.edits.add_links([Link("must", 3, 4)])
    first.save_and_close()
    again = open_session(LastProject(tmp_path))
    assert (again.draft.data.name, again.draft.n) == ("moons", 60)
    assert [link.pair for link in again.draft.links] == [(3, 4)]
    assert not again.archive.runs()


def test_a_file_comes_before_the_last_project_and_only_once(open_session, tmp_path):
    (tmp_path / "mine.csv").write_text("a,b\n" + "1,2\n3,4\n5,7\n" * 5)
    last_project = LastProject(tmp_path, tmp_path / "mine.csv")
    assert open_session(last_project).draft.data.name == "mine"
    assert open_session(last_project).draft.data.name == "iris"


def test_a_run_is_opened_with_its_problem(open_session, tmp_path):
    with Archive(tmp_path / "other.sqlite") as other:
        stepper = start(Problem([[0.0], [1.0], [5.0], [6.0]], 2), "blp-kmeans")
        records = list(stepper)
        run_id = other.create(stepper.problem, "blp-kmeans", {}, dataset="four")
        other.append(run_id, records, summarise(stepper.run))
        export_run(other, run_id, tmp_path / "run.ccviz")
    session = open_session(LastProject(tmp_path, tmp_path / "run.ccviz"))
    assert session.draft.n == 4
    assert session.run.incumbent is not None


def test_a_file_that_cannot_be_read_is_a_notice(open_session, tmp_path):
    session = open_session(LastProject(tmp_path, tmp_path / "gone.csv"))
    assert "gone.csv cannot be read: No such file" in session.notice.text
    assert session.draft.data.name == "iris"
