"""Files are read elsewhere, within limits, and what comes of it is taken in a tick."""

import io
import os
import resource
import signal
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import psutil
import pytest

from ccviz import start
from ccviz.data.datasets import load
from ccviz.errors import CcvizError
from ccviz.quota import ONE_PERSON, STUDENT
from ccviz.runs.file import export_run
from ccviz.runs.fork_client import ForkClient
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.lab import queued_call
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.loading import draw_links, load_links
from ccviz.views.lab.personal_archive import import_for
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.sandboxed_call import SandboxedCall
from ccviz.views.lab.session import Session
from ccviz.views.panels.data import DataPanel
from ccviz.views.person import Person
from ccviz.views.share.address import apply_query
from tests.patience import PATIENCE_S, tick_until, wait_until
from tests.views.person import At

MEMORY = ONE_PERSON.reading_bytes


@pytest.fixture
def session(archive, forks):
    session = Session(archive, RunQueue(), load("iris"), Person("ann"), pool=forks)
    yield session
    session.close()


def read_in(session):
    """Tick the session until its file job has ended."""
    tick_until(session, lambda: not session.file_jobs.busy)


def csv(rows):
    return "".join(f"{x},{x * x % 7}\n" for x in range(rows)).encode()


def take(session, name, content):
    """Bring a table and load it as it is proposed."""
    importing = Importing(session)
    importing.read_file(name, content)
    importing.load()


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """Return those of a server, whose fork server has loaded everything."""
    pool = WorkerPool(tmp_path_factory.mktemp("pool") / "runs.sqlite")
    yield pool
    pool.close()


@pytest.fixture(params=["forked", pytest.param("new", marks=pytest.mark.slow)])
def answer(request, pool):
    """Return a function that has an call done, and returns its answer."""
    if request.param == "forked" and not ForkClient.possible:
        pytest.skip("no forks on this system")

    def answer_of(work, *args, seconds=PATIENCE_S, memory=MEMORY):
        call = SandboxedCall(
            work, args, seconds, memory, pool if request.param == "forked" else None
        )
        wait_until(lambda: call.done)
        return call.answer()

    return answer_of


def test_a_call_brings_its_answer_and_keeps_to_its_memory(answer):
    assert answer(np.arange, 5).tolist() == [0, 1, 2, 3, 4]
    assert answer(resource.getrlimit, resource.RLIMIT_DATA) == (MEMORY, MEMORY)
    assert answer(os.getsid, 0) != os.getsid(0)


@pytest.mark.skipif(not ForkClient.possible, reason="no forks on this system")
def test_a_call_whose_fork_server_is_lost_is_run_by_a_new_interpreter(pool):
    server = pool.fork_client()
    os.kill(server.pid, signal.SIGSTOP)
    call = SandboxedCall(np.arange, (5,), PATIENCE_S, MEMORY, pool)
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: call.done)
    assert call.answer().tolist() == [0, 1, 2, 3, 4]


@pytest.mark.skipif(not ForkClient.possible, reason="no forks on this system")
def test_a_call_that_is_left_is_ended(pool):
    call = SandboxedCall(time.sleep, (PATIENCE_S,), PATIENCE_S, MEMORY, pool)
    doing = psutil.Process(call.pid)
    call.close()
    wait_until(lambda: not doing.is_running())


@pytest.mark.parametrize(
    ("work", "args", "limits", "sentence"),
    [
        (load, ("nowhere " * 999,), {}, "there is no data set"),
        (time.sleep, (60,), {"seconds": 0.0}, "more than 0 seconds"),
        (bytearray, (1 << 30,), {"memory": 1 << 28}, "more memory"),
        (os._exit, (1,), {}, "cannot be read"),
        (int, ("x",), {}, "cannot be read"),
    ],
)
def test_a_call_ends_in_a_sentence(work, args, limits, sentence, answer):
    with pytest.raises(CcvizError, match=sentence) as refused:
        answer(work, *args, **limits)
    assert len(str(refused.value)) <= 500
    assert not [
        each for each in psutil.Process().children() if "sandboxed_call" in str(each.cmdline())
    ]


