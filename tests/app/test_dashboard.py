"""The wider dashboard in a real browser: solver views, past runs, many links, sharing."""

import re

import pytest

pytestmark = pytest.mark.browser


def test_past_runs_are_listed_compared_and_shown_again(lab):
    lab.run()
    labels = lab.labels()
    lab.choose("Data set", "wine")
    lab.see("178 points")
    lab.see("No run yet")
    lab.room("Runs")
    row = lab.page.locator("tbody tr").filter(has_text="blp-kmeans").first
    row.get_by_role("checkbox").check()
    lab.room("Bounds")
    lab.page.wait_for_function("() => Bokeh.documents[0].get_model_by_name('race-bounds')")
    lab.room("Runs")
    row.get_by_role("button", name="Show").click()
    lab.see("150 points")
    lab.wait_for(lambda: lab.labels() == labels)
    lab.page.once("dialog", lambda dialog: dialog.accept())
    many = lab.page.locator("tbody tr").count()
    lab.unfold(row).get_by_role("button", name="Delete").click()
    lab.wait_for(lambda: lab.page.locator("tbody tr").count() == many - 1)


def test_links_are_drawn_from_classes_and_imported(lab):
    lab.page.get_by_text("More ways to link").click()
    lab.press("Draw from classes")
    lab.see(re.compile(r"\d+ must-links?, \d+ cannot-links?"))
    assert lab.drawn("must") + lab.drawn("cannot") == 20
    lab.press("Delete all")
    lab.page.locator(".links li").first.wait_for(state="detached")
    chooser = lab.page.get_by_label("Drop links, or choose a file")
    chooser.set_input_files(
        {"name": "l.txt", "mimeType": "text/plain", "buffer": b"ML 0 1\nCL 0 150\n"}
    )
    lab.see_notice("l.txt: line 2 names point 150, but the points are 0 to 149.")
    assert lab.links() == []
    chooser.set_input_files(
        {"name": "l.txt", "mimeType": "text/plain", "buffer": b"ML 0 1\nCL 0 149 2.5\n"}
    )
    weight = lab.row_of_link("cannot-link 0-149").get_by_role("spinbutton")
    assert weight.input_value() == "2.5"
    assert len(lab.links()) == 2


def test_a_lasso_links_a_group(lab):
    points = lab.points()
    low, high = min(points["x"]) - 0.1, -1.5
    bottom, top = min(points["y"]) - 0.05, max(points["y"]) + 0.05
    lab.lasso((low, bottom), (high, bottom), (high, top), (low, top))
    lab.see("50 points")
    lab.page.keyboard.press("m")
    lab.see("49 must-links, 0 cannot-links")


def test_an_address_opens_the_same_problem(lab_of):
    query = "data=wine&k=4&scaling=standard&x=alcohol&y=PC+1&ml=0-5&cl=3-100*2&solver=cop-kmeans"
    lab = lab_of(f"?{query}&seed=4&theme=dark")
    assert lab.page.locator(".facts").inner_text() == "wine · 178 points · 13 features · k = 4"
    lab.page.get_by_text("0 – 5", exact=True).wait_for()
    assert "3 – 100" in lab.links()[0]
    assert lab.page.get_by_label("Seed", exact=True).first.input_value() == "4"
    assert lab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    lab.room("Share")
    lab.see(re.compile(r"cop-kmeans --seed 4 --scale standard --links links.txt"))
    shared = lab.page.locator("pre").first.inner_text()
    assert "ml=0-5" in shared
    assert "cl=3-100%2A2" in shared


def test_a_bad_address_is_a_sentence_and_sizes_are_kept(lab_of):
    lab = lab_of("?data=atlantis")
    lab.see_notice("there is no data set 'atlantis'")
    assert "iris" in lab.page.locator(".facts").inner_text()
    lab.fill("Sizes", "50, 50, 49")
    lab.see_notice("150 points")
    lab.fill("Sizes", "50, 50, 50")
    lab.page.locator(".sentence").wait_for(state="hidden")
    lab.run()
    labels = lab.labels()
    assert [labels.count(label) for label in range(3)] == [50, 50, 50]
