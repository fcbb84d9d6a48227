"""What a person does beyond clicking two points, in a real browser."""

import re

import pytest

from ccviz.views.lessons.catalogue import LESSONS

pytestmark = pytest.mark.browser


def test_points_are_painted_erased_and_clustered(lab):
    lab.press("Paint")
    lab.press("Clear")
    lab.page.wait_for_function(
        "() => Bokeh.documents[0].get_model_by_name('scatter').x_range.end === 10"
    )
    lab.drag((1, 2), (3, 2))
    lab.see(re.compile(r"^painted · \d+ points · 2 features · k = 1$"))
    lab.page.get_by_role("button", name="2", exact=True).click()
    lab.drag((6, 8), (8, 8))
    lab.see(re.compile(r"2 features · k = 2$"))
    points = lab.points()
    many = len(points["x"])
    assert many > 30
    assert set(points["label"]) == {0, 1}
    lab.press("Eraser")
    lab.drag((1, 2), (3, 2))
    lab.page.wait_for_function(
        "(many) => Bokeh.documents[0].get_model_by_name('scatter').renderers"
        ".find((each) => each.data_source.data.row).data_source.data.x.length < many",
        arg=many,
    )
    lab.page.keyboard.press("z")
    lab.see(f"{many} points")
    lab.page.keyboard.press("p")
    lab.run()
    for _ in range(3):
        lab.page.keyboard.press("z")
    lab.see(re.compile("^iris"))
    assert not lab.troubles


def test_an_empty_sheet_is_put_away_again(lab):
    lab.link("must", 3, 140)
    lab.page.get_by_text("3 – 140", exact=True).wait_for()
    before = lab.ranges("scatter")
    lab.press("Classes")
    lab.page.keyboard.press("p")
    for key in ("z", "p"):
        lab.press("Clear")
        lab.wait_for(lambda: lab.points()["x"] == [])
        lab.page.keyboard.press(key)
        lab.wait_for(lambda: len(lab.points()["x"]) == 150)
        assert lab.ranges("scatter") == pytest.approx(before)
        assert set(lab.labels()) == {0, 1, 2}


def test_a_link_is_weighed_and_implied_ones_are_greyed(lab):
    lab.link("must", 1, 60)
    lab.page.get_by_text("1 – 60").wait_for()
    lab.link("must", 60, 140)
    lab.see("2 must-links, 0 cannot-links, 1 implied")
    assert lab.page.locator("li.implied").inner_text().split("\n")[0].startswith("1 – 140")
    lab.weigh_link("must-link 60-140", "0.01")
    lab.page.locator("li.implied").wait_for(state="detached")
    lab.choose("Solver", "PCK-means")
    lab.weigh_link("must-link 1-60", "0.01")
    lab.run()
    lab.page.locator("li.broken").first.wait_for()
    lab.weigh_link("must-link 60-140", "-3")
    lab.see_notice("weights are positive")
    assert lab.row_of_link("must-link 60-140").get_by_role("spinbutton").input_value() == "0.01"


def test_a_group_is_linked_against_another(lab):
    left = (-3.5, 1.0), (-2.0, 1.0), (-2.0, 1.45), (-3.5, 1.45)
    lab.lasso(*left)
    lab.see(re.compile(r"^\d points$"))
    lab.press("Hold (H)")
    lab.see(re.compile(r"3 points held"))
    assert len(lab.source("held")["x"]) == 3
    right = (3.0, 0.9), (3.8, 0.9), (3.8, 1.45), (3.0, 1.45)
    lab.lasso(*right)
    lab.see("points 117 and 131 against 3 points")
    lab.press("Cannot-link (C)")
    lab.see("0 must-links, 6 cannot-links")
    assert lab.drawn("cannot") == 6


