"""Every view of a run in a real browser: what it draws, that it stays put, that it can be saved."""

import re

import numpy as np
import pytest

from ccviz.events import RelaxationSolved, ResidualsUpdated
from tests.made_up import forty_points, stamped, tree_events

pytestmark = pytest.mark.browser

# A dozen nodes in some seconds, with no or few cuts at a node: the root is not enough.
SPIRALS = "?data=spirals&n=30&k=3&solver=sdp"
WITHOUT_CUTS = f"{SPIRALS}&set.max_rounds=1&set.show_relaxation=False"
WITH_CUTS = f"{SPIRALS}&set.cuts_per_block=0.02&set.show_relaxation=True"
INNER_HEIGHT = "(name) => Bokeh.documents[0].get_model_by_name(name).inner_height"


def tabs(lab):
    """Return the names of the solver's own views."""
    return lab.page.locator(".bk-tab").all_inner_texts()[6:]


# --- The tree -------------------------------------------------------------------------------


def nodes(lab):
    """Return the columns of the tree's nodes."""
    return next(iter(lab.sources("tree", "lower_bound")))


def node_count(lab):
    return len(nodes(lab)["node"])


def see_every_node_closed(lab):
    """Wait for the end of a tree of more than its root, which is drawn first."""
    lab.wait_for(lambda: node_count(lab) > 1 and "open" not in nodes(lab)["kind"])


def click_node(lab, row):
    """Click a node of a tree that does not grow, and see that it is chosen."""
    lab.rest("tree")
    tree = nodes(lab)
    lab.page.mouse.click(*lab.pixel(tree["x"][row], tree["y"][row], "tree"))
    lab.see(re.compile(f"^Node {tree['node'][row]}, depth {tree['depth'][row]}: "))


def ring(lab):
    """Return where the chosen node is marked."""
    data = next(each for each in lab.sources("tree", "x") if set(each) == {"x", "y", "node"})
    return {"x": data["x"], "y": data["y"]}


def test_the_tree_grows_and_stays_where_it_was_put(lab_of, picture, tmp_path):
    lab = lab_of(WITHOUT_CUTS)
    lab.room("Inside the solver")
    lab.step()  # the run waits before each event
    lab.step()
    lab.figure("tree")
    while node_count(lab) < 3:
        lab.step()
    few = node_count(lab)
    click_node(lab, 2)
    before = lab.ranges("tree")
    lab.page.mouse.wheel(0, -240)
    lab.wait_for(lambda: lab.ranges("tree") != before)
    lab.rest("tree")
    zoomed = lab.ranges("tree")
    picture(lab.page, "zoomed")

    lab.choose("Speed", "Speed: Live")
    lab.press("Go on")
    lab.see("The solver finished its proof.")
    see_every_node_closed(lab)
    tree = nodes(lab)
    assert len(tree["node"]) > few
    assert lab.ranges("tree") == pytest.approx(zoomed)
    lab.wait_for(lambda: ring(lab) == {"x": [tree["x"][2]], "y": [tree["y"][2]]})

    place = lab.figure("tree")
    place.hover()
    lab.tool(place, "Reset").click()
    lab.wait_for(lambda: lab.ranges("tree") != zoomed)
    # The states can be told apart by shape as well as by colour.
    looks = set(zip(tree["kind"], tree["marker"], tree["color"], strict=True))
    kinds, markers, colors = map(set, zip(*looks, strict=True))
    assert kinds >= {"branched", "bound"}
    assert len(looks) == len(markers) == len(colors) == len(kinds)
    root, best = tree["lower_bound"][0], incumbent_line(lab)
    assert tree["y"][0] == root == min(tree["y"]) < best
    assert f"best found so far {best:.6g}" in title(lab, "tree")

    lab.press("Depth")
    lab.wait_for(lambda: nodes(lab)["y"] == nodes(lab)["depth"])
    picture(lab.page, "depth")
    lab.press("Lower bound")
    lab.wait_for(lambda: nodes(lab)["y"] == pytest.approx(tree["y"]))
    lab.rest("tree")
    lab.page.mouse.move(*lab.pixel(tree["x"][0], tree["y"][0], "tree"))
    lab.see("the root: nothing is decided")
    picture(lab.page, "hover")
    lab.save(tmp_path, "tree")


