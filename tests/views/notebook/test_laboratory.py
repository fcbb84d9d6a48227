import asyncio
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import psutil
import pytest

from ccviz import CcvizError, explore
from ccviz.views.notebook.laboratory import Laboratory
from tests.patience import PATIENCE_S, wait_until

EVIL = "</script><img src=x onerror='window.hit = 1'>"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))


@pytest.fixture
def explored(problem, labels):
    laboratory = explore(problem.X, 3, must_link=[(0, 3)], cannot_link=[(0, 1)], truth=labels)
    yield laboratory
    laboratory.close()


def say(laboratory, *messages):
    """Send what the buttons and keys of the cell send."""
    for message in messages:
        laboratory._handle_custom_msg(message, [])


def test_it_begins_with_what_was_given(explored, labels):
    given = explored.problem
    assert explored.links == [("must", 0, 3), ("cannot", 0, 1)]
    assert given.truth.tolist() == labels.tolist()
    assert (explored.run, explored.labels, explored.result) == (None, None, None)


def test_a_table_brings_names_and_columns_are_meant_by_rules(problem):
    table = pd.DataFrame(problem.X, columns=["wide", "tall"])
    table["tall"] -= table["tall"].min()
    table.index = [f"P{i}" for i in range(len(table))]
    laboratory = explore(
        table, 3, must_link=[("P0", "P3", 0.5)], sizes="10-20", rules=["size<=18"],
        weights=np.arange(1, 41), scaling="range", axes=("tall", "PC 1"),
    )  # fmt: skip
    draft = laboratory.session.draft
    assert draft.data.features == ("wide", "tall")
    assert draft.data.names[:2] == ("P0", "P1")
    assert laboratory.links == [("must", 0, 3, 0.5)]
    assert laboratory.problem.sizes.upper.tolist() == [18, 18, 18]
    assert laboratory.problem.weights.tolist() == list(range(1, 41))
    assert (laboratory.problem.X.min(), laboratory.problem.X.max()) == (0.0, 1.0)
    shown = laboratory._state
    assert shown["fields"]["across"] == "tall"
    assert shown["fields"]["sizes"] == "10-20"
    assert shown["asked"] == "size<=18; points have weights"
    laboratory.close()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"scaling": "log"}, "log"),
        ({"axes": ("x0", "x9")}, "x9"),
        ({"names": ["a"]}, "there are 1 names, but 40 points"),
        ({"rules": ["sum(age)<=3"]}, "no column 'age'"),
        ({"k": 41}, "more than the 40 points"),
    ],
)
def test_what_is_malformed_is_a_sentence(problem, wrong, words):
    with pytest.raises(CcvizError, match=words):
        explore(problem.X, **{"k": 3} | wrong)


def test_two_clicks_and_a_key_are_a_link(explored):
    say(explored, {"pick": 4}, {"pick": 7})
    assert explored._state["picked"] == (4, 7)
    say(explored, {"key": "m"})
    assert explored.links[-1] == ("must", 4, 7)
    assert [4, 7] in explored.problem.must_link.pairs.tolist()
    say(explored, {"key": "z"})
    assert len(explored.links) == 2
    say(explored, {"key": "y"})
    assert len(explored.links) == 3


def test_links_are_set_in_python(explored):
    seen = []
    explored.observe(lambda change: seen.append(change.new), "links")
    explored.links = [["cannot", 9, 5, 2.0]]
    assert explored.links == [("cannot", 5, 9, 2.0)] == seen[-1]
    assert explored.problem.cannot_link.weights.tolist() == [2.0]
    for wrong, words in (
        ([("must", 5, 9), ("cannot", 5, 9)], "contradicts"),
        ([("may", 1, 2)], "is no link"),
        ([("must", 1.5, 2)], "is no link"),
        ([("must", 1, 99)], "99"),
    ):
        with pytest.raises(CcvizError, match=words):
            explored.links = wrong
        assert explored.links == [("cannot", 5, 9, 2.0)]


