"""Rules in the left rail, what refuses them, and what must not move or stay while one works."""

import json
import re

import pytest

pytestmark = pytest.mark.browser

# Whether the plot shows the links at the pointer.
_AT_THE_POINTER = """() => Bokeh.documents[0].get_model_by_name("scatter").tags.includes("near")"""
# What the tooltips of figures say that are seen.
TOOLTIP = """() => {
    const visit = (root) => [...root.querySelectorAll("*")].flatMap((node) =>
        [node, ...(node.shadowRoot ? visit(node.shadowRoot) : [])])
    return visit(document)
        .filter((node) => node.matches(".bk-Tooltip") && node.getBoundingClientRect().width > 0)
        .map((node) => node.textContent + (node.shadowRoot?.textContent ?? "")).join()
}"""
NAMED = "name,a,b\n" + "".join(f"Customer {i},{i % 7},{i % 5}\n" for i in range(60))


def add(lab, kind, limit):
    lab.page.get_by_label("Kind of rule").select_option(label=kind)
    field = lab.page.get_by_label("Limit of the rule")
    field.fill(limit)
    field.press("Enter")


def rules(lab):
    return lab.page.get_by_role("list", name="Rules", exact=True).get_by_role("listitem")


def place(lab):
    """Return where the plot is on the page."""
    lab.rest()
    return lab.pixel(0, 0)


def test_rules_are_added_refused_kept_and_undone(lab, picture):
    page = lab.page
    lab.press("Add a rule")
    add(lab, "Diameter at most", "wide")
    lab.see(re.compile("a number of at least 0 is needed"))
    add(lab, "Diameter at most", "3.5")
    rules(lab).filter(has_text="diameter at most 3.5").wait_for()
    assert page.get_by_label("Limit of the rule").input_value() == ""
    page.get_by_text("a number of at least 0 is needed").wait_for(state="hidden")
    assert lab.drawn("cannot") == 0
    lab.run()
    rules(lab).filter(has_text="holds: 2.").wait_for()
    page.get_by_role("list", name="Rules of the answer").get_by_text("holds: 2.").wait_for()
    lab.room("Clusters")
    page.get_by_role("list", name="Rules of the clusters").get_by_text("holds").wait_for()

    # Another answer: for whom the solver at hand is not made, with a button that helps.
    add(lab, "Different from a run", "20")
    rules(lab).filter(has_text="unlike blp-kmeans").wait_for()
    before = place(lab)
    page.keyboard.press("Escape")
    lab.press("Run")
    said = lab.see_notice("BLP k-means cannot handle rules on clusters")
    assert said.startswith("Error: this solver cannot do it.")
    assert place(lab) == before
    picture(page, "refused")
    page.get_by_role("button", name="★ Column generation").last.click()
    page.locator(".sentence").wait_for(state="hidden")
    solver = page.get_by_label("Solver", exact=True)
    lab.wait_for(lambda: solver.input_value() == "Column generation")

    lab.press("Undo")
    lab.wait_for(lambda: rules(lab).count() == 1)
    page.get_by_role("button", name="Take away: diameter at most 3.5").click()
    lab.wait_for(lambda: rules(lab).count() == 0)
    lab.press("Undo")
    lab.wait_for(lambda: rules(lab).count() == 1)