def incumbent_line(lab):
    """Return how high the line across the tree lies, None if it is not seen."""
    return lab.page.evaluate(
        "() => { const line = Bokeh.documents[0].get_model_by_name('tree').center"
        ".find((each) => each.dimension === 'width' && each.location !== undefined)"
        "; return line.visible ? line.location : null }"
    )


def test_a_clicked_node_is_explained(lab_of, picture, tmp_path):
    lab = lab_of(WITH_CUTS)
    lab.run()
    lab.room("Inside the solver")
    lab.figure("tree")
    see_every_node_closed(lab)
    tree = nodes(lab)
    closed = tree["kind"].index("bound")
    click_node(lab, closed)
    words = node_words(lab)
    assert "closed by its bound" in words
    assert "every clustering under these decisions costs at least" in words

    split = max(row for row, kind in enumerate(tree["kind"]) if kind == "branched")
    click_node(lab, split)
    words = node_words(lab)
    assert "It was split in two" in words
    assert re.search(
        r"Cuts\s+\d+ rounds?(, no cuts|: \d+ pairs?, \d+ triangles?, \d+ cliques?; \d)", words
    )
    decided = re.search(r"Decided together\s+(.*)\s+Decided apart\s+(.*)", words).groups()
    pairs = [re.findall(r"(\d+)-(\d+)", text) for text in decided]
    assert sum(map(len, pairs)) == tree["depth"][split] > 1

    # Its decisions lie on the points: solid lines put together, dashed ones keep apart.
    *_, together, apart = lab.sources("scatter", "x0")
    points = lab.points()
    for drawn, expected in ((together, pairs[0]), (apart, pairs[1])):
        starts = sorted(points["x"][int(i)] for i, _ in expected)
        assert sorted(drawn["x0"]) == pytest.approx(starts)
    assert set(points["label"]) == {0, 1, 2}
    # How its bound rose is drawn on the bounds below the tree.
    history = lab.sources("proof-bounds", "bound")[0]
    assert history["bound"] == sorted(history["bound"])
    assert len(history["at"]) > 0
    picture(lab.page, "history")
    lab.save(tmp_path, "proof-bounds")

    node = tree["node"][split]
    lab.room("Relaxation")
    lab.figure("matrix")
    assert set(lab.sources("cuts", "triangle")[0]["node"]) == {node}
    assert title(lab, "matrix").startswith(f"node {node}: ")


def title(lab, figure):
    """Return the line over a figure."""
    return lab.page.evaluate(
        "(name) => Bokeh.documents[0].get_model_by_name(name).above"
        ".find((each) => each.text !== undefined).text",
        figure,
    )


def test_the_tree_hears_clicks_after_another_view_has_come_beside_it(lab_of):
    lab = lab_of(WITH_CUTS)
    lab.room("Inside the solver")
    while "Relaxation" not in tabs(lab) or not nodes(lab)["lower_bound"][0] > 0:
        lab.step()  # a root without a bound is not drawn
    lab.figure("tree")
    click_node(lab, 0)


def node_words(lab):
    return lab.page.get_by_role("region", name="Node").inner_text()


def show_made_up(lab, server, nodes):
    """Show a run that was made by hand, with about a number of nodes."""
    problem, name = forty_points(), f"made up, {nodes} nodes"
    with server.archive() as archive:
        run_id = archive.create(problem, "sdp", {})
        archive.append(run_id, stamped(problem, tree_events(problem, nodes, seed=0)), None)
        archive.rename(run_id, name)
    lab.show_run(name)
    lab.see("40 points")
    lab.room("Inside the solver")
    lab.figure("tree")


