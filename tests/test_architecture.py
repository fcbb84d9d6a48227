"""The picture of the packages, and the way of a click, are those of the sources."""

import importlib
import importlib.util
import itertools
import json
import operator
import os
import re
import sys
import threading
import types
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import panel as pn
import pytest
from bokeh.events import ButtonClick, Tap

from ccviz import Problem, solve
from ccviz.data.datasets import load
from ccviz.runs import worker
from ccviz.runs.archive import Archive
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.frames.scatter import plane
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.panels.base import reactions
from ccviz.views.panels.player import PlayerPanel
from ccviz.views.panels.result import ResultPanel
from ccviz.views.panels.scatter import ScatterPanel
from tests.patience import wait_until
from tests.test_layers import MODULES, ORDER

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def packages():
    """Load the script that draws the picture."""
    spec = importlib.util.spec_from_file_location("packages", ROOT / "docs" / "packages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_of_these_imports(packages):
    drawn = packages.PICTURE.read_text(encoding="utf-8")
    assert drawn == packages.draw(packages.arrows()), "run python docs/packages.py"


def test_every_package_has_a_box(packages):
    shown = {packages.package_of(name) for name in MODULES}
    assert shown == {name for row in packages.ROWS for _, name in row}


def test_no_arrow_goes_up(packages):
    row_of = {name: row for row, boxes in enumerate(packages.ROWS) for _, name in boxes}
    assert all(row_of[here] >= row_of[there] for here, there in packages.arrows())


def test_the_rows_are_in_the_order_of_the_layers(packages):
    named = [name for row in packages.ROWS for _, name in row if f"ccviz.{name}" in ORDER]
    rows = [[name for _, name in row if name in named] for row in packages.ROWS]
    for below, above in itertools.pairwise(rows):
        places = [[ORDER.index(f"ccviz.{each}") for each in row] for row in (below, above)]
        assert max(places[0], default=-1) < min(places[1], default=len(ORDER))


_HOP = re.compile(r"^\| `(ccviz[\w.]+)` \| `([\w.]+)` \|", re.MULTILINE)
_REACTION = re.compile(r"^\| `(\w+)` \| `(\w+)` \|", re.MULTILINE)


def section(title):
    """Return a section of the page on the architecture."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def code_of(module, name):
    """Return the code of a function, a method or a class's constructor."""
    found = operator.attrgetter(name)(importlib.import_module(module))
    found = found.__init__ if isinstance(found, type) else found
    return found.__code__


@contextmanager
def followed(calls):
    """Write down the code of every function of the package that is called in the block."""
    package = str(ROOT / "ccviz")

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(package):
            calls.append(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def assert_in_order(hops, calls):
    """Assert that functions were called one after the other, whatever else was called."""
    ahead = iter(calls)
    for module, name in hops:
        code = code_of(module, name)
        assert any(each is code for each in ahead), f"{name} is not called after those before it"


def pressed(panel, name):
    """Press the button of a name."""
    [button] = [each for each in panel.select(pn.widgets.Button) if each.name == name]
    button.clicks += 1


@pytest.fixture
def session(tmp_path):
    """Return a session with iris, whose workers are forked."""
    path = tmp_path / "runs.sqlite"
    pool = WorkerPool(path, size=0)
    with Archive(path) as archive:
        session = Session(archive, RunQueue(), load("iris"), pool=pool)
        session.set_solver("sdp")
        yield session
        session.close()
    pool.close()


def test_two_clicks_make_a_link_on_the_way_that_is_described(session):
    plot = ScatterPanel(session)
    figure, calls = plot.__panel__().object, []
    where = plane(session.draft, session.x_axis, session.y_axis)
    with followed(calls):
        for point in (0, 141):
            figure._trigger_event(Tap(figure, x=where.x[point], y=where.y[point]))
        [must] = [each for each in figure.references() if getattr(each, "name", "") == "link-must"]
        must._trigger_event(ButtonClick(must))
    assert session.draft.links == (Link("must", 0, 141),)
    hops = _HOP.findall(section("From two clicks to a link"))
    assert len(hops) > 10
    assert_in_order(hops, calls)


def test_a_click_leads_to_a_bound_on_the_way_that_is_described(session, monkeypatch):
    hops = _HOP.findall(section("From a click to a bound"))
    names = [name for _, name in hops]
    drive, back = names.index("drive"), names.index("Session.tick")
    inspection = Inspection(session.archive, session.player)
    player, _result = PlayerPanel(session), ResultPanel(session, inspection, "")
    session.player.pace = "Live"
    calls = []
    with followed(calls):
        pressed(player.__panel__(), "Run")
    assert_in_order(hops[:drive], calls)
    with followed(calls := []):
        wait_until(lambda: session.tick() or not session.needs_tick)
    assert session.run.status == "optimal"
    assert_in_order(hops[back:], calls)
    with followed(calls := []):
        work_here(session, monkeypatch)
    assert_in_order(hops[drive:back], calls)
    assert len(hops) <= 35
    assert len({module for module, _ in hops}) <= 25


def test_a_link_becomes_a_constraint_on_the_way_that_is_described():
    hops = _HOP.findall(section("From a link to a constraint of the bound"))
    traced = [hop for hop in hops if hop[1] != "forbid"]  # which is compiled
    assert len(traced) == len(hops) - 1 > 10
    X = np.random.default_rng(0).normal(size=(40, 2))
    with followed(calls := []):
        solve(
            Problem(X, 3, must_link=[(0, 1)], cannot_link=[(2, 3), (4, 5)]), "sdp", progress=False
        )
    assert_in_order(traced, calls)


def work_here(session, monkeypatch):
    """Do what a worker does with a run, in this process."""
    problem, solver = session.draft.problem, session.solver
    run_id = session.archive.create(problem, solver.name, {}, seed=0)
    here, parent = os.pipe()  # the parent's end stays open: its death would end this process
    os.write(parent, json.dumps({"run": run_id}).join(["run ", "\n"]).encode())
    with monkeypatch.context() as only:
        only.setattr(sys, "stdin", types.SimpleNamespace(fileno=lambda: here))
        worker.drive(str(session.archive.path))


def test_the_panels_that_follow_an_edit_are_listed():
    importlib.import_module("ccviz.views.page.shell")
    listed = _REACTION.findall(section("From two clicks to a link"))
    ours = {each for each in reactions("draft") if each[0] != "Listener"}  # a test's
    assert sorted(listed) == sorted(ours)


def test_files_and_modules_that_the_pages_name_exist():
    made = {"ccviz/data/shipped", "ccviz/packs", "docs/_build/html"}  # by `make`, or by the reader
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text("utf-8")
        files = re.findall(r"`((?:ccviz|tests|tools|benchmarks|docs)/[\w/.-]+)`", text)
        modules = re.findall(
            r"`((?:sdp|relaxation|search|colgen|proof|runs)\.(?!md|csv|sqlite)[a-z_]+)(?:\.\w+)*`",
            text,
        )
        assert [name for name in files if name not in made and not (ROOT / name).exists()] == []
        homes = (ROOT / "ccviz", ROOT / "ccviz" / "solvers")
        stems = [name.replace(".", "/") for name in modules]
        missing = [stem for stem in stems if not any(list(home.glob(f"{stem}*")) for home in homes)]
        assert missing == [], page.name
