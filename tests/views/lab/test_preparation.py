from types import SimpleNamespace

import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.runs.warm import turn_to_compile
from ccviz.solvers import SOLVERS
from ccviz.views.draft import draft_of
from ccviz.views.lab import personal_archive
from ccviz.views.lab.personal_archive import KeptDrafts
from ccviz.views.lab.state import Screen, inside, nearest
from ccviz.views.panels import header as preparation
from ccviz.views.panels.header import Preparation, PreparationPanel, awaited_solver
from ccviz.views.person import ALONE, Person


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


# --- Picker ---------------------------------------------------------------------------------------


# A plot ten times as wide in data as it is high, on a square screen.
SCREEN = Screen((0.0, 100.0), (0.0, 10.0), 500.0, 500.0)


def test_nearest_on_the_screen_is_not_nearest_in_the_data():
    x, y = np.array([50.0, 53.0]), np.array([6.0, 5.0])
    at = (50.0, 5.0)
    assert np.hypot(x - at[0], y - at[1]).argmin() == 0  # 50 pixels away
    assert nearest(x, y, at, SCREEN) == 1  # 15 pixels away


def test_a_click_into_the_void_means_nothing():
    assert nearest(np.array([50.0]), np.array([5.0]), (60.0, 5.0), SCREEN) is None


def test_a_reversed_axis_is_as_good():
    screen = Screen((100.0, 0.0), (10.0, 0.0), 500.0, 500.0)
    assert nearest(np.array([50.0, 20.0]), np.array([5.0, 5.0]), (51.0, 5.0), screen) == 0


def test_a_line_goes_around_points():
    x, y = np.array([0.5, 1.5, 0.5, 0.9]), np.array([0.5, 0.5, 1.5, 0.95])
    triangle = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.2)]
    assert inside(x, y, triangle).tolist() == [0]
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    assert inside(x, y, square).tolist() == [0, 3]


# --- Kept drafts ----------------------------------------------------------------------------------


class Page:
    """What a word belongs to."""


def draft(n):
    return draft_of(Dataset("mine", np.zeros((n, 2)), ("a", "b")), 1)


def test_a_draft_is_found_by_its_word_by_its_person_alone():
    drafts, one = KeptDrafts(), draft(4)
    word = drafts.keep(Page(), Person(browser="anna"), one)
    assert drafts.find(word, Person(browser="anna")) is one
    assert drafts.find(word, Person(browser="bert")) is None
    assert drafts.find("another", Person(browser="anna")) is None


def test_a_page_has_one_word_for_its_newest_draft():
    drafts, page = KeptDrafts(), Page()
    word = drafts.keep(page, ALONE, draft(4))
    newest = draft(4)
    assert drafts.keep(page, ALONE, newest) == word
    assert drafts.find(word, ALONE) is newest


def test_the_oldest_goes_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(personal_archive, "MOST_DRAFTS", 2)
    drafts, pages = KeptDrafts(), [Page(), Page(), Page()]
    one, two = (drafts.keep(page, ALONE, draft(4)) for page in pages[:2])
    drafts.keep(pages[0], ALONE, draft(4))
    drafts.keep(pages[2], ALONE, draft(4))
    assert drafts.find(two, ALONE) is None
    assert drafts.find(one, ALONE) is not None


def test_large_tables_count_by_their_size(monkeypatch):
    monkeypatch.setattr(personal_archive, "MOST_VALUES", 100)
    drafts = KeptDrafts()
    one, two = (drafts.keep(Page(), ALONE, draft(40)) for _ in range(2))
    assert drafts.find(one, ALONE) is None
    assert drafts.find(two, ALONE) is not None