def test_a_node_of_which_nothing_is_known_yet_has_no_history_but_figures_have_axes(lab, server):
    show_made_up(lab, server, 3)
    lab.wait_for(lambda: node_count(lab) == 3)
    lab.scrubber.focus()
    lab.page.keyboard.press("Home")
    lab.page.keyboard.press("ArrowRight")
    lab.wait_for(lambda: node_count(lab) == 1)
    lab.page.keyboard.press("End")
    lab.wait_for(lambda: node_count(lab) == 3)
    click_node(lab, 0)
    lab.wait_for(lambda: lab.sources("proof-bounds", "bound")[0]["at"])
    click_node(lab, 1)
    lab.room("Relaxation")
    lab.figure("cuts")
    assert lab.sources("cuts", "round")[0]["round"] == []
    left, right, *_ = lab.ranges("cuts")
    assert left < right


def test_ten_thousand_nodes_are_folded_and_can_be_moved(lab, server):
    show_made_up(lab, server, 10_000)
    lab.wait_for(lambda: node_count(lab) > 100)
    assert node_count(lab) <= 600
    assert re.match(r"(9,99\d|10,00\d) nodes, 9,\d+ of them folded away", title(lab, "tree"))
    left, right, bottom, top = lab.ranges("tree")
    middle = (left + right) / 2, (bottom + top) / 2
    lab.drag(middle, (left + 0.6 * (right - left), middle[1]), figure="tree")
    lab.rest("tree")
    moved = lab.ranges("tree")
    assert moved[0] < left
    # A folded subtree opens where it is clicked, and the view stays.
    tree = nodes(lab)
    inside = [
        at for at, kind in enumerate(tree["kind"])
        if kind == "folded" and moved[0] < tree["x"][at] < moved[1]
    ]  # fmt: skip
    click_node(lab, inside[len(inside) // 2])
    assert lab.page.get_by_text("decision:").count() <= 1  # of all that lie under the mouse
    assert lab.ranges("tree") == pytest.approx(moved)


def bands(lab):
    """Return the lives of nodes that are lit on the bounds, each from when to when."""
    return lab.page.evaluate(
        "() => Bokeh.documents[0].get_model_by_name('proof-bounds').center"
        ".filter((each) => each.type === 'BoxAnnotation' && each.visible)"
        ".map((each) => [each.left, each.right])"
    )


def test_a_proof_is_watched_on_one_screen(lab_of, server, picture):
    lab = lab_of("?data=spirals&n=20&k=3&solver=sdp&set.cuts_per_block=0&seed=1")
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.run()
    lab.room("Inside the solver")
    lab.figure("tree")
    lab.figure("proof-bounds")
    see_every_node_closed(lab)
    status = lab.page.get_by_role("region", name="Status").inner_text()
    assert re.search(
        r"Optimal clustering\s+sdp, seed 1\s+Cost\s+[\d.]+\s+Bound\s+[\d.]+\s+Gap\s+.*%", status
    )
    labels = [label for text in lab.sources("tree", "text") for label in text["text"]]
    assert labels
    assert all(re.fullmatch(r"\d+–\d+\s(together|apart)", label) for label in labels)
    # The node under the mouse lights its life on the bounds; a clicked one keeps it.
    tree = nodes(lab)
    row = tree["kind"].index("bound")
    lab.rest("tree")
    lab.page.mouse.move(*lab.pixel(tree["x"][row], tree["y"][row], "tree"))
    life = [pytest.approx(tree[moment][row]) for moment in ("opened", "closed")]
    lab.wait_for(lambda: bands(lab) == [life])
    click_node(lab, row)
    lab.page.mouse.move(0, 0)
    lab.wait_for(lambda: bands(lab) == [life])
    # With a node explained, the tree has a fifth of a small screen.
    lab.wait_for(lambda: lab.page.evaluate(INNER_HEIGHT, "tree") >= 144)
    assert "is being overridden" not in server.log.read_text()  # a warning of Panel's on sizes
    # The sentence that says why is whole: it ends above the bounds.
    words = lab.page.get_by_role("region", name="Node").bounding_box()
    bounds = lab.figure("proof-bounds").bounding_box()
    assert words["y"] + words["height"] <= bounds["y"]
    assert bounds["y"] + bounds["height"] <= 720
    lab.press("Depth")
    lab.wait_for(lambda: nodes(lab)["y"] == nodes(lab)["depth"])
    picture(lab.page, "depth")

    lab.page.keyboard.press("f")
    lab.page.wait_for_function("document.documentElement.hasAttribute('data-presenting')")
    share = lab.page.locator("header").get_by_role("button").first  # of the header, the title stays
    assert not share.is_visible()
    cluster = lab.page.get_by_role("button", name="cluster 0").first
    assert cluster.evaluate("(node) => parseFloat(getComputedStyle(node).fontSize)") > 16
    last = lab.place[0]
    lab.page.keyboard.press("PageUp")
    lab.wait_for(lambda: lab.place[0] < last)
    before = lab.place[0]
    lab.page.keyboard.press("PageDown")
    lab.wait_for(lambda: lab.place[0] > before)
    picture(lab.page, "presented")
    lab.page.keyboard.press("Escape")
    share.wait_for()


# --- Relaxation and bounds ------------------------------------------------------------------


def grey(image):
    """Return the share of a matrix's entries that are neither light nor dark."""
    entries = np.array(image, dtype=float)
    return np.mean((entries > 25) & (entries < 230))


def greyness(lab, figure):
    """Return the share of grey in a picture, none where nothing is drawn yet."""
    drawn = [data["image"][0] for data in lab.sources(figure, "image") if data["image"]]
    return grey(drawn[0]) if drawn else 0.0


def test_the_relaxation_turns_from_grey_to_blocks(lab_of, server, picture, tmp_path):
    lab = lab_of("?data=iris&k=3&solver=sdp&set.show_relaxation=True")
    lab.run()
    lab.room("Inside the solver")
    lab.room("Relaxation")
    lab.save(tmp_path, "matrix", "cuts")
    last = lab.sources("matrix", "image")[0]["image"][0]
    edges = lab.sources("matrix", "at")[0]["at"]
    assert len(edges) == 2  # between the three clusters of the incumbent
    blocks = np.array(last).reshape(150, 150)
    # Ordered by the incumbent: the first cluster is dark in itself and light against the others.
    first = int(edges[0])
    assert blocks[:first, :first].mean() > 150 > 20 > blocks[:first, first:].mean()
    cuts = lab.sources("cuts", "triangle")[0]
    assert sum(cuts["triangle"]) > 0
    assert cuts["at"] == list(range(1, len(cuts["at"]) + 1))
    picture(lab.page, "end")

    # The first rounds were grey, and there were fewer of them.
    settled = title(lab, "matrix")
    with server.archive() as archive:
        solved = archive.records(archive.runs()[0].id, kinds=[RelaxationSolved.__name__])
    lab.go_to(solved[0].seq + 1)
    lab.room("Relaxation")  # a view comes with its first event
    lab.wait_for(lambda: greyness(lab, "matrix") > 0.03)
    assert title(lab, "matrix") != settled
    assert len(lab.sources("cuts", "triangle")[0]["at"]) < len(cuts["at"])


def lanes(lab, figure):
    """Return the lanes of a race that are not empty, each once."""
    found = {tuple(lane["at"]): lane for lane in lab.sources(figure, "gap") if lane["at"]}
    return list(found.values())


def test_bounds_of_several_runs_lie_over_one_another(lab_of, picture, tmp_path):
    lab = lab_of("?data=spirals&n=30&k=3&solver=sdp&set.max_rounds=2&seed=7")
    lab.run()
    lab.room("Result")
    lab.figure("bounds")
    lab.rest("bounds")
    lab.save(tmp_path, "bounds")
    lab.choose("Solver", "Column generation")
    lab.run()
    lab.room("Runs")
    rows = lab.page.locator(".scroll tbody tr").filter(has_text="spirals")
    rows.filter(has_text="sdp").first.get_by_role("checkbox").check()
    lab.room("Bounds")
    lab.figure("race-gap-log")  # it shows where two runs differ
    lab.rest("race-gap-log")
    lab.press("Bounds")
    lab.figure("race-bounds")
    lab.wait_for(lambda: len(lanes(lab, "race-bounds")) == 2)
    for lane in lanes(lab, "race-bounds"):
        assert lane["lower"][-1] == pytest.approx(lane["upper"][-1], rel=2e-4)
        assert lane["at"] == sorted(lane["at"])
    # The moments at which a better clustering was found are marked on the line.
    marks = [each for each in lab.sources("race-bounds", "found") if each["found"]]
    assert len(marks) == 2
    for lane, mark in zip(lanes(lab, "race-bounds"), marks, strict=True):
        assert set(mark["found"]) <= set(lane["upper"])
    lab.save(tmp_path, "race-bounds")

    lab.press("Nodes")
    lab.wait_for(lambda: axis(lab, "race-bounds", "x") == ["nodes", "LinearAxis"])
    lab.wait_for(
        lambda: all(at % 1 == 0 for lane in lanes(lab, "race-bounds") for at in lane["at"])
    )
    picture(lab.page, "nodes")
    lab.press("Time")
    lab.press("Gap")
    lab.figure("race-gap")
    lab.wait_for(lambda: lanes(lab, "race-gap"))
    gaps = [value for lane in lanes(lab, "race-gap") for value in lane["gap"] if value == value]
    assert gaps
    assert all(0 < gap < 1.5 for gap in gaps)
    assert axis(lab, "race-gap", "y") == ["gap", "LinearAxis"]
    lab.save(tmp_path, "race-gap")
    lab.press("Gap, log")
    lab.figure("race-gap-log")
    assert axis(lab, "race-gap-log", "y") == ["gap", "LogAxis"]
    picture(lab.page, "log")


def axis(lab, figure, direction):
    """Return the words and the kind of a figure's axis."""
    return lab.page.evaluate(
        "([name, side]) => { const [axis] = Bokeh.documents[0].get_model_by_name(name)[side]"
        "; return [axis.axis_label, axis.type] }",
        [figure, {"x": "below", "y": "left"}[direction]],
    )


# --- What only one kind of solver has -------------------------------------------------------


def test_column_generation_shows_columns_prices_and_pricing(lab_of, tmp_path):
    lab = lab_of("?data=spirals&n=40&k=4&solver=colgen")
    lab.run()
    lab.room("Inside the solver")
    lab.page.locator(".bk-tab").get_by_text("Columns", exact=True).click()
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    for figure in ("master", "pricing", "duals"):  # together on a small screen, none squeezed
        box = lab.figure(figure).bounding_box()
        assert box["y"] + box["height"] < 720
        lab.wait_for(lambda figure=figure: lab.page.evaluate(INNER_HEIGHT, figure) >= 50)
    lab.save(tmp_path, "master", "pricing", "duals")
    assert tabs(lab)[:2] == ["Tree", "Columns"]
    rounds = lab.sources("master", "master")[0]
    assert rounds["at"] == list(range(1, len(rounds["at"]) + 1))
    assert rounds["lower_bound"][-1] <= rounds["master"][-1] * (1 + 1e-4)
    assert rounds["pool"] == sorted(rounds["pool"])
    priced = lab.sources("pricing", "reduced_cost")[0]
    assert any(priced["exact"])
    assert all(cost > 0 for cost in priced["reduced_cost"] if cost == cost)
    duals = lab.sources("duals", "price")[0]
    assert sorted(duals["block"]) == list(range(40))
    assert duals["price"] == sorted(duals["price"], reverse=True)


def test_the_box_method_shows_residuals_and_an_assignment_turning_binary(lab_of, server, tmp_path):
    lab = lab_of("?data=iris&k=3&solver=lp-box")
    lab.run()
    lab.room("Inside the solver")
    lab.save(tmp_path, "residuals", "assignment")
    assert tabs(lab)[:1] == ["Residuals"]
    course = lab.sources("residuals", "primal")[0]
    assert course["primal"][-1] < course["primal"][0]
    assert axis(lab, "residuals", "y")[1] == "LogAxis"
    last = np.array(lab.sources("assignment", "image")[0]["image"][0])
    assert last.size == 450
    assert grey(last) < 0.05
    with server.archive() as archive:
        updates = archive.records(archive.runs()[0].id, kinds=[ResidualsUpdated.__name__])
    lab.go_to(updates[0].seq + 1)
    lab.wait_for(lambda: greyness(lab, "assignment") > grey(last))


def test_the_memetic_method_shows_its_population(lab_of, tmp_path):
    lab = lab_of("?data=iris&k=3&solver=s-mdeclust&set.generations=20")
    lab.run()
    lab.room("Inside the solver")
    lab.save(tmp_path, "population", "diversity")
    assert tabs(lab)[:1] == ["Population"]
    members = lab.sources("population", "member")[0]
    curves = lab.sources("population", "best")[0]
    assert len(members["objective"]) > len(curves["best"]) > 0
    assert curves["best"] == sorted(curves["best"], reverse=True)
    assert all(
        best <= mean + 1e-9 for best, mean in zip(curves["best"], curves["mean"], strict=True)
    )
    diversity = lab.sources("diversity", "diversity")[0]["diversity"]
    assert len(diversity) == len(curves["best"])
    assert min(diversity) >= 0


def broken_links(lab):
    """Return which links the clustering on the plot breaks, by the ends of their lines."""
    points = lab.points()
    at = {(x, y): label for x, y, label in zip(*map(points.get, ("x", "y", "label")), strict=True)}
    found = set()
    for kind, together in (("must", True), ("cannot", False)):
        lines = lab.source(kind, "x0")
        ends = zip(*(lines[end] for end in ("x0", "y0", "x1", "y1")), strict=True)
        found |= {line for line in ends if (at[line[:2]] == at[line[2:]]) != together}
    return found


def lit(lab):
    """Return which links are lit up as broken, by the ends of their lines."""
    broken = lab.source("broken", "x0")
    return set(zip(*(broken[end] for end in ("x0", "y0", "x1", "y1")), strict=True))


def test_k_means_kinds_move_step_by_step_with_broken_links_lit(lab_of, picture):
    soft = "ml=0-60*0.1,1-61*0.1,2-120*0.1&cl=3-4*0.1,51-52*0.1"
    lab = lab_of(f"?data=iris&k=3&solver=pck-means&seed=1&{soft}")
    lab.room("Inside the solver")
    lab.see("The views of the solver appear here")
    lab.step()
    seen, centres = set(), set()
    for _ in range(5):
        lab.step()
        if set(lab.labels()) != {-1}:
            lab.wait_for(lambda: lit(lab) == broken_links(lab))
            seen |= lit(lab)
        centres |= {
            tuple(each["x"])
            for each in lab.sources("scatter", "label")
            if "x" in each and "row" not in each
        }
    assert seen
    assert len(centres) > 1
    assert lab.page.locator("li.broken").count() > 0
    picture(lab.page, "lit")
    assert tabs(lab) == []
    lab.see("The views of the solver appear here")
