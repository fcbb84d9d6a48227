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


def asked_set(lab):
    """Return the five points asked about, from their buttons."""
    labels = lab.page.get_by_role("group", name="Points of the question").get_by_role("button")
    return [int(re.match(r"\d: point (\d+)", each)[1]) for each in
            labels.evaluate_all("(all) => all.map((each) => each.ariaLabel)")]  # fmt: skip


def test_five_points_are_asked_about_by_mouse_and_keys(lab, picture):
    truth = take(lab, "moons", 60)
    lab.press("Ask me")
    question(lab)
    lab.press("Five points")
    lab.see("Which do not belong with the others?")
    lab.wait_for(lambda: len(lab.source("asked")["x"]) == 5)
    first = asked_set(lab)
    assert lab.source("asked", "number")["number"] == ["1", "2", "3", "4", "5"]

    lab.page.keyboard.press("4")
    lab.see("Keep 1 apart (C)")
    lab.click_point(first[1])
    lab.see("Keep 2 apart (C)")
    lab.page.get_by_role("button", name=re.compile(f"^4: point {first[3]},")).click()
    lab.see("Keep 1 apart (C)")
    lab.page.keyboard.press("m")
    lab.see_notice("1 point marked")
    picture(lab.page, "marked")
    lab.page.keyboard.press("2")
    lab.press("All together (M)")
    count(lab, 1)
    lab.wait_for(lambda: len([line for line in lab.links() if "–" in line]) >= 4)
    lab.page.keyboard.press("z")
    count(lab, 0)
    lab.wait_for(lambda: lab.links() == [])

    asked = 0
    while "No further question is useful" not in told(lab) and asked < 12:
        if lab.page.get_by_text(TITLE).filter(visible=True).count():
            i, j = question(lab)
            lab.page.keyboard.press("m" if truth[i] == truth[j] else "c")
        else:
            points = asked_set(lab)
            odd = [at for at, point in enumerate(points) if truth[point] != truth[points[0]]]
            for at in odd:
                lab.page.keyboard.press(str(at + 1))
            lab.see(f"Keep {len(odd)} apart (C)" if odd else "All together (M)")
            lab.page.keyboard.press("c" if odd else "m")
        asked += 1
        count(lab, asked)
    assert "ARI 1.000" in told(lab)
    lab.press("Pairs")
    lab.page.keyboard.press("a")
    lab.page.locator(".asking").wait_for(state="hidden")
    lab.page.keyboard.press("3")  # a tab again
    lab.see("Inside the solver")
