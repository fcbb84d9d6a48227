"""What annoyed new users of the page, and is mended: frames, sliders, jumps, boxes."""

import re

import pytest

from tests.app.driver import PICKED

pytestmark = pytest.mark.browser

_OUTLINE = "(node) => getComputedStyle(node).outlineStyle"
# What is in front at a place of the page, through shadow roots.
_SEEN_AT = """([x, y]) => {
    let node = document.elementFromPoint(x, y)
    while (node?.shadowRoot?.elementFromPoint(x, y)) {
        const inner = node.shadowRoot.elementFromPoint(x, y)
        if (inner === node) break
        node = inner
    }
    return node?.textContent ?? ""
}"""
_TICKS = """() => {
    const {below, left} = Bokeh.documents[0].get_model_by_name("scatter")
    return [below[0], left[0]].map(({formatter}) => formatter.doFormat([1.9e6, 2e6], {loc: 0}))
}"""
_BRIGHTNESS = """(node) => {
    const [r, g, b] = getComputedStyle(node).backgroundColor.match(/[0-9.]+/g).map(Number)
    return (r + g + b) / 3
}"""


def test_the_first_edit_of_the_opening_page_does_not_move_the_plot(lab_of):
    lab = lab_of("")
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.rest()
    before = lab.pixel(0.0, 0.0)
    lab.link("must", 0, 1)
    lab.wait_for(lambda: len(lab.links()) == 9)
    lab.rest()
    assert lab.pixel(0.0, 0.0) == before


def test_a_click_leaves_no_frame_and_a_dark_page_a_dark_track(lab_of):
    lab = lab_of("?example=no&theme=dark")
    lab.click_point(0)
    lab.page.wait_for_function(PICKED, arg=0)
    figure = lab.page.get_by_role("figure", name="150 points")
    assert figure.locator(".bk-events").evaluate(_OUTLINE) == "none"
    track = lab.page.locator(".noUi-base").first
    assert track.evaluate(_BRIGHTNESS) < 128


def test_what_is_said_of_a_point_does_not_hide_the_buttons_for_two(lab_of):
    lab = lab_of()
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.pick(0, 100)  # the mouse stays on the second
    box = lab.page.get_by_text("points 0 and 100").bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    lab.wait_for(lambda: "points 0 and 100" in lab.page.evaluate(_SEEN_AT, middle))


def test_a_tooltip_goes_once_its_button_was_clicked(lab_of):
    lab = lab_of()
    lab.page.get_by_role("button", name="Run", exact=True).hover()
    tooltip = lab.page.locator(".bk-Tooltip", has_text="Run (Space)")
    tooltip.wait_for()
    lab.press("Run")
    tooltip.wait_for(state="hidden")  # though the mouse is still over the button


def test_thousands_are_grouped_at_every_axis(lab_of):
    lab = lab_of()
    assert lab.page.evaluate(_TICKS) == [["1,900,000", "2,000,000"]] * 2


def test_a_plot_has_four_tenths_of_a_narrow_screen(lab_of, picture):
    lab = lab_of("")
    lab.page.set_viewport_size({"width": 900, "height": 900})
    lab.rest()
    plot = lab.page.get_by_role("figure", name="150 points")
    lab.wait_for(lambda: plot.bounding_box()["height"] >= 360)
    picture(lab.page)


def test_which_k_says_that_one_column_decides(lab_of, picture):
    lab = lab_of("?data=wine&k=3&example=no")
    lab.press("Which k?")
    sheet = lab.page.get_by_role("dialog", name="How many clusters?")
    for field, value in (("to", "3"), ("seconds to raise each bound", "0")):
        sheet.get_by_label(field, exact=True).fill(value)
    sheet.get_by_role("button", name="Compare").click()
    said = sheet.get_by_role("status")
    lab.wait_for(lambda: "Silhouette: k = " in said.inner_text())
    assert "proline has 99.77 % of the variance of all 13 features" in said.inner_text()
    picture(lab.page)
    sheet.get_by_role("button", name="Close").click()
    lab.choose("Features", "mean 0, deviation 1")
    lab.press("Which k?")
    assert "proline" in said.inner_text()  # what is on the sheet is of the points as they were
    sheet.get_by_role("button", name="Compare").click()
    lab.wait_for(lambda: "Elbow: " in said.inner_text() or "Silhouette: " in said.inner_text())
    lab.wait_for(lambda: "proline" not in said.inner_text() and "Silhouette: " in said.inner_text())


