from ccviz.data.datasets import Dataset
from ccviz.events import BoundImproved, IncumbentFound, NodeOpened
from ccviz.problem.partition import Partition
from ccviz.views.frames.node import NodeLog
from ccviz.views.inside import NodePanel
from ccviz.views.lab.inspection import Inspection
from ccviz.views.panels.scatter import ScatterPanel
from tests.made_up import stamped
from tests.views.person import At


def chosen(session, problem, records, node, names=()):
    """Return an inspection of a stored run at its end, with a node chosen."""
    session.edits.load(Dataset("forty", problem.X, ("a", "b"), names=names))
    inspection = Inspection(session.archive, session.player)
    run_id = session.archive.create(problem, "colgen", {})
    session.archive.append(run_id, records, None)
    session.player.open(run_id)
    session.player.end()
    inspection.select(node)
    return inspection


def rows(panel):
    """Return what is listed of a node, by name."""
    listed = str(At(panel).text).split("<dl>")[1].split("<dt>")[1:]
    return dict(each.split("</dd>")[0].split("</dt><dd>") for each in listed)


def test_places_are_listed_by_their_centre_and_a_point_on_their_border(
    session, problem, place_records
):
    listed = rows(NodePanel(session, chosen(session, problem, place_records, 6)))
    assert listed["Decided together"] == "1-2"
    assert listed["Decided apart"] == "nothing"
    assert listed["A centre near"] == "5 (as far as 8)"
    assert listed["No centre near"] == "7 (as far as 3)"


def test_points_have_their_names_in_the_node_and_in_the_tree(session, problem, tree_records):
    names = tuple(f"P{at + 1}" for at in range(problem.n))
    inspection = chosen(session, problem, tree_records(21), 5, names)
    told = inspection.log(NodeLog).frame(inspection.run, 5)
    pairs = [*told.must_link.tolist(), *told.cannot_link.tolist()]
    listed = rows(NodePanel(session, inspection))
    both = listed["Decided together"] + listed["Decided apart"]
    assert pairs
    assert all(f"P{i + 1} – P{j + 1}" in both for i, j in pairs)
    branches = [each for each in inspection.tree_frame(names).branch if each]
    assert branches
    assert all(each.startswith("P") and "–P" in each for each in branches)


def test_nothing_is_said_of_places_where_none_was_decided(session, problem, tree_records):
    listed = rows(NodePanel(session, chosen(session, problem, tree_records(21), 5)))
    assert list(listed) == ["Decided together", "Decided apart", "Cuts"]


def test_a_tree_of_one_node_is_explained(session, problem, labels, tree_records):
    def said(records):
        return str(At(NodePanel(session, chosen(session, problem, records, None))).text)

    best = Partition(problem, labels).wcss
    root = NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0)
    proved = [root, IncumbentFound(labels=labels), BoundImproved(lower_bound=best)]
    assert "Click a node of the tree" in said(tree_records(21))
    assert "The root alone closed the gap" in said(stamped(problem, proved))


def test_circles_follow_the_axes(session, problem, place_records):
    inspection = chosen(session, problem, place_records, 6)
    panel = ScatterPanel(session, inspection)
    inspection.param.trigger("node")
    taken, empty = (ring.data_source for ring in panel._decisions._rings)
    assert taken.data["x"].tolist() == [problem.X[5, 0]]
    session.show_axes("b", "a")
    assert taken.data["x"].tolist() == [problem.X[5, 1]]
    assert panel._decisions._glyphs[0].data_source.data["x0"].tolist() == [problem.X[1, 1]]
    session.show_axes("PC 1", "PC 2")
    assert len(taken.data["x"]) == len(empty.data["x"]) == 0
