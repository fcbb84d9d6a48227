import pytest

from ccviz.data.datasets import Dataset
from ccviz.views.draft import Draft
from ccviz.views.frames.exact import ColumnsLog
from ccviz.views.frames.heuristic import PopulationLog
from ccviz.views.frames.scatter import plane
from ccviz.views.inside import CATALOGUE
from ccviz.views.lab.inspection import Inspection, node_circles, node_lines
from ccviz.views.lab.player import Player


def stored(archive, problem, records):
    run_id = archive.create(problem, "sdp", {})
    archive.append(run_id, records, None)
    return run_id


@pytest.fixture
def player(archive):
    player = Player(archive)
    yield player
    player.close()


def test_it_follows_the_cursor(archive, player, problem, tree_records):
    inspection = Inspection(archive, player, CATALOGUE)
    records = tree_records(41)
    player.open(stored(archive, problem, records))
    assert inspection.views == ()
    player.seek(10)
    assert inspection.tree_frame().total == len(player.shot.run.tree) > 0
    assert [view.name for view in inspection.views] == ["tree", "relaxation"]
    player.end()
    assert inspection.tree_frame().total == 41


def test_back_takes_back(archive, player, problem, tree_records):
    inspection = Inspection(archive, player, CATALOGUE)
    player.open(stored(archive, problem, tree_records(41)))
    player.end()
    inspection.select(40)
    player.seek(12)
    assert inspection.tree_frame().total == len(player.shot.run.tree) < 41
    assert inspection.node is None


def test_clicking_selects_and_clicking_again_lets_go(archive, player, problem, tree_records):
    inspection = Inspection(archive, player, CATALOGUE)
    player.open(stored(archive, problem, tree_records(41)))
    player.end()
    inspection.select(3)
    assert inspection.node == 3
    inspection.select(3)
    assert inspection.node is None


def test_a_folded_node_unfolds_when_it_is_clicked(archive, player, problem, tree_records):
    inspection = Inspection(archive, player, CATALOGUE)
    player.open(stored(archive, problem, tree_records(1201)))
    player.end()
    frame = inspection.tree_frame()
    folded = int(frame.node[frame.hidden > 0][0])
    inspection.select(folded)
    assert folded in inspection.tree_frame().parent


def test_another_run_starts_afresh(archive, player, problem, tree_records, population_records):
    inspection = Inspection(archive, player, CATALOGUE)
    player.open(stored(archive, problem, tree_records(41)))
    player.end()
    player.open(stored(archive, problem, population_records))
    player.end()
    assert [view.name for view in inspection.views] == ["population"]
    assert inspection.tree_frame().total == 0
    assert len(inspection.log(PopulationLog).frame().generation) == 60


def test_closing_leaves_nothing(archive, player, problem, column_records):
    inspection = Inspection(archive, player, CATALOGUE)
    player.open(stored(archive, problem, column_records))
    player.end()
    assert len(inspection.log(ColumnsLog).frame().at) == 40
    player.close()
    assert inspection.run is None
    assert inspection.views == ()
    assert len(inspection.log(ColumnsLog).frame().at) == 0


def test_what_the_player_has_read_is_not_read_again(
    archive, player, problem, tree_records, monkeypatch
):
    inspection = Inspection(archive, player, CATALOGUE)
    player.open(stored(archive, problem, tree_records(41)))
    asked = []
    read = archive.records
    monkeypatch.setattr(archive, "records", lambda *at: asked.append(at) or read(*at))
    player.seek(20)
    player.step()
    assert len(asked) == 2
    assert inspection.tree_frame().total == len(player.shot.run.tree)


def test_places_of_the_chosen_node_are_circles_and_its_pairs_lines(
    archive, player, problem, place_records
):
    inspection = Inspection(archive, player, CATALOGUE)
    player.open(stored(archive, problem, place_records))
    player.end()
    draft = Draft(Dataset("forty", problem.X, ("a", "b")), problem.k)
    where = plane(draft, "a", "b")
    assert node_circles(inspection, where) == (None, None)
    inspection.select(6)
    together, apart = node_lines(inspection, where)
    taken, empty = node_circles(inspection, where)
    assert (together.names, apart.names) == (["together 1-2"], [])
    assert taken.x.tolist() == [problem.X[5, 0]]
    assert empty.y.tolist() == [problem.X[7, 1]]
    assert node_circles(inspection, plane(draft, "PC 1", "PC 2")) == (None, None)
