"""The small things that make the page good to use: room, focus, axes that begin at zero."""

import re
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from ccviz import Problem, solve
from ccviz.data.datasets import load
from ccviz.events import (
    CutsAdded,
    Finished,
    IncumbentFound,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Record,
    Started,
)
from ccviz.runs.info import summarise
from ccviz.runs.run import Run

pytestmark = pytest.mark.browser

# How much wider a table is than its place, and the buttons of its first row that are not in it.
_CUT_OFF = """() => {
    const visit = (root) => [...root.querySelectorAll("*")].flatMap((node) =>
        node.matches(".scroll") ? [node] : node.shadowRoot ? visit(node.shadowRoot) : [])
    const [scroll] = visit(document)
    const place = scroll.getBoundingClientRect()
    const buttons = [...scroll.querySelectorAll("tbody tr:first-child button")]
    const out = buttons.filter((each) => each.getBoundingClientRect().right > place.right)
    return [scroll.scrollWidth - scroll.clientWidth, buttons.length, out.length]
}"""
_CORNER = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const {x, y} = Bokeh.index.find_one(plot).el.getBoundingClientRect()
    return [x, y]
}"""
_DARK = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    return plot.border_fill_color === "#161d26"
}"""
# Of a table that is about to be replaced nothing is known.
_OVERHANG = """(table) => table.isConnected ? table.getBoundingClientRect().right
    - table.getRootNode().host.getBoundingClientRect().right : NaN"""
_FOCUSED = """() => {
    let node = document.activeElement
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
    return [node.closest("tr")?.dataset.id, node.ariaLabel]
}"""


def test_a_run_is_seen_whole_and_its_buttons_too(lab_of):
    lab = lab_of("?data=breast_cancer&k=2&solver=cop-kmeans")
    lab.run()
    lab.choose("Data set", "spirals")
    lab.choose("Solver", "SDP branch-and-cut")
    lab.page.get_by_text("More settings").click()
    lab.fill("Node limit", "1")
    lab.fill("Cuts per block", "0")
    lab.run()
    lab.room("Runs")
    rows = lab.page.locator(".scroll tbody tr")
    rows.nth(1).wait_for()
    lab.unfold(rows.first)
    assert lab.page.evaluate(_CUT_OFF) == [0, 5, 0]
    heights = rows.nth(1).evaluate("(row) => row.getBoundingClientRect().height")
    assert heights < 40  # one line
    rows.nth(1).get_by_role("button", name="Show").focus()
    lab.page.keyboard.press("Enter")
    lab.see("569 points")
    run = rows.nth(1).get_attribute("data-id")
    lab.wait_for(lambda: "shown" in rows.nth(1).get_attribute("class"))
    assert lab.page.evaluate(_FOCUSED) == [run, "Show breast_cancer · cop-kmeans"]


def test_a_lesson_leaves_room_for_the_problem(lab):
    page = lab.page
    page.locator(".lesson-choice select").select_option(label="Branch and bound by hand")
    for step in (1, 2, 3):
        lab.see(f"Step {step} of 5")
        lab.press("Show me")
        page.locator(".finding").wait_for()
        if step < 3:
            lab.press("Next")
    lab.see("together")  # the drawing of the first child
    buttons = [page.get_by_role("button", name=name, exact=True).bounding_box()["y"]
               for name in ("Show me", "Next", "Leave")]  # fmt: skip
    assert len(set(buttons)) == 1
    for place in (
        page.get_by_label("Data set", exact=True),
        page.get_by_label("Solver", exact=True),
        page.get_by_role("button", name="Run", exact=True),
    ):
        box = place.first.bounding_box()
        assert box["y"] + box["height"] <= page.viewport_size["height"]
    lab.press("Leave")
    page.locator(".lesson").wait_for(state="hidden")
    lab.wait_for(lambda: page.locator("#lesson").bounding_box()["height"] == 0)


def test_the_bar_at_the_top_keeps_to_one_line(page, lab_of):
    page.set_viewport_size({"width": 820, "height": 1180})
    lab = lab_of("?data=breast_cancer")
    lab.see("k = 2")
    sizes = page.evaluate(
        "() => ['header', 'header .bar'].map((each) => document.querySelector(each))"
        ".map((node) => [node.scrollWidth - node.clientWidth, node.clientHeight])"
    )
    assert [wider for wider, _ in sizes] == [0, 0]
    assert sizes[1][1] <= sizes[0][1]


def test_rounds_without_cuts_stand_on_zero(lab_of):
    lab = lab_of("?data=spirals&n=30&k=3&solver=sdp&set.cuts_per_block=0")
    lab.page.get_by_text("More settings").click()
    lab.fill("Node limit", "1")
    lab.run()
    lab.room("Inside the solver")
    lab.room("Relaxation")
    lab.figure("cuts")
    lab.wait_for(lambda: lab.sources("cuts", "active")[0]["active"])
    lab.wait_for(lambda: lab.ranges("cuts")[2] == 0 and 1 <= lab.ranges("cuts")[3] < 2)