def test_the_scatter_matrix(lab, tmp_path):
    lab.run()
    lab.press("Matrix")
    lab.see("Click a cell to see it large.")
    ready = "() => { const cell = Bokeh.documents[0].get_model_by_name('pairs-0-3');" \
        "return cell && Bokeh.index.find_one(cell) && cell.inner_width > 20 }"  # fmt: skip
    lab.page.wait_for_function(ready)
    labels = lab.page.evaluate(
        "() => [...Bokeh.documents[0].get_model_by_name('pairs-0-3').renderers[0]"
        ".data_source.data.label]"
    )
    assert set(labels) == {0, 1, 2}
    lab.save(tmp_path, "pairs-0-3")
    lab.rest("pairs-0-3")
    lab.page.mouse.click(*lab.pixel(6.0, 1.0, "pairs-0-3"))
    lab.page.get_by_label("Across", exact=True).wait_for()
    assert lab.page.get_by_label("Up", exact=True).first.input_value() == "petal width (cm)"
    assert not lab.troubles


def test_fifty_thousand_points(lab):
    lab.choose("Data set", "blobs")
    lab.see("300 points")
    lab.fill("Points", "50000")
    lab.see("50,000 points")
    drawn = "() => Bokeh.documents[0].get_model_by_name('scatter').renderers" \
        ".find((each) => each.name === 'density').data_source.data.image.length === 1"  # fmt: skip
    lab.page.wait_for_function(drawn)
    assert lab.points()["x"] == []
    lab.rest()
    lab.page.mouse.click(*lab.pixel(0, 4))
    lab.page.wait_for_function(
        "() => Bokeh.documents[0].get_model_by_name('scatter').renderers"
        ".find((each) => each.name === 'picked').data_source.data.x.length === 1"
    )
    lab.lasso((-1, 3), (3, 3), (3, 6), (-1, 6))
    lab.see(re.compile(r"^\d+ points$"))
    lab.page.keyboard.press("Escape")
    lab.choose("Solver", "BLP k-means")
    lab.run()

    # Few in view are no picture any more, but points.
    lab.rest()
    lab.page.mouse.move(*lab.pixel(0, 4))
    for _ in range(12):
        lab.page.mouse.wheel(0, -120)
    lab.wait_for(lambda: lab.points()["x"])
    left, right, bottom, top = lab.ranges("scatter")
    points = lab.points()
    assert all(left <= x <= right for x in points["x"])
    assert all(bottom <= y <= top for y in points["y"])
    assert set(points["label"]) <= {0, 1, 2, 3}
    assert not lab.troubles


def walk(lab, lesson):
    """Walk through a lesson by its own buttons, and return what its steps showed."""
    lab.choose("Speed", "Speed: Live")
    lab.page.locator(".lesson-choice select").select_option(label=lesson.title)
    findings = []
    for place, _ in enumerate(lesson.steps, start=1):
        lab.see(f"Step {place} of {len(lesson.steps)}")
        lab.press("Show me")
        finding = lab.page.locator(".finding")
        finding.wait_for()
        findings.append(finding.inner_text())
        if place < len(lesson.steps):
            lab.press("Next")
            finding.wait_for(state="detached")
    return findings


@pytest.mark.slow  # the first one is walked among the journeys
@pytest.mark.parametrize("lesson", LESSONS[1:], ids=lambda lesson: lesson.name)
def test_a_lesson_is_walked_to_its_end(lab, picture, lesson):
    findings = walk(lab, lesson)
    assert len(set(findings)) == len(lesson.steps)
    if lesson.name == "branch-and-bound-by-hand":
        assert lab.page.locator(".sketch rect").count() == 3
        assert "closed" in lab.page.locator(".sketch").text_content()
    picture(lab.page, lesson.name)
    lab.press("Finish")
    lab.page.locator(".lesson").wait_for(state="hidden")
    assert lab.page.locator(".lesson-choice select").input_value() == "Lessons…"
    assert not lab.troubles


