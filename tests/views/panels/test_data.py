"""Panels beside the map: data, files, sharing, clusters, plots and races."""

import numpy as np
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from ccviz import Problem
from ccviz.data.datasets import Dataset
from ccviz.runs.run import Run
from ccviz.views.frames.bounds import Lane
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.painter import Painter
from ccviz.views.link_table import Link
from ccviz.views.panels import right as clusters
from ccviz.views.panels.base import FileField
from ccviz.views.panels.data import DataPanel
from ccviz.views.panels.plot import PlotPanel
from ccviz.views.panels.result import RacePanel
from ccviz.views.panels.right import ClustersPanel, ProofBounds
from ccviz.views.panels.scatter import Legend, ScatterPanel
from ccviz.views.panels.share import (
    AddressPanel,
    SharePanel,
    Texts,
    blocks,
    tree_buttons,
    tree_download,
)
from ccviz.views.share.kept import KeptFiles
from tests.patience import tick_until, wait_until
from tests.views.lab.test_session import play_out
from tests.views.panels.test_node import chosen
from tests.views.person import At

# --- Data -----------------------------------------------------------------------------------------


def test_a_refused_number_of_clusters_gives_way_to_the_one_in_force(session):
    k = At(DataPanel(session, Importing(session)))["Clusters k"]
    k.value = 5
    assert session.draft.k == 5
    k.value = 500
    assert "more than the 150 points" in session.notice.text
    assert k.value == session.draft.k == 5
    k.value = None
    assert k.value == session.draft.k == 5


def test_refused_sizes_stay_to_be_mended(session):
    sizes = At(DataPanel(session, Importing(session)))["Sizes"]
    sizes.value = "50, 50, many"
    assert session.notice.text == "'many' is not a size: write 50, or 40-60, or equal."
    assert sizes.value == "50, 50, many"
    assert sizes.css_classes == ["wrong"]
    sizes.value = "50"
    assert sizes.css_classes == []


def test_sizes_that_are_alike_stay_short_in_a_field_that_would_cut_them(session):
    sizes = At(DataPanel(session, Importing(session)))["Sizes"]
    session.edits.set_k(6)
    sizes.value = "25"
    assert (sizes.value, session.draft.lower) == ("25", (25,) * 6)
    sizes.value = "20-30"
    assert sizes.value == "20-30"
    sizes.value = "25, 25, 25, 25, 20, 30"
    assert sizes.value == "25, 25, 25, 25, 20, 30"


def test_a_file_that_is_called_wine_stands_beside_wine(session):
    choice = At(DataPanel(session, Importing(session)))["Data set"]
    importing = Importing(session)
    importing.read_file("wine.csv", b"a,b\n1,2\n3,4\n5,6\n")
    importing.load()
    assert choice.value == "wine (own)"
    choice.value = "wine"
    assert session.draft.n == 178
    choice.value = "wine (own)"
    assert session.draft.n == 3


# --- File field -----------------------------------------------------------------------------------


@pytest.fixture
def taken():
    return []


@pytest.fixture
def answers():
    return []


@pytest.fixture
def field(taken, answers, monkeypatch):
    field = FileField(lambda *file: taken.append(file), label="Drop it", most_bytes=10)
    monkeypatch.setattr(field, "_send_msg", answers.append)
    return field


def part(at, data, name="a.csv", size=6, upload=1):
    return {"upload": upload, "name": name, "size": size, "at": at, "data": data}


def test_each_part_is_answered_and_the_whole_file_is_taken_once(field, taken, answers):
    field._handle_msg(part(0, b"abc"))
    assert answers == [{"upload": 1, "arrived": 3}]
    assert taken == []
    field._handle_msg(part(3, b"def"))
    assert answers[1:] == [{"upload": 1, "arrived": 6}]
    assert taken == [("a.csv", b"abcdef")]


def test_a_file_that_is_brought_again_is_taken_again(field, taken):
    for upload in (1, 2):
        field._handle_msg(part(0, b"abcdef", upload=upload))
    assert taken == [("a.csv", b"abcdef")] * 2


def test_another_file_replaces_one_that_is_on_its_way(field, taken):
    field._handle_msg(part(0, b"abc"))
    field._handle_msg(part(0, b"x", name="b.csv", size=1, upload=2))
    assert taken == [("b.csv", b"x")]


