"""A lesson is written on the page, sent by its address, and taken in a page with less on it."""

import re

import pytest

from tests.app.driver import EMPTY, Lab
from tests.app.test_accessibility import faults
from tests.app.test_safety import CLEAN, INJECTED, SCRIPT

pytestmark = pytest.mark.browser
HIDDEN = "data,links,rules,solver"


def test_a_lesson_is_written_and_sent_by_its_address(lab, new_page):
    lab.choose("Lesson", "Write or open a lesson…")
    lab.page.get_by_label("Title", exact=True).fill(SCRIPT)
    lab.page.get_by_label("What to do, and why").fill(f"Run it. {SCRIPT}")
    lab.page.get_by_label("Where to look").select_option("Clusters")
    lab.press("Add this step")
    lab.see("1 step")
    assert not faults(lab)
    lab.press("data")
    lab.press("Make the address")
    lab.see("Opens the page with the lesson.")
    address = lab.page.get_by_text(re.compile(r"^http\S+lesson=")).inner_text()
    assert lab.page.evaluate(INJECTED) == CLEAN

    student = Lab(new_page(), address)
    student.see("Where to look: Clusters")
    assert student.page.locator(".bk-tab.bk-active").inner_text() == "Clusters"
    assert student.page.get_by_label("Data set").count() == 0
    assert student.page.get_by_label("Solver", exact=True).count() == 1
    student.press("Show me")
    student.see(re.compile("^Objective "))
    assert student.page.evaluate(INJECTED) == CLEAN
    assert not faults(student)
    student.assert_clean()
    lab.assert_clean()


def test_an_address_opens_a_lesson_on_a_page_with_nothing_on_its_left(page, server):
    lab = Lab(page, f"{server.url}{EMPTY}&lesson=two-exact-methods-race&hide={HIDDEN}")
    lab.see("Where to look: Bounds")
    assert not lab.page.locator("#left").is_visible()
    assert lab.page.locator(".bk-tab.bk-active").inner_text() == "Bounds"
    lab.page.wait_for_url(re.compile(f"hide={HIDDEN}"))


def test_a_lesson_about_a_table_of_ones_own_is_sent_as_a_file(lab, open_lab, tmp_path):
    lab.take_table("mine.csv", b"a,b\n" + b"1,2\n3,4\n15,17\n" * 3)
    lab.see("mine · 9 points")
    lab.choose("Lesson", "Write or open a lesson…")
    lab.page.get_by_label("Title", exact=True).fill("Mine")
    lab.page.get_by_label("What to do, and why").fill("Run it.")
    lab.press("Add this step")
    lab.see("1 step, 1 table in the file")
    lab.press("Make the address")
    lab.see_notice("An address does not hold the table of the lesson")
    with lab.page.expect_download() as download:
        lab.press("Save to a file")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "mine.ccvizlesson"

    student = open_lab(EMPTY)
    student.choose("Lesson", "Write or open a lesson…")
    field = student.page.locator(".drop-zone", has_text="Drop a lesson")
    field.locator("input").set_input_files(path)
    student.see("1 step, 1 table in the file")
    student.press("Try it")
    student.press("Show me")
    student.see("mine · 9 points")
    student.see(re.compile("^Objective "))
    student.page.wait_for_url(re.compile("lesson=from-file"))
    student.assert_clean()


def test_the_form_of_a_lesson_leaves_the_plot_its_room(lab):
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    lab.choose("Lesson", "Write or open a lesson…")
    lab.page.get_by_label("Title", exact=True).fill("Room")
    lab.page.get_by_label("What to do, and why").fill("Run it.")
    lab.press("Add this step")
    lab.see("1 step")
    lab.press("Make the address")
    lab.see(re.compile("^Opens the page with the lesson"))
    lab.rest()
    assert lab.page.locator("#lesson").bounding_box()["height"] <= 300
    plot = lab.page.get_by_role("figure", name="150 points").bounding_box()
    assert plot["height"] >= 300
