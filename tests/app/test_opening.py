"""The opening page: a finished example, three choices, and what each opens."""

import pytest

from tests.app.driver import EMPTY
from tests.patience import wait_until

pytestmark = pytest.mark.browser

TABLE = b"a,b\n" + b"".join(b"%d,%d\n" % (i % 7, i % 5) for i in range(40))


def test_a_finished_example_and_behind_its_choices_a_tree_a_batch_and_a_table(
    page, lab_of, server, picture
):
    lab = lab_of("")
    welcome = page.get_by_role("region", name="Where to begin")
    assert set(lab.labels()) == {0, 1, 2}
    assert "Optimal clustering" in lab.card
    assert (lab.drawn("must"), lab.drawn("cannot")) == (4, 4)
    with server.archive() as archive:
        assert archive.runs() == []  # the example is in no person's list
    picture(page, "example")

    lab.press("Try it")
    story = page.get_by_role("region", name="About the example")
    story.get_by_text("Two rings").wait_for()
    plot = page.get_by_role("figure", name="50 points").bounding_box()
    above = story.bounding_box()
    assert above["y"] + above["height"] < plot["y"]  # it covers no point and no axis
    assert not welcome.is_visible()
    lab.figure("tree")
    lab.wait_for(lambda: len(lab.sources("tree", "lower_bound")[0]["lower_bound"]) >= 3)
    assert set(lab.labels()) == {0, 1, 2}
    picture(page, "try")
    lab.press("Stop")
    story.get_by_role("button", name="Put this away").click()
    story.wait_for(state="hidden")
    lab.room("Result")
    lab.see("Valid, not proved")

    lab.room("Runs")
    lab.press("Batch…")
    sheet = page.get_by_role("dialog", name="Run several solvers")
    sheet.get_by_label("COP-k-means").check()
    sheet.get_by_label("to", exact=True).fill("4")
    sheet.get_by_label("seconds a run").fill("4")  # what runs find is no matter here
    sheet.get_by_role("button", name="Run them").click()
    lab.see("12 of 12 runs have ended.")
    came = sheet.get_by_role("table", name="What came of the runs").locator("tbody tr")
    lab.wait_for(lambda: came.count() > 1)
    picture(page, "batch")
    sheet.get_by_role("button", name="Close").click()
    rows = page.locator(".scroll tbody tr")
    assert rows.count() == 13
    rows.filter(has_text="cop-kmeans").first.get_by_role("button", name="Show").click()
    lab.see("· k = 4")
    solver = page.get_by_label("Solver", exact=True).first
    lab.wait_for(lambda: solver.input_value() == "COP-k-means")
    page.get_by_label("Tick all").check()
    page.get_by_role("table", name="Runs side by side").wait_for()

    again = lab_of("")
    with page.expect_file_chooser() as asked:
        page.get_by_role("button", name="Open or paste a table").locator("kbd").click()
    asked.value.set_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": TABLE})
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Load", exact=True).click()
    dialog.wait_for(state="hidden")
    again.see("40 points")
    assert not welcome.is_visible()

    third = lab_of("")
    third.press("A lesson")
    third.see("Step 1 of")
    assert not welcome.is_visible()


def test_a_digit_shows_its_picture_and_a_killed_spare_worker_costs_nothing(lab_of, server):
    lab = lab_of("?data=digits&solver=k-means")
    lab.rest()
    points = lab.points()
    x, y = lab.pixel(points["x"][9], points["y"][9])
    shown = lab.page.locator(".bk-Tooltip img").first

    def is_shown():  # a figure that is still being painted hears no mouse
        lab.page.mouse.move(x + 2, y + 2)
        lab.page.mouse.move(x, y)
        return shown.is_visible()

    lab.wait_for(is_shown)
    assert shown.get_attribute("src").startswith("data:image/png;base64,")
    assert shown.evaluate("(image) => [image.naturalWidth, image.naturalHeight]") == [8, 8]
    lab.page.mouse.move(5, 5)
    wait_until(server.waiting)
    for each in server.waiting():
        each.kill()
    lab.run()
    assert lab.page.goto(f"{server.url}{EMPTY}").ok