@pytest.mark.parametrize(
    "wrong", [part(4, b"e"), part(3, b"defg"), part(0, b"", size=11), part(0, b"", name=7)]
)
def test_what_does_not_fit_is_refused_in_words_and_nothing_is_kept(field, taken, answers, wrong):
    field._handle_msg(part(0, b"abc"))
    field._handle_msg(wrong)
    assert answers[-1]["refusal"]
    field._handle_msg(part(3, b"def"))
    assert answers[-1]["refusal"]
    assert taken == []


# --- Share ----------------------------------------------------------------------------------------


def about(session, page="http://lab.example/main"):
    return {block["title"]: block["about"] for block in blocks(session, page)}


def test_an_address_of_this_computer_says_so(session):
    words = about(session, "http://localhost:5006/main")["Address"]
    assert "Other computers need this one's name in place of localhost" in words


def test_the_files_that_a_text_reads_are_named(session):
    session.edits.load(Dataset("mine", session.draft.X, session.draft.data.features))
    session.edits.add_links([Link("must", 0, 1)])
    words = about(session)
    assert words["Python"].endswith("It reads mine.csv (Data as CSV, above) from its folder.")
    assert (
        "mine.csv (Data as CSV, above) and links.txt (Export, under the links)"
        in (words["Command line"])
    )


def test_what_cannot_be_said_is_a_sentence_without_a_button(session):
    session.edits.load(Dataset("mine", session.draft.X, session.draft.data.features))
    address = blocks(session, "http://lab.example/main")[0]
    assert not address["sound"]
    assert address["text"].startswith("Data from a file or an old run do not fit into an address. ")
    assert "--token or --class" in address["text"]
    assert "Give an address" in blocks(session, "", "Give an address.")[0]["text"]


def test_an_address_is_given_and_deleted(session, tmp_path):
    session.edits.load(Dataset("<b>mine</b>", session.draft.X, session.draft.data.features))
    files = KeptFiles(tmp_path / "shared")
    panel = AddressPanel(session, files)
    page = At(panel)
    page["Kept for"].value = 1
    page.press("Give an address")
    wait_until(lambda: session.tick() or not session.needs_tick)
    (block,) = page.of(Texts).blocks
    (kept,) = files.of(session.person)
    assert (block["title"], block["word"]) == ("<b>mine</b>", kept.word)
    assert block["text"].endswith(f"?shared={kept.word}")
    assert kept.ends in block["about"]
    page.of(Texts)._handle_msg({"no": "word"})
    assert page.of(Texts).blocks == [block]
    page.of(Texts)._handle_msg(kept.word)
    assert page.of(Texts).blocks == []


def test_the_tree_of_the_run_shown_can_be_taken_once_there_is_one(example_session, example):
    session = example_session
    buttons = tree_buttons(session)
    assert [button.ready for button in buttons] == [False, False]
    buttons[0].press()
    assert "no tree yet" in session.notice.text
    session.show_example(example.run_id)
    assert [button.ready for button in buttons] == [True, True]
    request = tree_download(session, ".dot")
    assert request.name == "iris-tree.dot"
    assert request.work(*request.args).startswith("// Search tree of sdp: 1 node,")


def test_a_finished_proof_has_the_line_that_checks_it(example_session, example):
    session, panel = example_session, SharePanel(example_session)
    assert "Proof" not in {block["title"] for block in panel.__panel__()[-1][0].blocks}
    session.show_example(example.run_id)
    proof = panel.__panel__()[-1][0].blocks[-1]
    assert (proof["title"], proof["text"]) == ("Proof", "ccviz verify run.ccviz")
    assert "Export this run" in proof["about"]


# --- The table of the clusters: at once, or after a sentence where the table is large -------------


@pytest.fixture
def answered(session):
    """Return a session with an answer."""
    session.start()
    play_out(session)
    return session


def test_before_a_run_there_is_a_sentence(session):
    panel = ClustersPanel(session)
    panel.in_front = True
    assert "after a run" in panel.table["about"]
    assert "heads" not in panel.table


def test_a_large_table_is_announced_before_it_is_made(answered, monkeypatch):
    monkeypatch.setattr(clusters, "_AT_ONCE", 0)
    panel, document = ClustersPanel(answered), Document()
    with set_curdoc(document):
        panel.in_front = True
        assert panel.table == {"about": clusters._SOON}
        (later,) = document.session_callbacks
        later.callback()
    assert len(panel.table["heads"]) == 3


def test_what_was_announced_is_not_made_for_an_answer_that_has_gone(answered, monkeypatch):
    made, make = [], clusters.clusters
    monkeypatch.setattr(clusters, "clusters", lambda *args: made.append(args) or make(*args))
    monkeypatch.setattr(clusters, "_AT_ONCE", 0)
    panel, document = ClustersPanel(answered), Document()
    with set_curdoc(document):
        panel.in_front = True
        answered.edits.name_cluster(0, "small")  # the table is announced again
        for each in document.session_callbacks:
            each.callback()
    assert len(made) == 1
    assert panel.table["heads"][0]["name"] == "small"