def test_names_are_suggested_and_nothing_stays_that_should_go(lab_of, picture):
    lab = lab_of("?data=iris&k=3&ml=0-60&cl=0-1&solver=blp-kmeans")
    page = lab.page
    points = lab.points()
    page.get_by_text("More ways to link").click()
    drawn = page.get_by_label("Which links are drawn")
    drawn.select_option(label="Only broken")
    lab.wait_for(lambda: lab.source("must", "alpha")["alpha"] == [0])
    drawn.select_option(label="At the pointer")
    page.wait_for_function(_AT_THE_POINTER)  # or the move shows nothing
    lab.rest()
    page.mouse.move(*lab.pixel(points["x"][1], points["y"][1]), steps=4)
    lab.wait_for(lambda: lab.source("cannot", "alpha")["alpha"] == [1])
    assert lab.source("must", "alpha")["alpha"] == [0]

    # A tooltip does not stay where its point was before the brush came over the plot.
    lab.wait_for(lambda: "setosa" in page.evaluate(TOOLTIP))
    page.keyboard.press("p")
    page.get_by_text("Eraser").wait_for()
    lab.wait_for(lambda: "setosa" not in page.evaluate(TOOLTIP))
    page.keyboard.press("p")
    page.get_by_text("Eraser").wait_for(state="hidden")

    # Nor over the buttons for two points.
    lab.pick(0, 1)
    lab.wait_for(lambda: "setosa" not in page.evaluate(TOOLTIP))
    page.mouse.move(*lab.pixel(points["x"][0], points["y"][0]), steps=4)
    assert "setosa" not in page.evaluate(TOOLTIP)
    page.keyboard.press("Escape")

    lab.take_table("customers.csv", NAMED.encode())
    lab.see("customers · 60 points")
    field = page.get_by_label("Pick points by number or name")
    field.press_sequentially("customer 1")
    options = page.get_by_role("listbox", name="Names that fit").get_by_role("option")
    # While one types, the list is of an earlier text, and goes back to its start when renewed.
    fit = ["Customer 1", *(f"Customer {i}" for i in range(10, 17))]
    lab.wait_for(lambda: options.all_inner_texts() == fit)
    picture(page, "names")
    field.press("ArrowDown")
    field.press("ArrowDown")
    field.press("Enter")
    assert field.input_value() == "Customer 10, "
    field.press_sequentially("59")
    lab.wait_for(lambda: options.all_inner_texts() == ["Customer 59"])
    options.click()
    field.press("Enter")
    lab.see("Customer 10 and Customer 59")
    assert field.input_value() == ""
    page.keyboard.press("m")
    lab.see("Customer 10 – Customer 59")


def test_a_click_on_a_node_moves_nothing_and_its_tooltip_goes(lab_of, picture):
    lab = lab_of("?data=spirals&n=30&k=3&solver=sdp&set.cuts=none&limit.node_limit=7")
    page = lab.page
    lab.room("Inside the solver")
    lab.run()
    lab.figure("tree")
    root = lab.root()
    at = lab.pixel(*root, "tree")
    page.mouse.move(at[0], at[1], steps=3)
    lab.wait_for(lambda: "depth 0" in page.evaluate(TOOLTIP))
    page.mouse.click(*at)
    node = page.get_by_role("region", name="Node").filter(has_text="Node 0, depth 0")
    node.wait_for()
    lab.rest("tree")
    assert lab.pixel(*root, "tree") == at
    page.mouse.move(at[0] + 1, at[1], steps=2)
    lab.wait_for(lambda: "depth 0" not in page.evaluate(TOOLTIP))
    picture(page, "node")


def test_a_limit_on_a_sum_names_a_column(lab):
    lab.press("Add a rule")
    column = lab.page.get_by_label("Column that the rule names")
    assert column.is_hidden()
    add(lab, "Sum of a column at least", "90%")
    lab.see(re.compile("each need"))
    column.select_option(index=1)
    add(lab, "Sum of a column at least", "20%")
    rules(lab).filter(has_text="at least 20 % of sepal width").wait_for()
    lab.run()
    rules(lab).filter(has_text="holds: ").wait_for()


