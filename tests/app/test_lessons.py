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
