"""How the page looks and is handled: light and dark, keys, focus."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Error

from tests.app.driver import READY, Lab

pytestmark = pytest.mark.browser

BACKGROUND = """(name) => [
    getComputedStyle(document.body).backgroundColor,
    Bokeh.documents[0].get_model_by_name(name).background_fill_color,
]"""


def brightness(color):
    """Return how light a colour is, 0 to 255, from the way that CSS or Bokeh writes it."""
    if color.startswith("#"):
        return sum(int(color[at : at + 2], 16) for at in (1, 3, 5)) / 3
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 3


def contrast(lab):
    """Return the least contrast of a text on the page against what it stands on."""
    return lab.page.evaluate(CONTRAST)


# WCAG 2.2's relative luminance, over the texts in every shadow root.
CONTRAST = """() => {
    const channel = (value) => value <= 10.3 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4
    const parse = (color) => color.match(/[\\d.]+/g).map(Number)
    const light = ([red, green, blue]) =>
        0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
    const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host
    const behind = (node) => {
        for (; node; node = up(node)) {
            const color = parse(getComputedStyle(node).backgroundColor)
            if (color.length < 4 || color[3] === 1) return color
        }
        return [255, 255, 255]
    }
    const dim = (node) => {
        for (; node; node = up(node)) if (Number(getComputedStyle(node).opacity) < 1) return true
        return false
    }
    const found = []
    const visit = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.shadowRoot) visit(node.shadowRoot)
            const own = [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim())
            if (!own || !node.checkVisibility({visibilityProperty: true})) continue
            if (["STYLE", "SCRIPT", "OPTION"].includes(node.tagName) || dim(node)) continue
            const [one, two] = [light(parse(getComputedStyle(node).color)), light(behind(node))]
            const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05)
            found.push([ratio, node.textContent.trim().slice(0, 40)])
        }
    }
    visit(document)
    return found.sort((one, two) => one[0] - two[0])[0]
}"""


def test_light_and_dark_reach_every_figure(lab, picture):
    lab.choose("Solver", "ℓp-box ADMM")
    lab.run()
    lab.room("Inside the solver")
    figures = ("scatter", "residuals", "assignment")
    for figure in figures[1:]:
        lab.figure(figure)
    light = [lab.page.evaluate(BACKGROUND, figure) for figure in figures]
    assert contrast(lab)[0] > 4.5
    lab.press("Theme")
    lab.page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    for before, figure in zip(light, figures, strict=True):
        # The page and the figure each change in their own time.
        lab.wait_for(
            lambda figure=figure, before=before: (
                not (set(lab.page.evaluate(BACKGROUND, figure)) & set(before))
            )
        )
        page, plot = lab.page.evaluate(BACKGROUND, figure)
        assert brightness(page) < 60 < 200 < brightness(before[0])
        assert brightness(plot) < 60 < 200 < brightness(before[1])
    assert contrast(lab)[0] > 4.5
    picture(lab.page, "dark")
    for room, words in (("Bounds", "Tick past runs"), ("Runs", "This server is running"),
                        ("Share", "Command line"), ("Result", "Valid, not proved")):  # fmt: skip
        lab.room(room)
        lab.see(re.compile(words))
        assert contrast(lab)[0] > 4.5, room


def test_the_page_is_walked_through_with_the_tab_key(lab):
    focused = """() => {
        let node = document.activeElement
        while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
        const style = getComputedStyle(node)
        return [node.textContent.trim() || node.ariaLabel || node.title || node.tagName,
                style.outlineStyle !== "none" || style.boxShadow !== "none"]
    }"""
    seen = {}
    for _ in range(60):
        lab.page.keyboard.press("Tab")
        words, ringed = lab.page.evaluate(focused)
        seen[words] = ringed
        if words == "Run":
            break
    assert "Run" in seen
    assert {"Ask me", "Paint", "Matrix"} <= set(seen)
    assert seen["Run"], "nothing shows which button has the focus"
    lab.page.keyboard.press("Enter")
    lab.see("Valid, not proved")


def test_groups_are_held_and_linked_by_keys(lab):
    lab.page.get_by_text("More ways to link").click()
    box = lab.page.get_by_label("Pick points by number or name")

    def pick(text):
        box.fill(text)
        box.press("Enter")
        box.blur()

    pick("1 2 3")
    lab.see("3 points")
    lab.page.keyboard.press("h")
    lab.see("3 points held")
    pick("60 61")
    lab.see("points 60 and 61 against 3 points")
    lab.page.keyboard.press("c")
    lab.see("0 must-links, 6 cannot-links")
    lab.page.keyboard.press("z")
    lab.see("Click two points of the plot")
    lab.page.keyboard.press("Shift+Z")
    lab.see("0 must-links, 6 cannot-links")
    lab.page.keyboard.press("p")
    lab.page.get_by_role("button", name="Eraser").wait_for()
    lab.page.keyboard.press("p")
    lab.page.get_by_role("button", name="Eraser").wait_for(state="hidden")
    for key, words in (("3", "The views of the solver appear here"), ("4", "Tick past runs"),
                       ("6", "Command line"), ("5", "server is"), ("1", "No run yet")):  # fmt: skip
        lab.page.keyboard.press(key)
        lab.see(re.compile(words))


def test_texts_are_readable_from_the_last_row(page, lab):
    lab.run()
    for width, height in [(1280, 720), (820, 1180)]:
        page.set_viewport_size({"width": width, "height": height})
        lab.wait_for(lambda width=width: page.evaluate("innerWidth") == width)
        lab.rest()
        smallest = smallest_text(page)
        assert smallest[0] >= 11, smallest


def smallest_text(page):
    """Return the size and the beginning of the smallest text that is seen."""
    sizes = page.evaluate(
        "() => { const found = []; const visit = (root) => { for (const node of "
        "root.querySelectorAll('*')) { if (node.shadowRoot) visit(node.shadowRoot); "
        "if ([...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim()) "
        "&& !['STYLE', 'SCRIPT', 'OPTION'].includes(node.tagName) && node.checkVisibility()) "
        "found.push([parseFloat(getComputedStyle(node).fontSize), node.textContent.slice(0, 40)])"
        " } }; visit(document); return found }"
    )
    return min(size for size in sizes if size[0] > 0)  # buttons with an icon hide their name


# What can be pressed and is smaller than a size, in every shadow root. Bokeh's own tool bar and the
# arrows of number fields are left out: the fields are typed in as well.
SMALLER = """([width, height]) => {
    const found = []
    const visit = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.shadowRoot) visit(node.shadowRoot)
            const pressed = "button, select, input:not([type=file], [type=checkbox]), .bk-tab"
            if (!node.matches(pressed) || node.matches(".bk-spin-btn")) continue
            const box = node.getBoundingClientRect()
            if (box.width === 0 || box.height === 0) continue
            if (box.width < width || box.height < height)
                found.push([node.textContent.slice(0, 40) || node.ariaLabel, box.width, box.height])
        }
    }
    visit(document)
    return found
}"""


def test_all_that_is_pressed_is_large_enough(lab):
    lab.link("must", 0, 100)
    lab.run()
    for room in ("Clusters", "Inside the solver", "Bounds", "Runs", "Share", "Result"):
        lab.room(room)
        lab.wait_for(lambda: not lab.page.evaluate(SMALLER, [24, 24]))


def test_all_that_a_finger_presses_is_larger(browser, server):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    lab = Lab(context.new_page(), f"{server.url}")
    assert not lab.page.evaluate(SMALLER, [36, 44])
    # Run is over the bars at the foot, and a third of the screen at most is bars and buttons.
    box = {name: lab.page.get_by_role("button", name=name, exact=True).bounding_box()
           for name in ("Try it", "Ask me", "Run")}  # fmt: skip
    foot = lab.page.locator(".status").first.bounding_box()["y"]
    assert box["Run"]["y"] + box["Run"]["height"] <= foot
    header = lab.page.locator("header").bounding_box()["height"]
    strip, bar = (box[name]["height"] + 10 for name in ("Try it", "Ask me"))
    assert header + strip + bar + (foot - box["Run"]["y"] + 8) + (844 - foot) <= 844 / 3
    lab.page.get_by_role("button", name="Keys").wait_for(state="hidden")
    order = "() => ['main', 'left', 'right'].map((id) => document.getElementById(id).offsetTop)"
    plot, problem, result = lab.page.evaluate(order)
    assert plot < problem < result
    lab.page.get_by_role("button", name="Result").tap()
    lab.wait_for(lambda: lab.page.evaluate("scrollY") > plot)
    lab.page.get_by_role("button", name="Ask me").tap()
    lab.page.get_by_role("button", name="Together", exact=True).wait_for()  # without its key
    context.close()


def test_a_jump_leads_to_the_plot_by_the_keyboard(lab):
    lab.page.keyboard.press("Tab")
    jump = lab.page.get_by_role("button", name="Plot", exact=True)
    assert jump.evaluate("(node) => node === document.activeElement")
    assert jump.bounding_box()["y"] >= 0
    before = lab.page.url
    lab.page.keyboard.press("Enter")
    lab.page.keyboard.press("Tab")
    focused = lab.page.evaluate("() => document.activeElement.closest('main') !== null")
    assert focused
    assert lab.page.url == before


def test_on_a_phone_a_refusal_is_seen_where_the_person_is(page, lab_of, picture):
    page.set_viewport_size({"width": 390, "height": 844})
    lab = lab_of()
    lab.fill("Clusters k", "0")
    lab.see("k = 0 is not a whole number of at least 1 cluster.")
    lab.rest()
    note = page.get_by_role("alert").filter(has_text="k = 0 is not").bounding_box()
    foot = page.locator(".status").first.bounding_box()["y"]
    assert note["y"] >= 0
    assert note["y"] + note["height"] <= foot
    picture(page, "refused")
    assert page.get_by_label("Clusters k").input_value() == "3"


def test_on_a_phone_the_player_has_one_line(page, lab_of):
    page.set_viewport_size({"width": 390, "height": 844})
    lab_of()
    run = page.get_by_role("button", name="Run", exact=True).bounding_box()
    named = [page.get_by_role("button", name=name, exact=True)
             for name in ("Pause", "Back", "Step", "Stop")]  # fmt: skip
    for part in (*named, page.get_by_label("Speed", exact=True)):
        box = part.bounding_box()
        assert abs(box["y"] + box["height"] / 2 - run["y"] - run["height"] / 2) < 2


def test_the_longest_data_set_of_the_menu_is_read_whole(page, lab_of):
    page.set_viewport_size({"width": 1280, "height": 720})
    lab_of("?data=ring_around_ring&example=no")
    menu = page.get_by_label("Data set", exact=True)
    longest = menu.evaluate(
        "(list) => { const pen = document.createElement('canvas').getContext('2d');"
        " pen.font = getComputedStyle(list).font;"
        " return pen.measureText('ring around ring').width }"
    )
    assert menu.bounding_box()["width"] >= longest + 23  # its edges and its arrow


def test_on_a_phone_all_tabs_are_seen(page, lab_of):
    page.set_viewport_size({"width": 390, "height": 844})
    lab_of()
    last = page.get_by_role("tab", name="Share").bounding_box()
    assert last["x"] + last["width"] <= 390
    page.evaluate("() => document.scrollingElement.scrollTo(0, document.body.scrollHeight)")
    right, bar = page.locator("#right"), page.locator("#jump").bounding_box()
    assert right.evaluate("(node) => node.getBoundingClientRect().bottom") <= bar["y"]


def test_on_a_phone_the_end_of_the_page_is_over_its_bar(page, lab_of):
    page.set_viewport_size({"width": 390, "height": 844})
    lab_of()
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    end, bar = (page.locator(name).bounding_box() for name in ("#right", "#jump"))
    assert bar["y"] + bar["height"] == 844
    assert end["y"] + end["height"] <= bar["y"]


ARROWS = """() => {
    const visit = (root) => [...root.querySelectorAll("*")].flatMap((node) =>
        node.shadowRoot ? visit(node.shadowRoot) : node.matches("select") ? [node] : [])
    return visit(document).map((list) => {
        const {appearance, backgroundImage, backgroundSize} = getComputedStyle(list)
        return [appearance, backgroundImage.slice(0, 40), backgroundSize].join()
    })
}"""


def test_all_lists_have_the_same_arrow(lab):
    lab.room("Runs")
    lab.page.get_by_label("Sort runs by").wait_for()
    arrows = lab.page.evaluate(ARROWS)
    assert len(arrows) > 6
    assert set(arrows) == {arrows[0]}
    assert "data:image" in arrows[0]


def test_a_dark_system_has_a_dark_page_until_light_is_chosen(page, lab_of):
    page.emulate_media(color_scheme="dark")
    try:
        lab_of()
        page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        assert "theme=" not in page.url
        page.get_by_role("button", name="Theme").click()
        page.wait_for_function("document.documentElement.dataset.theme === 'light'")
        page.wait_for_url("**theme=light**")
        page.reload()
        page.wait_for_function(READY)
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        page.wait_for_url("**theme=light**")
    finally:
        page.emulate_media(color_scheme="light")


# Landmarks that the page's own buttons jump to are no controls.
_LANDMARKS = {"RootWebArea", "complementary", "main"}


def controls(page) -> list[str]:
    """Return the names of what can have the focus inside the window, as screen readers do."""
    tree = page.context.new_cdp_session(page)
    tree.send("DOM.enable")
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    found = []
    for node in tree.send("Accessibility.getFullAXTree")["nodes"]:
        has = {each["name"] for each in node.get("properties", []) if each["value"].get("value")}
        if node["ignored"] or "focusable" not in has or node["role"]["value"] in _LANDMARKS:
            continue
        with suppress(Error):  # it is not drawn
            quads = tree.send("DOM.getContentQuads", {"backendNodeId": node["backendDOMNodeId"]})
            if any(
                max(quad[::2]) > 0 and min(quad[::2]) < width
                and max(quad[1::2]) > 0 and min(quad[1::2]) < height
                for quad in quads["quads"]
            ):  # fmt: skip
                found.append(node["name"]["value"])
    tree.detach()
    return found


def test_few_controls_are_in_sight_and_the_others_a_click_or_an_address_away(lab_of, picture):
    lab = lab_of("")
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    lab.rest()
    assert 20 < len(controls(lab.page)) <= 37, controls(lab.page)
    picture(lab.page, "few")
    lab = lab_of("?data=iris")
    seed = lab.page.get_by_label("Seed", exact=True).first
    assert not seed.is_visible()
    lab.unfold_settings()
    assert seed.is_visible()
    lab.choose("Solver", "BLP k-means")  # it is the person's own now
    lab.page.get_by_role("button", name="Quick, no proof").wait_for()
    lab.wait_for(lambda: "solver=blp-kmeans" in lab.page.url)
    lab.page.reload()
    seed.wait_for()
    lab = lab_of("?data=iris&solver=sdp")
    lab.page.get_by_label("Tolerance").first.wait_for()