def test_rules_are_joined_by_or_and_name_a_run_or_soft_links(lab_of, picture):
    lab = lab_of("?data=moons&n=20&k=3&solver=colgen&cl=0-1*0.001,2-3*0.001")
    page = lab.page
    lab.press("Add a rule")
    lab.run()
    add(lab, "Soft cannot-links at most", "0")
    conflicts = rules(lab).filter(has_text="at most 0 soft cannot-links in a cluster")
    conflicts.wait_for()
    add(lab, "Similar to a run, but for", "1")
    rules(lab).filter(has_text="at most 1 points a cluster from outside").wait_for()
    lab.fill("Seed", "1")
    lab.run()
    rules(lab).filter(has_text="from outside").filter(has_text="holds: ").wait_for()

    # The second rule or another: the form says which, and has no kind that cannot be joined.
    page.get_by_role("button", name="Join another rule by or: at most 1 points").click()
    page.get_by_text(re.compile("Every cluster keeps “at most 1 points a cluster")).wait_for()
    limit = page.get_by_label("Limit of the rule")
    lab.wait_for(lambda: limit.evaluate("field => field.getRootNode().activeElement === field"))
    offered = page.get_by_label("Kind of rule").locator("option:not([hidden])")
    lab.wait_for(lambda: "Size at least" not in offered.all_inner_texts())
    assert "Diameter at most" in offered.all_inner_texts()
    picture(page, "or")
    add(lab, "Size at most", "8")
    both = rules(lab).filter(has_text=", or at most 8 points a cluster")
    both.wait_for()
    page.get_by_text("Every cluster keeps").wait_for(state="hidden")
    lab.fill("Seed", "2")
    lab.run()
    both.filter(has_text="holds").wait_for()
    picture(page, "joined")
    lab.press("Undo")
    lab.wait_for(lambda: both.count() == 0)
    assert rules(lab).count() == 2


def test_neighbours_are_drawn_kept_and_undone(lab_of, picture):
    lab = lab_of("?data=iris&k=3&solver=sdp&x=petal length (cm)&y=petal width (cm)")
    lab.press("More ways to link")
    field = lab.page.get_by_label("Neighbours", exact=True)
    field.fill("ring")
    field.press("Enter")
    lab.see_notice("delaunay, and 'ring' is none")
    field.fill("knn:5 of petal length (cm), petal width (cm)")
    field.press("Enter")
    drawn = lab.page.get_by_role("button", name="Draw neighbours")
    drawn.wait_for()
    lab.see("islands, of ")
    lab.wait_for(lambda: len(lab.source("neighbors", "x0")["x0"]) > 300)
    picture(lab.page, "neighbours")
    drawn.click()
    lab.wait_for(lambda: len(lab.source("neighbors", "x0")["x0"]) == 0)
    lab.press("Undo")
    drawn.wait_for(state="hidden")
    assert field.input_value() == ""


def test_areas_of_geojson_are_neighbours_by_their_borders(lab, picture):
    corners = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
    grid = [
        {
            "type": "Feature",
            "properties": {"name": f"area {x} {y}", "income": (7 * x + 5 * y) % 11 + 0.5},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x + right, y + up] for right, up in corners]],
            },
        }
        for y in range(4)
        for x in range(4)
    ]
    content = json.dumps({"type": "FeatureCollection", "features": grid}).encode()
    lab.take_table("areas.geojson", content)
    lab.see("areas · 16 points")
    lab.press("More ways to link")
    field = lab.page.get_by_label("Neighbours", exact=True)
    field.fill("borders")
    field.press("Enter")
    lab.wait_for(lambda: len(lab.source("neighbors", "x0")["x0"]) == 24)
    picture(lab.page, "borders")
    assert field.input_value().startswith("pairs:0-1,")


def test_a_rule_that_k_cannot_keep_leads_to_the_least_k(lab, picture):
    lab.take_table("p23.csv", b"a,b\n" + b"".join(b"%d,%d\n" % (i % 7, i % 5) for i in range(23)))
    lab.fill("Clusters k", "3")
    lab.press("Add a rule")
    add(lab, "Size at most", "5")
    lab.see_notice("this rule cannot be kept")
    lab.press("Find the least k")
    sheet = lab.page.get_by_role("dialog", name="How many clusters?")
    sheet.get_by_text("5 is the least number of clusters, proved.").wait_for()
    picture(lab.page, "least")
    sheet.get_by_role("button", name="Use k = 5").click()
    rules(lab).filter(has_text="at most 5 points a cluster").wait_for()
    lab.wait_for(lambda: lab.page.get_by_label("Clusters k", exact=True).input_value() == "5")
    lab.page.get_by_text("there are 23 points").wait_for(state="hidden")
