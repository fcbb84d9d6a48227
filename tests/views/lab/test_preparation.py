from types import SimpleNamespace

import pytest

from ccviz.runs.warm import turn_to_compile
from ccviz.solvers import SOLVERS
from ccviz.views.panels import header as preparation
from ccviz.views.panels.header import Preparation, PreparationPanel, awaited_solver


class Lane:
    """A process that compiles until it is told to end."""

    def __init__(self):
        self.ended = None

    def poll(self):
        return self.ended

    def terminate(self):
        self.ended = -15


@pytest.fixture
def lane(tmp_path, monkeypatch):
    """Find nothing compiled, and one process at it."""
    lane = Lane()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("ccviz.runs.warm.find_pack", lambda: None)
    monkeypatch.setattr(preparation, "start_compiling", lambda: [lane])
    monkeypatch.setattr(preparation.atexit, "register", lambda _: None)
    return lane


def session(state="running", last=-1, solver="sdp"):
    """Return a session whose run has come as far as that."""
    shot = SimpleNamespace(last=last, info=SimpleNamespace(solver=solver))
    busy = state in ("queued", "running", "paused")
    return SimpleNamespace(
        runner=SimpleNamespace(busy=busy), player=SimpleNamespace(shot=shot if state else None)
    )


def done(name):
    with turn_to_compile(name):
        pass


def test_it_counts_what_is_ready(lane):
    server = Preparation()
    assert f"0 of {len(SOLVERS)} are ready" in server.words()
    done("sdp")
    assert f"1 of {len(SOLVERS)} are ready" in server.words()
    assert "sdp" not in server.missing


def test_it_is_silent_once_all_is_ready_or_nobody_is_at_it(lane):
    server = Preparation()
    lane.ended = 0
    assert server.words() == ""
    assert server.missing == ()


def test_a_run_says_what_it_waits_for(lane):
    server = Preparation()
    assert "inner loops of sdp" in server.words("sdp")
    done("sdp")
    assert "inner loops" not in server.words("sdp")


def test_closing_ends_the_compiling(lane):
    Preparation().close()
    assert lane.ended is not None


def test_a_run_is_awaited_until_its_first_record():
    assert awaited_solver(session()) == "sdp"
    assert awaited_solver(session(last=0)) == ""
    assert awaited_solver(session("ended")) == ""
    assert awaited_solver(session("")) == ""


def test_the_line_comes_and_goes(lane):
    server, mine = Preparation(), session("")
    line = PreparationPanel(mine, server)
    shown = line.__panel__()
    assert "Compiling the solvers" in shown.object
    mine.runner.busy, mine.player.shot = True, session().player.shot
    line.tick()
    assert "The run compiles the inner loops of" in shown.object
    done("sdp")
    lane.ended = 0
    line.tick()
    assert shown.object == ""