def test_a_project_is_saved_and_opened_on_another_machine(lab, open_lab, tmp_path):
    lab.choose("Data set", "moons")
    lab.see("300 points")
    lab.fill("Points", "60")
    lab.see("60 points")
    lab.link("must", 1, 2)
    lab.page.get_by_text("1 – 2", exact=True).wait_for()
    lab.run()
    lab.room("Share")
    with lab.page.expect_download() as download:
        lab.page.get_by_text("Save to a file").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "moons.ccvizlab"
    with lab.page.expect_download() as download:
        lab.page.get_by_role("button", name="Run as a page").click()
    download.value.save_as(tmp_path / download.value.suggested_filename)
    assert "blp-kmeans on moons" in (tmp_path / "moons.html").read_text(encoding="utf-8")
    other = open_lab()
    other.room("Share")
    drop = other.page.locator(".project .drop-zone input")
    drop.set_input_files({"name": "no.ccvizlab", "mimeType": "", "buffer": b"nothing"})
    other.see("no.ccvizlab holds no sound project")
    drop.set_input_files(path)
    other.see(re.compile("^moons · 60 points"))
    other.page.get_by_text("1 – 2", exact=True).wait_for()
    other.room("Runs")
    other.page.locator("tbody tr").filter(has_text="moons").nth(1).wait_for()


def test_runs_are_renamed_filtered_and_compared_side_by_side(lab):
    for solver in ("BLP k-means", "COP-k-means"):
        lab.choose("Solver", solver)
        lab.run()
    lab.room("Runs")
    rows = lab.page.locator("tbody tr")
    lab.unfold(rows.first).get_by_role("button", name="Rename").click()
    lab.answer("my favourite")
    lab.page.get_by_text("my favourite").wait_for()
    lab.page.get_by_role("checkbox", name="Compare my favourite").check()
    rows.filter(has_text="blp-kmeans").first.get_by_role("checkbox").check()
    table = lab.page.get_by_role("table", name="Runs side by side")
    table.wait_for()
    words = table.inner_text()
    assert words.split("\n")[0].strip().startswith("my favourite")
    assert "Agrees with the first" in words
    lab.page.get_by_label("Filter runs").fill("favourite iris")
    assert rows.filter(has_text="my favourite").count() == 1
    assert lab.page.locator(".scroll tbody tr").count() == 1
    lab.see(re.compile(r"This server is running \d of at most \d+ runs"))


def test_what_would_i_type_is_exact(lab):
    lab.link("cannot", 3, 140)
    lab.page.get_by_text("3 – 140").wait_for()
    lab.fill("Sizes", "50, 50, 50")
    lab.run()
    shown = re.search(r"Cost\s+([\d.]+)", lab.card)[1]
    lab.room("Share")
    lab.see("from ccviz import Problem, solve")
    lines = lab.page.locator("pre").nth(1).inner_text()
    scope = {}
    exec("\n".join(line for line in lines.splitlines() if "print" not in line), scope)
    assert f"{scope['result'].objective:.6g}" == f"{float(shown):.6g}"
    assert "--sizes 50,50,50" in lab.page.locator("pre").nth(2).inner_text()


def test_the_keyboard_is_enough(lab):
    keyboard = lab.page.keyboard
    keyboard.press("?")
    lab.see_notice("These keys work outside of fields.")
    keyboard.press("Escape")
    lab.page.get_by_text("More ways to link").click()
    box = lab.page.get_by_label("Pick points by number or name")
    box.fill("3 151")
    box.press("Enter")
    lab.see_notice("'151' is no point: they are 0 to 149.")
    box.fill("3, 140")
    box.press("Enter")
    lab.see("points 3 and 140")
    box.blur()
    keyboard.press("c")
    lab.page.get_by_text("3 – 140").wait_for()
    lab.choose("Speed", "Speed: Live")
    lab.page.get_by_label("Speed", exact=True).first.blur()
    keyboard.press(" ")
    lab.see("Valid, not proved")
    lab.see("ARI")
    keyboard.press("5")
    lab.page.get_by_label("Filter runs").wait_for()
    keyboard.press("1")
    lab.see("Valid, not proved")