# Pixels of a line's words beyond its place, and its lines.
_OVER = """(node) => [node.scrollWidth - node.clientWidth,
    new Set([...node.children].map((each) => Math.round(each.getBoundingClientRect().top))).size,
]"""
_LONG = "\n".join(["name,size", *(f"Ann {at},{at * 36_740.25}" for at in range(40))])


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1440, "dark")])
def test_the_names_of_a_cluster_are_listed_and_long_figures_keep_to_a_line(
    lab_of, picture, width, theme
):
    lab = lab_of(f"?example=no&solver=sdp&theme={theme}")
    lab.page.set_viewport_size({"width": width, "height": 720})
    lab.take_table("long.csv", _LONG.encode())
    lab.run()
    figures = lab.page.get_by_role("region", name="Status").locator(".figures")
    assert len(figures.inner_text()) > 40
    assert figures.evaluate(_OVER) == [0, 1], figures.inner_text()
    present = lab.page.get_by_role("button", name="Present").bounding_box()
    assert figures.bounding_box()["y"] >= present["y"] + present["height"] - 4
    lab.room("Clusters")
    lab.page.get_by_role("button", name="Name cluster 1").click()
    lab.answer("Donaudampfschifffahrtsgesellschaftskapitaene")
    head = lab.page.locator("thead button[data-cluster='1']")
    lab.wait_for(lambda: head.is_visible() and "Donau" in head.inner_text())
    assert head.evaluate("(node) => getComputedStyle(node).overflowWrap") == "normal"
    lab.page.get_by_role("button", name=re.compile("^cluster 0: ")).first.click()
    listed = lab.page.locator(".members pre")
    names = listed.text_content().split("\n")
    assert len(names) == lab.labels().count(0)
    picture(lab.page)
    head.click()
    lab.wait_for(lambda: listed.text_content().split("\n") != names)
    head.click()
    listed.wait_for(state="hidden")


def test_the_colours_of_a_node_are_called_so_over_the_plot(lab_of):
    lab = lab_of("?data=ring_around_ring&k=3&example=no&solver=sdp")
    lab.room("Inside the solver")
    lab.run()
    lab.figure("tree")
    root = lab.root()
    lab.page.mouse.move(*lab.pixel(*root, "tree"), steps=3)
    lab.rest("tree")
    lab.page.mouse.click(*lab.pixel(*root, "tree"))
    note = lab.page.locator(".legend .note").get_by_text("clusters at node 0")
    note.wait_for()
    box, plot = note.bounding_box(), lab.page.get_by_role("figure", name="50 points").bounding_box()
    assert box["y"] + box["height"] <= plot["y"] + 1
    lab.page.mouse.click(*lab.pixel(*root, "tree"))
    note.wait_for(state="hidden")


def test_share_opens_the_dialog_of_figures_and_the_field_of_tables_says_ctrl_v(lab_of, tmp_path):
    lab = lab_of()
    assert lab.page.locator("kbd").get_by_text("Ctrl+V").last.is_visible()
    lab.room("Share")
    lab.press("Figure…")
    dialog = lab.page.get_by_role("dialog", name="Figure")
    with lab.page.expect_download() as download:
        dialog.get_by_role("button", name="Save").click()
    assert download.value.suggested_filename == "iris-scatter.svg"
    lab.press("Matrix")
    lab.page.get_by_role("figure", name="pairs 0 1").wait_for()
    lab.press("Figure…")
    dialog.get_by_role("button", name="Cancel").click()
    assert lab.page.get_by_role("figure", name="150 points").is_visible()


