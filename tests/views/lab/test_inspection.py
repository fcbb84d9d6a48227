import pytest

from ccviz.data.datasets import Dataset
from ccviz.views.draft import Draft
from ccviz.views.frames.exact import ColumnsLog
from ccviz.views.frames.heuristic import PopulationLog
from ccviz.views.frames.scatter import plane
from ccviz.views.inside import CATALOGUE
from ccviz.views.lab.inspection import Inspection, node_decisions
from ccviz.views.lab.player import Player


@pytest.fixture
def player(archive):
    player = Player(archive)
    yield player
    player.close()


@pytest.fixture
def inspection(archive, player):
    return Inspection(archive, player, CATALOGUE)


@pytest.fixture
def show(archive, player, problem):
    """Return a function that opens a run of these records, at its end unless told otherwise."""

    def show(records, to_end=True):
        run_id = archive.create(problem, "sdp", {})
        archive.append(run_id, records, None)
        player.open(run_id)
        if to_end:
            player.end()

    return show


def test_it_follows_the_cursor(inspection, show, player, tree_records):
    records = tree_records(41)
    show(records, to_end=False)
    assert inspection.views == ()
    player.seek(10)
    assert inspection.tree_frame().total == len(player.shot.run.tree) > 0
    assert [view.name for view in inspection.views] == ["tree", "relaxation"]
    player.end()
    assert inspection.tree_frame().total == 41


def test_back_takes_back(inspection, show, player, tree_records):
    show(tree_records(41))
    inspection.select(40)
    player.seek(12)
    assert inspection.tree_frame().total == len(player.shot.run.tree) < 41
    assert inspection.node is None


def test_clicking_selects_and_clicking_again_lets_go(inspection, show, tree_records):
    show(tree_records(41))
    inspection.select(3)
    assert inspection.node == 3
    inspection.select(3)
    assert inspection.node is None


def test_a_folded_node_unfolds_when_it_is_clicked(inspection, show, tree_records):
    show(tree_records(1201))
    frame = inspection.tree_frame()
    folded = int(frame.node[frame.hidden > 0][0])
    inspection.select(folded)
    assert folded in inspection.tree_frame().parent


def test_another_run_starts_afresh(inspection, show, tree_records, population_records):
    show(tree_records(41))
    show(population_records)
    assert [view.name for view in inspection.views] == ["population"]
    assert inspection.tree_frame().total == 0
    assert len(inspection.log(PopulationLog).frame().generation) == 60


def test_closing_leaves_nothing(inspection, show, player, column_records):
    show(column_records)
    assert len(inspection.log(ColumnsLog).frame().at) == 40
    player.close()
    assert inspection.run is None
    assert inspection.views == ()
    assert len(inspection.log(ColumnsLog).frame().at) == 0


def test_what_the_player_has_read_is_not_read_again(
    inspection, show, archive, player, tree_records, monkeypatch
):
    show(tree_records(41), to_end=False)
    asked = []
    read = archive.records
    monkeypatch.setattr(archive, "records", lambda *at: asked.append(at) or read(*at))
    player.seek(20)
    player.step()
    assert len(asked) == 2
    assert inspection.tree_frame().total == len(player.shot.run.tree)


def test_places_of_the_chosen_node_are_circles_and_its_pairs_lines(
    inspection, show, problem, place_records
):
    show(place_records)
    draft = Draft(Dataset("forty", problem.X, ("a", "b")), problem.k)
    where = plane(draft, "a", "b")
    assert node_decisions(inspection, where)[2:] == (None, None)
    inspection.select(6)
    together, apart, taken, empty = node_decisions(inspection, where)
    assert (together.names, apart.names) == (["together 1-2"], [])
    assert taken.x.tolist() == [problem.X[5, 0]]
    assert empty.y.tolist() == [problem.X[7, 1]]
    assert node_decisions(inspection, plane(draft, "PC 1", "PC 2"))[2:] == (None, None)
