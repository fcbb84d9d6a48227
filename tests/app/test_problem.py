"""The current problem in a real browser: links in bulk, data, undo, and what is shared."""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from ccviz.data.datasets import BUNDLED, GENERATORS, load
from tests.app.driver import EMPTY, Lab

pytestmark = pytest.mark.browser

LINK_TOOLS = "More ways to link"


def facts(lab):
    return lab.page.locator(".facts").inner_text()


def see_links(lab, words):
    lab.see(re.compile(f"^{words}$"))


def pairs(lab):
    """Return the links of the list: kind, two points, weight; the newest first."""
    # All at one moment: between two looks at the page the list may have changed.
    rows = lab.page.locator(".links li.given").evaluate_all(
        "(items) => items.map((item) => [item.querySelector('line').classList[0],"
        " item.querySelector('.pair').textContent, item.querySelector('input').value])"
    )
    return [(kind, *map(int, pair.split(" – ")), weight) for kind, pair, weight in rows]


# --- Links ----------------------------------------------------------------------------------


def test_a_box_links_a_group_and_the_links_are_exported(lab, open_lab, tmp_path):
    lab.take_tool("Box Select")
    lab.drag((-3.5, 1.0), (-2.0, 1.45))
    lab.see("3 points")
    lab.press("Cannot-link (C)")
    see_links(lab, "0 must-links, 3 cannot-links")
    lab.page.get_by_text(LINK_TOOLS).click()
    lab.fill("Weight of new links", "2.5")
    box = lab.page.get_by_label("Pick points by number or name")
    box.fill("0 140")
    box.press("Enter")
    lab.see("points 0 and 140")
    lab.press("Must-link (M)")
    see_links(lab, "1 must-link, 3 cannot-links")
    made = pairs(lab)
    assert made[0] == ("must", 0, 140, "2.5")

    with lab.page.expect_download() as download:
        lab.page.get_by_text("Export", exact=True).click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "links.txt"
    assert "ML 0 140 2.5" in path.read_text().splitlines()
    other = open_lab()
    other.page.get_by_text(LINK_TOOLS).click()
    other.page.get_by_label("Drop links, or choose a file").set_input_files(path)
    see_links(other, "1 must-link, 3 cannot-links")
    assert sorted(pairs(other)) == sorted(made)


def test_links_are_drawn_with_noise(lab):
    lab.page.get_by_text(LINK_TOOLS).click()
    lab.fill("How many", "40")
    lab.fill("Share wrong", "0.25")
    lab.fill("Weight of new links", "0.5")
    lab.press("Draw from classes")
    lab.see(re.compile(r"^\d+ must-links, \d+ cannot-links$"))
    drawn, truth = pairs(lab), load("iris").truth
    wrong = [kind for kind, i, j, _ in drawn if (truth[i] == truth[j]) != (kind == "must")]
    assert len(drawn) == 40
    assert len(wrong) in (9, 10, 11)  # a quarter of each kind, rounded
    assert {weight for *_, weight in drawn} == {"0.5"}
    assert lab.drawn("must") + lab.drawn("cannot") == 40
    assert set(lab.source("must", "x0")["width"]) == {1}  # soft links are thin


def test_thousands_of_links_are_a_picture_and_a_group_is_one_row(lab, picture):
    lab.take_tool("Box Select")
    lab.drag((-3.5, 0.5), (-2.0, 1.45))
    lab.press("Must-link (M)")
    group = lab.page.locator(".links li.given")
    group.filter(has_text=re.compile(r"\d+ points: ")).wait_for()
    assert group.count() == 1
    picture(lab.page, "group")
    group.hover()
    group.get_by_role("button").click()
    group.wait_for(state="detached")
    lab.page.get_by_text(LINK_TOOLS).click()
    lab.fill("How many", "5000")
    lab.press("Draw from classes")
    lab.see(re.compile("drawn as a picture"))
    lab.wait_for(lambda: len(lab.source("link density", "image")["image"]) == 1)
    assert lab.drawn("must") + lab.drawn("cannot") == 0
    picture(lab.page, "many")
    lab.choose("Which links are drawn", "Only broken")
    lab.wait_for(lambda: len(lab.source("link density", "image")["image"]) == 0)


