"""What axe-core finds on the page: nothing, in every tab and dialog, light and dark."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.app.driver import EMPTY, Lab

pytestmark = pytest.mark.browser

ROOMS = ("Result", "Clusters", "Inside the solver", "Bounds", "Runs", "Share")


def faults(lab: Lab) -> list[str]:
    """Return the rules of axe-core that the page breaks, each with the first place.

    Bokeh appends its tooltips to the body, outside of every landmark; they are left out.
    """
    found = Axe().run(lab.page, context={"exclude": [[".bk-Tooltip"]]}).response["violations"]
    return [
        f"{each['id']}, {each['impact']}: {each['nodes'][0]['target']} {each['nodes'][0]['html']}"
        for each in found
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tabs(page, server, theme):
    lab = Lab(page, f"{server.url}?example=no&theme={theme}&ml=0-100&solver=sdp")
    lab.run()
    for room in ROOMS:
        lab.room(room)
        lab.rest()
        page.get_by_role("tab", name="Bounds" if room == "Share" else "Share").hover()
        assert not faults(lab), room


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_opening_a_question_a_lesson_and_the_beamer(page, server, theme):
    lab = Lab(page, f"{server.url}?theme={theme}")
    lab.see("A finished example")
    assert not faults(lab)
    lab.press("Ask me")
    page.get_by_role("button", name="Together (M)").wait_for()
    assert not faults(lab)
    page.keyboard.press("Escape")
    lab.press("A lesson")
    lab.see("Step 1 of")
    assert not faults(lab)
    lab.choose("Lesson", "Why COP-k-means dies")
    lab.see("Step 1 of")
    assert not faults(lab)
    lab.press("Leave")
    page.keyboard.press("f")
    page.wait_for_function("'presenting' in document.documentElement.dataset")
    lab.rest()
    assert not faults(lab)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dialogs(page, server, theme):
    lab = Lab(page, f"{server.url}{EMPTY}&theme={theme}")
    lab.press("Which k?")
    sheet = lab.page.get_by_role("dialog", name="How many clusters?")
    sheet.wait_for()
    assert not faults(lab)
    sheet.get_by_role("button", name="Close").click()
    lab.room("Runs")
    lab.press("Batch…")
    sheet = lab.page.get_by_role("dialog", name="Run several solvers")
    sheet.wait_for()
    assert not faults(lab)
    sheet.get_by_role("button", name="Close").click()
    lab.upload("own.csv", b"a,b,c\n" + b"1,2,x\n3,4,y\n5,1,x\n" * 5)
    lab.page.get_by_role("dialog", name="own.csv").wait_for()
    assert not faults(lab)
    assert lab.page.locator("dialog").count() == 3  # there is no other


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_unfolds(page, server, theme):
    lab = Lab(page, f"{server.url}{EMPTY}&theme={theme}&ml=0-100")
    for closed in ("More ways to link", "More settings"):
        page.get_by_text(closed).click()
    page.get_by_role("button", name="Delete all").wait_for()
    lab.press("Add a rule")
    page.get_by_label("Kind of rule").wait_for()
    lab.press("Keys")
    lab.see_notice("These keys work outside of fields.")
    lab.press("Paint")
    page.get_by_role("button", name="Clear", exact=True).wait_for()
    assert not faults(lab)
    lab.press("Matrix")
    page.get_by_role("figure", name="pairs 0 1").wait_for()
    assert not faults(lab)


def test_a_pair_at_the_pointer(lab):
    lab.pick(0, 100)
    assert not faults(lab)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lists_addresses_and_further_dialogs(page, server, theme):
    lab = Lab(page, f"{server.url}?example=no&theme={theme}&ml=0-100&solver=sdp&data=iris&k=3")
    lab.run()
    lab.room("Clusters")
    page.get_by_role("button", name="cluster 0").first.click()
    page.locator(".members pre").wait_for()
    assert not faults(lab)
    lab.room("Share")
    lab.press("Figure…")
    dialog = page.get_by_role("dialog", name="Figure")
    dialog.wait_for()
    assert not faults(lab)
    dialog.get_by_role("button", name="Cancel").click()
    lab.link("cannot", 0, 1)
    keep = page.get_by_role("button", name="Keep groups as they are")
    keep.click()
    page.get_by_label("Points that move, at most").first.wait_for()
    assert not faults(lab)
    lab.press("Which k?")
    sheet = page.get_by_role("dialog", name="How many clusters?")
    sheet.get_by_role("button", name="the least k").click()
    sheet.get_by_role("button", name=re.compile("^Use k = ")).wait_for()
    assert not faults(lab)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_address_of_a_lesson_and_the_story_of_an_example(page, server, theme):
    lab = Lab(page, f"{server.url}?theme={theme}&lesson=two-exact-methods-race")
    page.get_by_role("button", name="Address", exact=True).click()
    page.get_by_role("button", name="Copy: For your class").wait_for()
    assert not faults(lab)
    lab.press("Leave")
    lab.choose("Data set", "ring around ring")
    page.get_by_role("region", name="About the example").wait_for()
    assert not faults(lab)
