"""*Ask me* in a real browser: data set after data set on one page, each until it is enough."""

import re

import pytest

from ccviz.data.datasets import load

pytestmark = pytest.mark.browser

TITLE = re.compile(r"^Do point (\d+) and point (\d+) belong together\?$")


def question(lab, *but):
    """Wait for another question, and return its two points."""

    def pair():
        titles = lab.page.get_by_text(TITLE).filter(visible=True).all_inner_texts()
        # One that vanishes meanwhile has no text any more.
        told = next(filter(None, map(TITLE.match, titles)), None)
        found = tuple(map(int, told.groups())) if told else ()
        return found if found and found not in but else None

    lab.wait_for(pair)
    return pair()


def told(lab):
    return lab.page.locator(".asking").inner_text()


def count(lab, questions):
    lab.see(re.compile(rf"^{questions} questions? so far"))


def take(lab, name, points):
    lab.choose("Data set", name)
    lab.see(re.compile(rf"^{name} · "))
    lab.fill("Points", str(points))
    lab.see(f"{points} points")
    return load(name, n=points).truth


def answer_to_the_end(lab, truth):
    """Answer by the class until it is enough, and return how many questions that took."""
    asked, at = 0, ()
    while "No further question is useful" not in told(lab):
        at = i, j = question(lab, at)
        lab.page.keyboard.press("m" if truth[i] == truth[j] else "c")
        asked += 1
        count(lab, asked)
    return asked


def test_three_sets_are_asked_about_until_it_is_enough(lab, picture):
    for name, points in (("moons", 40), ("circles", 40), ("anisotropic", 15)):
        truth = take(lab, name, points)
        lab.press("Ask me")
        asked = answer_to_the_end(lab, truth)
        assert "ARI 1.000" in told(lab)
        assert asked < 30
        assert len([line for line in lab.links() if "–" in line]) == asked
        assert lab.page.get_by_text(TITLE).filter(visible=True).count() == 0
        lab.page.keyboard.press("a")
        lab.page.locator(".asking").wait_for(state="hidden")

    lab.choose("Data set", "digits")
    lab.see("1,797 points")
    lab.press("Ask me")
    first = question(lab)
    assert lab.page.get_by_role("img", name=f"point {first[0]}", exact=True).is_visible()
    picture(lab.page, "pictures")
    lab.press("Apart (C)")
    second = question(lab, first)
    lab.press("Unsure (U)")
    third = question(lab, first, second)
    count(lab, 2)
    lab.page.keyboard.press("z")
    assert question(lab, third) == second
    lab.page.keyboard.press("z")
    count(lab, 0)
    lab.press("Enough (Esc)")
    lab.page.locator(".asking").wait_for(state="hidden")
    assert lab.links() == []