def test_a_row_of_the_list_shows_its_button_even_where_it_is_broken(open_lab):
    lab = open_lab("?data=iris&k=3&ml=0-60*0.05&cl=117-131*0.012345,1-2*0.01&solver=pck-means")
    lab.run()
    wide = lab.page.locator(".links li.broken").filter(has_text="117 – 131")
    wide.wait_for()
    fits = "(list) => list.scrollWidth <= list.clientWidth"
    assert lab.page.locator(".links").evaluate(fits)
    # As narrow as beside the scroll bars of a long list.
    lab.page.locator(".links").evaluate("(list) => { list.style.width = '222px' }")
    assert lab.page.locator(".links").evaluate(fits)
    wide.hover()
    assert wide.get_by_role("spinbutton").bounding_box()["width"] > 40


# --- Undo -----------------------------------------------------------------------------------


INPUTS = ("Clusters k", "Sizes", "Features")
MINE = "mine · 9 points · 2 features · k = "
LINK = ("must", 3, 140)


def inputs(lab):
    """Return what stands in the fields of the problem."""
    return {label: lab.page.get_by_label(label, exact=True).first.input_value() for label in INPUTS}


def test_everything_is_undone_and_done_again(lab):
    def state():
        return [facts(lab), inputs(lab), pairs(lab), lab.points()["x"]]

    def weigh(value):
        lab.weigh_link("must-link 3-140", value)

    def becomes(expected):
        with suppress(AssertionError):
            lab.wait_for(lambda: state() == expected)
        assert state() == expected

    # Each gesture with what tells that all of it is there.
    plain = lab.points()["x"]
    gestures = [
        (lambda: lab.link("must", 3, 140), lambda: pairs(lab) == [(*LINK, "")]),
        (lambda: weigh("4"), lambda: pairs(lab) == [(*LINK, "4")]),
        (
            lambda: lab.delete_link("must-link 3-140"),
            lambda: pairs(lab) == [],
        ),
        (
            lambda: lab.fill("Sizes", "50, 50, 50"),
            lambda: inputs(lab)["Sizes"] == "50, 50, 50",
        ),
        (
            lambda: lab.fill("Clusters k", "5"),  # which frees the sizes
            lambda: facts(lab).endswith("k = 5") and inputs(lab)["Sizes"] == "",
        ),
        (
            lambda: lab.choose("Features", "mean 0, deviation 1"),
            lambda: lab.points()["x"] != plain,
        ),
        (
            lambda: lab.choose("Data set", "wine"),
            lambda: facts(lab).startswith("wine") and len(lab.points()["x"]) == 178,
        ),
        (
            lambda: lab.take_table("mine.csv", b"a,b\n" + b"1,2\n3,4\n5,7\n" * 3),
            lambda: facts(lab).startswith(MINE) and len(lab.points()["x"]) == 9,
        ),
    ]
    states = [state()]
    for gesture, done in gestures:
        gesture()
        lab.wait_for(done)
        states.append(state())
    for before in reversed(states[:-1]):
        lab.press("Undo")
        becomes(before)
    lab.page.get_by_role("button", name="Undo", exact=True, disabled=True).wait_for()
    for after in states[1:]:
        lab.page.keyboard.press("Shift+Z")
        becomes(after)
    lab.page.get_by_role("button", name="Redo", exact=True, disabled=True).wait_for()


# --- Data -----------------------------------------------------------------------------------


def test_every_data_set_is_drawn_on_features_and_components(lab, picture):
    for name in (*BUNDLED, *GENERATORS):
        lab.choose("Data set", name.replace("_", " "))
        lab.see(re.compile(rf"^{name} · [\d,]+ points?"))
        n = len(load(name, **({"n": 300} if name in GENERATORS else {})).X)
        lab.wait_for(lambda n=n: len(lab.points()["x"]) == n)
    lab.choose("Data set", "iris")
    lab.wait_for(lambda: len(lab.points()["x"]) == 150)
    iris = load("iris")
    lab.choose("Across", "sepal width (cm)")
    lab.choose("Up", "petal length (cm)")
    lab.wait_for(lambda: lab.points()["x"] == iris.X[:, 1].tolist())
    lab.wait_for(lambda: lab.points()["y"] == iris.X[:, 2].tolist())
    lab.page.get_by_role("figure", name="sepal width (cm) across, petal length (cm) up").wait_for()
    lab.choose("Up", "PC 1")
    lab.wait_for(lambda: abs(np.mean(lab.points()["y"])) < 1e-9)
    lab.choose("Features", "from 0 to 1")
    lab.wait_for(lambda: (min(lab.points()["x"]), max(lab.points()["x"])) == (0, 1))
    picture(lab.page, "scaled")
    lab.choose("Solver", "BLP k-means")
    lab.fill("Sizes", "40-60, 40-60, 30-70")
    lab.run()
    sizes = np.sort(np.bincount(lab.labels()))
    assert sizes.sum() == 150
    assert sizes[0] >= 30
    assert sizes[1] >= 40
    assert sizes[2] <= 70