def test_a_small_file_is_read_at_once(session):
    take(session, "small.csv", csv(50))
    assert not session.file_jobs.busy
    assert session.draft.n == 50


def test_a_large_file_is_read_elsewhere(session, monkeypatch):
    monkeypatch.setattr(queued_call, "_SMALL_BYTES", 0)
    importing = Importing(session)
    importing.read_file("large.csv", csv(300))
    assert session.draft.data.name == "iris"
    assert session.notice.text == "large.csv is being read…"
    assert session.needs_tick
    importing.read_file("another.csv", csv(30))
    assert session.notice.text == "The previous file is still being read or written."
    read_in(session)
    importing.load()
    assert (session.draft.data.name, session.draft.n, session.notice) == ("large", 300, None)
    load_links(session, "links.txt", b"ML 0 1\nCL 2 300\n")
    read_in(session)
    assert "links.txt: line 2 names point 300" in session.notice.text


def test_a_file_of_few_bytes_may_hold_much(session):
    table = io.BytesIO()
    pd.DataFrame({"a": np.zeros(100_000), "b": np.zeros(100_000)}).to_parquet(table)
    assert len(table.getvalue()) < queued_call._SMALL_BYTES
    Importing(session).read_file("zeros.parquet", table.getvalue())
    assert session.file_jobs.busy
    read_in(session)
    assert session.notice.text == "100,000 points are more than the 50,000 that are allowed here."
    assert session.draft.data.name == "iris"


def test_who_leaves_takes_the_work_along(session, monkeypatch):
    monkeypatch.setattr(queued_call, "_SMALL_BYTES", 0)
    Importing(session).read_file("large.csv", csv(300))
    session.close()
    assert not session.file_jobs.busy
    assert not [
        each for each in psutil.Process().children() if "sandboxed_call" in str(each.cmdline())
    ]


def test_more_than_the_quota_is_refused(session, monkeypatch):
    quota = replace(STUDENT, file_bytes=300, links=2)
    monkeypatch.setattr("ccviz.views.person.STUDENT", quota)
    session.file_jobs = queued_call.FileJobs(quota)
    Importing(session).read_file("large.csv", csv(300))
    assert "bytes in a file are more than the 300" in session.notice.text
    load_links(session, "links.txt", b"ML 0 1\nML 1 2\nML 3 4\n")
    assert "3 links are more than the 2" in session.notice.text
    draw_links(session, 1_000_000_000)
    assert "1,000,000,000 links are more than the 2" in session.notice.text
    assert session.draft.links == ()


@pytest.mark.parametrize(
    ("n", "words"),
    [
        ("50000000", "50,000,000 generated points are more"),
        ("20001", "20,001 generated points are more"),
        ("9" * 5000, "no whole number"),
    ],
)
def test_an_address_asks_for_no_more_than_that(session, n, words):
    apply_query(session, {"data": "blobs", "n": n})
    assert words in session.notice.text
    assert len(session.notice.text) < 200
    assert session.draft.data.name == "iris"


def test_nor_does_a_page_that_was_tampered_with(session):
    panel = DataPanel(session, Importing(session))
    panel._n.param["value"].bounds = panel._n.end = None
    At(panel)["Data set"].value = "blobs"
    panel._n.value = 50_000_000
    assert "50,000,000 generated points are more than" in session.notice.text


def test_an_imported_run_is_ones_own(session, tmp_path):
    run_id = session.archive.create(session.draft.problem, "blp-kmeans", {})
    session.archive.append(run_id, list(start(session.draft.problem)), None)
    export_run(session.archive, run_id, tmp_path / "run.ccviz")
    content = (tmp_path / "run.ccviz").read_bytes()
    imported = []
    session.import_runs("run.ccviz", import_for, content, then=imported.append)
    read_in(session)
    assert session.archive.info(imported[0]).owner == "ann"
    session.import_runs("bad.ccviz", import_for, content[:-1], then=imported.append)
    read_in(session)
    assert session.notice.text == "bad.ccviz holds no sound run: it breaks off in the middle."
    assert len(session.archive.runs()) == 2