def test_a_lesson_has_its_address_beside_its_steps(lab_of):
    lab = lab_of("?lesson=two-exact-methods-race")
    lab.page.get_by_role("button", name="Address", exact=True).click()
    address = lab.page.get_by_text(re.compile(r"^http\S+lesson=two-exact-methods-race$"))
    address.wait_for()
    assert lab.page.get_by_role("button", name="Copy: For your class").is_visible()
    text = address.inner_text()
    lab.press("Leave")
    address.wait_for(state="hidden")
    lab_of(text.removeprefix(lab.origin + "/main")).see("Where to look: Bounds")


def test_another_run_is_seen_whole_after_the_axes_were_moved_by_hand(lab_of):
    lab = lab_of("?data=iris&k=3&solver=sdp&example=no")

    def across():
        return lab.ranges("bounds")[:2]

    lab.run()
    lab.room("Result")
    lab.figure("bounds")
    lab.rest("bounds")
    left, right, bottom, top = lab.ranges("bounds")
    lab.page.mouse.move(*lab.pixel((left + right) / 2, (bottom + top) / 2, "bounds"))
    lab.page.mouse.wheel(0, 800)
    lab.wait_for(lambda: across()[0] < left - 0.1 * (right - left))
    lab.page.mouse.move(0, 0)
    lab.fill("Seed", "7")
    lab.run()
    lab.room("Result")
    lab.figure("bounds")
    lab.rest("bounds")
    at = lab.sources("bounds", "upper")[0]["at"]
    lab.wait_for(lambda: across()[1] - across()[0] < 1.3 * (at[-1] - at[0]))


def test_a_figure_that_the_browser_had_dropped_is_drawn_whole(lab_of):
    """A busy page drops what a tab showed, and makes it again when the tab comes back."""
    lab = lab_of("")
    lab.figure("bounds")
    lab.room("Clusters")
    lab.page.wait_for_function(_DROPPED)
    lab.room("Result")
    lab.figure("bounds")
    lab.fill("Clusters k", "4")
    lab.run()
    lab.room("Result")
    lab.figure("bounds")
    at, upper = (lab.sources("bounds", "upper")[0][name][-1] for name in ("at", "upper"))

    def holds_the_end():
        left, right, bottom, top = lab.ranges("bounds")
        return left < at < right and bottom < upper < top

    lab.wait_for(holds_the_end)


def test_a_file_comes_once_however_often_its_tab_was_left(lab_of):
    lab = lab_of("")
    files = []
    lab.page.on("download", lambda each: files.append(each.suggested_filename))
    for room in ("Clusters", "Share", "Clusters"):
        lab.room(room)
        lab.page.get_by_role("button", name=re.compile("CSV")).first.wait_for()
    lab.press("This table (CSV)")
    lab.press("This table (Markdown)")
    lab.wait_for(lambda: "iris-profile.md" in files)
    assert files == ["iris-profile.csv", "iris-profile.md"]


_DROPPED = """() => {
    const [page] = Bokeh.documents
    page._recompute_all_models()
    return page.get_model_by_name("bounds") === null
}"""


def test_presenting_leaves_the_player_alone(lab_of, picture):
    lab = lab_of("?data=ring_around_ring&k=3&example=no&solver=sdp")
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.run()
    lab.room("Inside the solver")
    lab.figure("tree")
    lab.page.keyboard.press("f")
    plot = lab.page.get_by_role("figure", name="50 points")
    lab.wait_for(lambda: plot.bounding_box()["height"] > 0.7 * 720)
    gone = ("Ask me", "Paint", "Classes", "Depth")
    assert not any(lab.page.get_by_role("button", name=each).is_visible() for each in gone)
    assert not lab.page.get_by_role("tab").filter(visible=True).count()
    lab.rest("tree")
    picture(lab.page, "alone")
    lab.page.keyboard.press("1")
    lab.page.get_by_role("region", name="Result").wait_for()
    lab.page.keyboard.press("Escape")
    lab.page.get_by_role("button", name="Ask me").wait_for()