def test_another_data_set_and_its_k_come_in_one_message(new_page, server):
    # Otherwise a k that is typed as soon as the points are there is overwritten by theirs.
    heard, page = [], new_page()

    def hear(frame):
        heard.append(frame)

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    lab = Lab(page, f"{server.url}{EMPTY}")
    lab.choose("Data set", "digits")
    lab.see("1,797 points")
    (answer,) = (each for each in heard if isinstance(each, str) and "1,797 points" in each)
    assert 10 in [event.get("new") for event in json.loads(answer)["events"]]
    lab.fill("Clusters k", "21")
    lab.see("k = 21")
    lab.assert_clean()


def test_the_data_are_saved_and_read_again(lab, tmp_path):
    lab.room("Share")
    with lab.page.expect_download() as download:
        lab.page.get_by_text("Data as CSV").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "iris.csv"
    lab.take_table("again.csv", path.read_bytes())
    lab.see("again · 150 points · 4 features · k = 3")


# --- Sharing --------------------------------------------------------------------------------


def test_the_address_opens_the_same_laboratory_elsewhere(lab_of, open_lab):
    lab = lab_of("?data=wine&k=4&ml=0-5&cl=3-100*2&scaling=standard&solver=sdp")
    lab.fill("Seed", "11")
    lab.fill("Time limit, s", "30")
    lab.page.get_by_text("More settings").click()
    lab.fill("Node limit", "40")
    lab.fill("Stop at the gap", "0.01")
    lab.fill("Tolerance", "0.001")
    lab.choose("Up", "PC 3")
    lab.room("Share")
    lab.see("limit.gap=0.01")
    lab.see("set.tolerance=0.001")
    shared = lab.page.locator("pre").first.inner_text()
    query = shared[shared.index("?") :]
    other = open_lab(query)
    assert facts(other) == facts(lab) == "wine · 178 points · 13 features · k = 4"
    assert pairs(other) == pairs(lab)
    assert other.points() == lab.points()
    other.page.get_by_text("More settings").click()
    for label in ("Solver", "Seed", "Time limit, s", "Node limit", "Stop at the gap", "Tolerance",
                  "Features", "Up"):  # fmt: skip
        values = [each.page.get_by_label(label, exact=True).first.input_value()
                  for each in (lab, other)]  # fmt: skip
        assert values[0] == values[1], label
    other.room("Share")
    other.see("set.tolerance=0.001")
    again = other.page.locator("pre").first.inner_text()
    assert again[again.index("?") :].replace("=30.0&", "=30&") == query


def test_the_command_line_makes_the_same_run(lab, tmp_path, server):
    lab.link("cannot", 3, 140)
    lab.page.get_by_text("3 – 140").wait_for()
    lab.choose("Solver", "BLP k-means")
    lab.fill("Seed", "5")
    lab.run()
    shown = re.search(r"Cost\s+([\d.]+)", lab.card)[1]
    lab.page.get_by_text(LINK_TOOLS).click()
    with lab.page.expect_download() as download:
        lab.page.get_by_text("Export", exact=True).click()
    download.value.save_as(tmp_path / "links.txt")
    lab.room("Share")
    lab.see("ccviz solve iris")
    command = lab.page.locator("pre").nth(2).inner_text().split()
    assert command[0] == "ccviz"
    done = subprocess.run(
        [Path(sys.executable).with_name("ccviz"), *command[1:]],
        cwd=tmp_path, env=os.environ | {"CCVIZ_HOME": str(server.home)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown in done.stdout


def test_points_are_left_out_grey_with_a_word_in_the_legend(lab):
    lab.page.get_by_text("More settings").click()
    lab.fill("Points that may be left out", "5")
    lab.run()
    lab.see("left out: 5")
    lab.wait_for(lambda: lab.labels().count(-1) == 5)
    assert set(lab.labels()) == {-1, 0, 1, 2}
    lab.room("Clusters")
    lab.assert_clean()


def test_a_centre_is_fixed_and_the_run_is_proved(lab):
    lab.choose("Solver", "Column generation")
    lab.page.get_by_text("More settings").click()
    lab.fill("Fixed centres", "5, 3.4, 1.5, 0.2; 6.6, 3, 5.6, 2; 5.9, 2.8, 4.3, 1.3")
    lab.run()
    lab.wait_for(lambda: set(lab.labels()) == {0, 1, 2})
    assert len(lab.labels()) == 150
    assert "optimal" in lab.card.lower()
    for room in ("Clusters", "Inside the solver", "Runs"):
        lab.room(room)
    lab.assert_clean()