def test_what_a_screen_reader_finds_and_a_view_is_saved(lab, picture, tmp_path):
    for label in ("Data set", "Clusters k", "Sizes", "Solver", "Seed", "Across", "Up", "Speed",
                  "Lesson"):  # fmt: skip
        lab.page.get_by_label(label, exact=True).first.wait_for()
    for name in ("Undo", "Redo", "Keys", "Theme", "Run", "Pause", "Back", "Step", "Stop", "Paint",
                 "Ask me"):  # fmt: skip
        assert lab.page.get_by_role("button", name=name, exact=True).count() == 1
    place = lab.page.get_by_role("figure", name="150 points, PC 1 across, PC 2 up")
    place.wait_for()
    lab.run()
    lab.link("must", 0, 1)
    place.hover()
    lab.tool(place, "Figure…").click()
    dialog = lab.page.get_by_role("dialog", name="Figure")
    dialog.get_by_label("Names").check()
    dialog.get_by_label("Width, mm").fill("90")
    picture(lab.page, "dialog")
    with lab.page.expect_download() as download:
        dialog.get_by_role("button", name="Save").click()
    download.value.save_as(tmp_path / "scatter.svg")
    drawn = (tmp_path / "scatter.svg").read_text()
    assert 'width="90mm"' in drawn
    assert "cluster 0: " in drawn
    assert ">131<" in drawn  # a point far from the others has its name
    lab.rest()
    lab.save_place(place, "scatter", tmp_path)


def test_names_in_a_saved_figure_are_as_they_were_given(lab, tmp_path):
    lab.take_table("towns.csv", b"town,x,y\nUpper,0,0\nLower,9,5\nNewton,3,8\nOlton,5,1\n")
    place = lab.page.get_by_role("figure", name="4 points")
    place.hover()
    lab.tool(place, "Figure…").click()
    dialog = lab.page.get_by_role("dialog", name="Figure")
    dialog.get_by_label("Names").check()
    with lab.page.expect_download() as download:
        dialog.get_by_role("button", name="Save").click()
    download.value.save_as(tmp_path / "scatter.svg")
    assert ">Newton<" in (tmp_path / "scatter.svg").read_text()


def right_edge(button):
    box = button.bounding_box()
    return box["x"] + box["width"]


def test_nothing_is_cut_off(lab_of):
    lab = lab_of("?data=iris&k=3")  # the solver is folded
    for width, height in [(1280, 720), (820, 1180), (1024, 768)]:
        nothing_is_cut_off_at(lab, width, height)


def nothing_is_cut_off_at(lab, width, height):
    lab.page.set_viewport_size({"width": width, "height": height})
    lab.wait_for(lambda: lab.page.evaluate("innerWidth") == width)
    lab.rest()
    assert lab.page.evaluate("() => { window.scrollTo(99, 0); return window.scrollX }") == 0
    for name in ("Paint", "Stop", "Theme"):
        button = lab.page.get_by_role("button", name=name, exact=True)
        lab.wait_for(lambda button=button: right_edge(button) <= width)
    if height == 720:
        left = "() => { const rail = document.querySelector('#left');" \
            "return rail.scrollHeight - rail.clientHeight }"  # fmt: skip
        lab.wait_for(lambda: lab.page.evaluate(left) <= 0)
    points = lab.points()
    x, y = lab.pixel(points["x"][0], points["y"][0])
    assert 0 < x < width
    assert 0 < y < height


def test_a_picture_of_a_dark_page_is_on_a_light_ground_unless_it_is_to_be_dark(lab, tmp_path):
    lab.press("Theme")
    lab.wait_for(lambda: lab.page.evaluate("document.documentElement.dataset.theme") == "dark")
    lab.rest()
    for ground, paper, other in (("Light", "#ffffff", "#161d26"), ("Dark", "#161d26", "#ffffff")):
        lab.room("Share")
        lab.press("Figure…")
        dialog = lab.page.get_by_role("dialog", name="Figure")
        if ground == "Dark":
            dialog.get_by_label("Ground").select_option(ground)
        with lab.page.expect_download() as download:
            dialog.get_by_role("button", name="Save").click()
        path = tmp_path / f"{ground}.svg"
        download.value.save_as(path)
        assert paper in path.read_text()
        assert other not in path.read_text()
        assert download.value.suggested_filename == "iris-scatter.svg"