def test_no_light_line_stays_at_the_edge_of_a_dark_figure(lab):
    def edge():
        left, top = lab.page.evaluate(_CORNER)
        clip = {"x": left, "y": top, "width": 60, "height": 60}
        shot = Image.open(BytesIO(lab.page.screenshot(clip=clip))).convert("L")
        pixels = np.asarray(shot)
        return max(pixels[0].max(), pixels[:, 0].max())

    lab.press("Theme")
    lab.page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    lab.page.wait_for_function(_DARK)
    lab.wait_for(lambda: edge() < 60)


def test_what_hg_means_lowers_is_explained_and_equal_members_lie_on_one_line(lab_of):
    lab = lab_of("?data=iris&k=3&ml=0-1&cl=0-60&solver=hg-means&set.generations=3")
    lab.run()
    lab.room("Inside the solver")
    words = lab.page.get_by_text("HG-means lowers −log P of the clusters")
    words.wait_for()
    lab.room("Result")
    lab.choose("Solver", "S-MDEClust")
    lab.run()
    lab.room("Inside the solver")
    lab.figure("population")
    words.wait_for(state="hidden")
    lab.wait_for(lambda: lab.sources("population", "best")[0]["best"])
    best = lab.sources("population", "best")[0]["best"][-1]

    def height():
        *_, bottom, top = lab.ranges("population")
        return top - bottom

    lab.wait_for(lambda: height() >= 1e-4 * best)
    lab.wait_for(lambda: lab.ranges("diversity")[2] == 0)


def search_with_two_incumbents(archive, name="two incumbents"):
    """Put a run into the archive that finds an answer at its root, and the best at node 2."""
    data = load("spirals", n=30)
    problem = Problem(data.X, 3)
    none = {"pair": 0, "triangle": 0, "clique": 0, "dropped": 0, "active": 0}
    child = {"parent": 0, "depth": 1, "lower_bound": 1.0, "pair": (3, 7)}
    poor = np.arange(30) % 3
    events = [
        Started(solver="sdp", settings={}, seed=0, n=30, d=2, k=3, n_blocks=30),
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
        CutsAdded(node=0, round=1, lower_bound=1.0, **none),
        IncumbentFound(labels=poor),
        NodeBranched(node=0, pair=(3, 7), lower_bound=1.0),
        NodeOpened(node=1, together=True, **child),
        NodeOpened(node=2, together=False, **child),
        NodePruned(node=1, reason="infeasible", lower_bound=np.inf),
        CutsAdded(node=2, round=1, lower_bound=2.0, **none),
        IncumbentFound(labels=solve(problem, "blp-kmeans", seed=0).partition.labels),
        NodePruned(node=2, reason="bound", lower_bound=3.0),
        Finished(termination="proved"),
    ]
    run = Run(problem)
    records = [Record(at, 0.1 * at, event) for at, event in enumerate(events)]
    for record in records:
        run.apply(record)
    run_id = archive.create(problem, "sdp", {}, dataset="spirals", name=name)
    archive.append(run_id, records, summarise(run))
    return events


def test_the_star_stands_where_the_incumbent_was_found_and_three_runs_have_room(lab, server):
    with server.archive() as archive:
        for which in ("first", "second", "third"):
            search_with_two_incumbents(archive, f"the {which} try with noisy links, ten each")
        events = search_with_two_incumbents(archive)
    three_runs_side_by_side_have_room(lab)
    lab.show_run("two incumbents")
    lab.room("Inside the solver")
    lab.figure("tree")

    def starred():
        tree = lab.sources("tree", "marker")[0]
        return [
            (node, size)
            for node, mark, size in zip(tree["node"], tree["marker"], tree["size"], strict=True)
            if mark == "star"
        ]

    lab.wait_for(lambda: starred() == [(2, 16)])
    lab.scrubber.focus()
    lab.page.keyboard.press("Home")
    first = next(at for at, each in enumerate(events) if isinstance(each, IncumbentFound))
    for place in range(1, first + 1):
        lab.see(re.compile(rf"^{place} / {len(events)}"))
        lab.page.keyboard.press("ArrowRight")
    lab.wait_for(lambda: starred() == [(0, 16)])


def three_runs_side_by_side_have_room(lab):
    lab.room("Runs")
    rows = lab.page.locator(".scroll tbody tr").filter(has_text="noisy links")
    for place in range(3):
        rows.nth(place).get_by_role("checkbox").check()
    table = lab.page.get_by_role("table", name="Runs side by side")
    table.get_by_text("the third try").wait_for()
    lab.wait_for(lambda: table.evaluate(_OVERHANG) <= 0)