_SHADOW = "(node) => getComputedStyle(node).boxShadow"


def test_what_the_eight_persons_met_in_small(lab_of):
    """The chosen tab, a plot in a small window, empty figures, sizes, and limits below zero."""
    lab = lab_of("?data=iris&k=3&example=no&solver=blp-kmeans&theme=dark")
    lab.page.set_viewport_size({"width": 800, "height": 600})
    plot = lab.page.get_by_role("figure", name="150 points")
    lab.wait_for(lambda: plot.bounding_box()["height"] >= 240)
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    chosen, other = (lab.page.get_by_role("tab", name=each) for each in ("Result", "Runs"))
    assert "inset" in chosen.evaluate(_SHADOW)
    assert other.evaluate(_SHADOW) == "none"
    assert not lab.page.get_by_role("figure", name="bounds").count()  # before there is a run
    sizes = lab.page.get_by_label("Sizes", exact=True).first
    lab.fill("Sizes", "40-60")
    lab.wait_for(lambda: lab.page.get_by_role("button", name="Undo").is_enabled())
    assert sizes.input_value() in ("40-60", "40-60, 40-60, 40-60")
    assert sizes.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    lab.fill("Time limit, s", "-3")
    lab.run()
    assert "gave up" not in lab.card


_READS_AGAIN = """(field) => {
    field.value = 2
    field.dispatchEvent(new Event("change", {bubbles: true}))
    return field.getRootNode().querySelector("footer [role=status]").textContent
}"""


def test_a_batch_has_sets_of_links_its_buttons_a_line_and_a_sheet_a_word(lab_of):
    lab = lab_of("?data=iris&k=3&example=no&solver=blp-kmeans&ml=0-1")
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.room("Runs")
    lab.page.get_by_role("button", name="Batch…").wait_for()
    places = [lab.page.get_by_text(words, exact=True).bounding_box()
              for words in ("Batch…", "Export this run", "Download the table…")]  # fmt: skip
    assert max(each["y"] for each in places) - min(each["y"] for each in places) < 20
    lab.press("Batch…")
    sheet = lab.page.get_by_role("dialog", name="Run several solvers")
    assert sheet.get_by_label("1 link", exact=True).is_checked()
    assert not sheet.get_by_label("no links", exact=True).is_checked()
    sheet.get_by_role("button", name="Close").click()
    lab.upload("own.csv", b"a,b\nkm,EUR\n" + b"1,2\n3,4\n5,1\n" * 5)
    table = lab.page.get_by_role("dialog", name="own.csv")
    field = table.get_by_label("Columns are named in line")
    assert field.evaluate(_READS_AGAIN) == "The file is being read again…"
    lab.wait_for(lambda: table.locator("footer [role=status]").text_content() == "")


def test_the_bounds_are_seen_whole_after_their_tab_was_left_for_long(lab_of):
    lab = lab_of("?data=iris&k=3&solver=sdp&example=no")

    def run(seed):
        lab.fill("Seed", seed)
        lab.run()
        lab.room("Result")
        lab.figure("bounds")
        lab.rest("bounds")

    run("1")
    lab.room("Share")
    lab.page.wait_for_function("""() => {
        const [page] = Bokeh.documents, gone = page.get_model_by_name("bounds") === null
        page._recompute_all_models()  // it does so by itself after some seconds
        return gone
    }""")
    lab.fill("Clusters k", "4")
    run("2")

    def is_seen():
        [drawn, *_] = lab.sources("bounds", "upper")
        left, right, bottom, top = lab.ranges("bounds")
        return (
            left <= drawn["at"][0]
            and drawn["at"][-1] <= right
            and bottom < drawn["upper"][-1] < top
        )

    lab.wait_for(is_seen)


def test_an_own_run_leaves_a_person_at_the_result(lab_of):
    lab = lab_of("?data=iris&k=3&solver=sdp&example=no")
    lab.run()
    lab.page.get_by_role("tab", name="Result", selected=True).wait_for()