# --- Plot -----------------------------------------------------------------------------------------


NAMES = ("setosa", "versicolor", "virginica")


@pytest.fixture
def plot(session):
    """Return the plot with its bar."""
    return At(PlotPanel(session, Inspection(session.archive, session.player), Painter(session)))


def test_points_take_the_colours_of_their_classes_and_give_them_back(plot, session):
    legend = plot.of(Legend)
    assert legend.rows == []
    plot.press("Classes")
    assert [row["words"] for row in legend.rows] == [f"{name}: 50" for name in NAMES]
    assert session.draft.data.classes == NAMES
    assert plot["Classes"].button_type == "primary"
    plot.press("Classes")
    assert legend.rows == []


def test_data_without_classes_offer_none(plot, session):
    assert plot["Classes"].visible
    session.edits.load(Dataset("bare", np.arange(12.0).reshape(6, 2), ("x", "y")))
    assert not plot["Classes"].visible


def run_to_its_end(session, meanwhile=None):
    session.player.pace = "Live"
    session.start()
    if meanwhile is not None:
        session.cluster_colors.keep(meanwhile)

    tick_until(session, lambda: session.run is not None and session.run.finished is not None)


def test_the_next_run_of_the_same_points_ends_in_the_same_colours(session):
    plot = ScatterPanel(session)
    run_to_its_end(session)
    first = plot.labels
    assert set(first) == {0, 1, 2}
    run_to_its_end(session, meanwhile=(first + 1) % 3)  # as a start at random may look
    assert plot.labels.tolist() == first.tolist()
    answer = session.run.incumbent
    assert session.cluster_colors.of(answer).tolist() == first.tolist()


def test_many_clusters_leave_the_plot_its_room(session):
    legend = Legend(session)
    legend.show(np.arange(24), {})
    assert (len(legend.rows), legend.more) == (24, 0)
    legend.show(np.repeat(np.arange(100), 2), {})
    assert (len(legend.rows), legend.more) == (12, 88)
    assert legend.rows[0]["words"] == "0: 2"
    legend.show(np.array([-1]), {})
    assert (legend.rows, legend.more) == ([], 0)


# --- Race -----------------------------------------------------------------------------------------


def lane(gap):
    some = np.array([1.0])
    return Lane("run", some, some, some, np.array([gap]), some, some)


def test_runs_of_another_problem_are_named(session):
    panel = RacePanel(session, in_front=False)
    near, far = (Run(Problem([[0.0], [1.0], [4.0]], k)) for k in (2, 1))
    panel._warn([("this run", near), ("the same again", near)])
    assert not panel._other.visible
    panel._warn([("this run", near), ("the same again", near), ("one cluster", far)])
    assert panel._other.visible
    assert "one cluster" in panel._other.object
    assert "again" not in panel._other.object


def test_gaps_are_drawn_from_two_runs_on_until_a_person_chooses(session):
    panel = RacePanel(session, in_front=False)
    panel._choose_kind([lane(0.1), lane(0.2)])
    assert panel._kind.value == "Gap, log"
    panel._choose_kind([lane(0.1), lane(np.nan)])  # the axis cannot show a gap of 0
    assert panel._kind.value == "Bounds"
    panel._kind.value = "Gap"
    panel._choose_kind([lane(0.1), lane(0.2)])
    assert panel._kind.value == "Gap"


def moments(panel):
    return panel._moments._source.data["at"], panel._moments._chosen.visible


def test_the_life_of_the_chosen_node_is_on_the_bounds(session, problem, tree_records):
    inspection = chosen(session, problem, tree_records(21), 5)
    panel = ProofBounds(session, inspection)
    panel.refresh()
    at, lit = moments(panel)
    assert lit
    assert len(at)
    assert np.all(np.diff(at) >= 0)
    inspection.select(None)
    at, lit = moments(panel)
    assert not lit
    assert len(at) == 0


def test_nothing_is_drawn_before_a_bound_is_proved(session, problem, tree_records):
    inspection = chosen(session, problem, tree_records(21), 0)
    panel = ProofBounds(session, inspection)
    session.player.seek(1)
    panel.refresh()
    assert not At(panel).seen
    session.player.end()
    panel.refresh()
    assert At(panel).seen
    assert moments(panel)[1]