def test_fields_change_the_problem(explored):
    say(explored, {"k": 4}, {"sizes": "10"}, {"solver": "bh-kmeans"}, {"axes": ["x1", "PC 1"]})
    fields = explored._state["fields"]
    assert fields["k"] == 4
    assert fields["sizes"] == "10"
    assert (fields["solver"], fields["across"], fields["up"]) == ("bh-kmeans", "x1", "PC 1")


def test_what_no_button_sends_changes_nothing(explored):
    before = explored._state
    for message in ({"pick": 10**9}, {"scaling": EVIL}, {"key": EVIL}, {"pick": "3"}, EVIL, None):
        say(explored, message)
    assert explored._state == before
    say(explored, {"axes": [EVIL, "x0"]})
    assert EVIL in explored._state["notice"]["text"]  # which is text in the cell, not markup


def test_a_run_to_its_end(explored):
    explored.start("ipc-kmeans", seed=3)
    assert explored.wait(PATIENCE_S)
    assert explored.labels.tolist() == explored.result.labels.tolist()
    assert explored.result.partition.violations.none_hard
    assert explored.run.finished is not None
    assert explored.run.started.seed == 3
    before = explored._story
    assert not explored._beat()
    assert explored._story is before  # nothing new is not sent again


def test_a_run_is_stopped(explored):
    explored.start("sdp", tolerance=0.0)
    assert explored.result is None
    say(explored, {"stop": True})
    assert explored.wait(PATIENCE_S)
    assert explored.result.termination in ("interrupted", "proved")


def test_the_loop_of_the_kernel_brings_the_result(explored):
    async def kernel():
        say(explored, {"solver": "ipc-kmeans"}, {"run": True})
        while explored.result is None:
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(kernel(), PATIENCE_S))
    assert len(explored.labels) == 40


def test_what_cannot_be_is_said(explored):
    with pytest.raises(CcvizError, match=r"(?i)there is no solver 'nothing'"):
        explored.start("nothing")
    with pytest.raises(CcvizError, match="seed"):
        explored.start(seed=-1)


def test_the_cell_shows_a_widget_and_a_picture(explored):
    explored.start("ipc-kmeans")
    explored.wait(PATIENCE_S)
    bundle, _ = explored._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    picture = bundle["image/svg+xml"]
    assert picture.count("<circle") == explored.problem.n
    assert picture.count("<line") == 2
    assert "needs a viewer of anywidgets; .save('picture.png') draws it>" in bundle["text/plain"]


@pytest.mark.slow
def test_its_picture_is_saved(explored, tmp_path):
    explored.save(tmp_path / "before.svg")
    explored.links = []
    explored.save(tmp_path / "after.svg")
    before, after = ((tmp_path / f"{name}.svg").read_bytes() for name in ("before", "after"))
    assert before.startswith(b"<?xml")
    assert before != after
    with pytest.raises(CcvizError, match="pdf, png, svg"):
        explored.save(tmp_path / "picture.gif")


def test_questions_are_asked(explored):
    explored.ask()
    wait_until(
        lambda: (
            explored._beat() in (True, False) and "belong together?" in explored._state["asking"]
        )
    )
    pair = explored.session.asking.pair
    say(explored, {"key": "c"})
    assert ("cannot", *sorted(pair)) in explored.links


def test_the_module_has_no_place_for_what_a_file_brings(explored):
    assert isinstance(explored, Laboratory)
    assert "innerHTML" not in explored._esm
    assert "https://" not in explored._esm.replace("https://www.w3.org", "")


LEAVES = """
import os, sys
from ccviz import explore
import numpy as np
explorer = explore(np.random.default_rng(0).normal(size=(200, 2)), 5)
explorer.start("sdp", tolerance=0.0)
print(explorer.session.runner.pid, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("how", ["killed", "in good order"])
@pytest.mark.slow
def test_a_kernel_that_ends_leaves_no_child(how, tmp_path):
    kernel = subprocess.run(
        [sys.executable, "-c", LEAVES, how], check=False,
        env=os.environ | {"CCVIZ_HOME": str(tmp_path)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    worker = int(kernel.stdout)
    wait_until(lambda: not psutil.pid_exists(worker))
