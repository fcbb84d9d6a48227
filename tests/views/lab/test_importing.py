import numpy as np
import pytest

from ccviz.data.datasets import EXAMPLES, Dataset, load
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.loading import load_data, load_links, load_neighbors
from ccviz.views.lab.notice import unable
from ccviz.views.link_table import Link
from ccviz.views.panels.data import SheetPanel, content
from ccviz.views.share.code import as_command, as_python
from tests.data.customers import customer_file
from tests.data.test_reading import workbook
from tests.patience import wait_until


def roles(importing):
    return {each.column: each.role for each in importing.decisions}


def brought(session, text=b"id,x,y,kind\n7,1,900,u\n3,2,,v\n5,3,100,u\n6,4,500,v\n"):
    importing = Importing(session)
    importing.read_file("mine.csv", text)
    return importing


def test_nothing_is_loaded_before_somebody_says_so(session):
    importing = brought(session)
    assert roles(importing) == {"id": "name", "x": "feature", "y": "feature", "kind": "class"}
    assert session.draft.data.name == "iris"
    importing.cancel()
    assert importing.sheet is None
    importing.load()
    assert session.draft.data.name == "iris"


def test_what_is_proposed_is_one_button_away(session):
    importing = brought(session, customer_file("180 blanks", 300)[1])
    assert (importing.missing, importing.scaling) == ("drop", "standard")
    importing.load()
    data = session.draft.data
    assert session.draft.scaling == "standard"
    assert data.X.shape[1] == 12
    assert 280 <= len(data.X) < 300
    assert len(data.names) == len(data.X)
    assert (importing.sheet, importing.decisions) == (None, ())


def test_links_follow_their_points_to_a_table_of_other_rows(session):
    importing = brought(session, b"id,x,y\na,1,9\nb,2,7\nc,3,1\nd,4,5\n")
    importing.load()
    session.edits.set_k(2)
    kept, gone = Link("must", 0, 2, source="kept by hand"), Link("cannot", 1, 3, 2.0)
    session.edits.add_links([kept, gone])
    newer = b"id,x,y\nc,3,1\ne,2,9\na,1,8\nb,5,5\n"
    importing.read_file("june.csv", newer)
    importing.load()
    assert session.notice.text == (
        "3 of 4 rows are matched by name, 1 new. Gone: d. 1 of 2 links followed their points."
    )
    assert session.draft.k == 2
    [link] = session.draft.links
    assert (link.kind, link.pair, link.source) == ("must", (0, 2), "kept by hand")
    session.edits.undo()
    assert len(session.draft.links) == 2
    for other in (newer.replace(b"x,y", b"x,z"), newer.replace(b"e,", b"c,")):
        importing.read_file("other.csv", other)
        importing.load()
        assert not session.draft.links  # other features, or a name of two points
        assert session.notice is None
        session.edits.undo()


def test_columns_are_taken_as_something_else(session):
    importing = brought(session)
    assert importing.missing == "median"  # a row of four is too many to be left out unasked
    importing.take_as({"kind": "feature", "x": "class"})
    importing.take_as({"y": "ignore"})
    importing.load()
    assert session.draft.data.features == ("kind = u", "kind = v")
    assert session.draft.data.classes == ("1", "2", "3", "4")


def test_a_column_of_words_beside_numbers_counts_as_one_feature(session):
    importing = brought(session)
    importing.take_as({"kind": "feature"})
    assert importing.scaling == "words"
    importing.load()
    assert session.draft.scaling_name == "words"
    assert session.draft.X.var(axis=0).sum() == pytest.approx(3.0, rel=1e-3)  # x, y and kind


def test_one_column_alone_is_the_class_and_one_the_name(session):
    importing = brought(session)
    importing.take_as({"x": "class"})
    assert roles(importing)["kind"] == "ignore"
    importing.take_as({"kind": "class"})
    assert (roles(importing)["x"], roles(importing)["kind"]) == ("ignore", "class")
    importing.take_as({"x": "name"})
    assert roles(importing)["id"] == "ignore"


def test_numbers_whose_squares_cannot_be_added_up_are_refused_in_a_sentence(session):
    rows = "".join(f"{'-' * (i % 2)}1e308,{i}e306\n" for i in range(20))
    importing = brought(session, f"a,b\n{rows}".encode())
    assert "20 are too large, such as '1e308'" in content(importing)["lines"][0]["holds"]
    importing.load()
    assert "line 2, column 'a' is '1e308', too large to add up squares" in importing.refusal
    assert session.draft.data.name == "iris"


def test_what_cannot_be_loaded_stays_on_the_sheet_with_its_reason(session):
    importing = brought(session, b"x,y\n1,2\n2,abc\n3,4\n")
    importing.load()
    assert importing.refusal.startswith(
        "mine.csv: line 3, column 'y' is 'abc', not a finite number."
    )
    assert "unknown =" not in importing.refusal
    assert session.draft.data.name == "iris"
    importing.take_as({"y": "ignore"})
    assert importing.refusal == ""
    importing.leave_out()
    importing.load()
    assert "there is no column of numbers" in importing.refusal
    importing.take_as({"x": "feature"})
    importing.load()
    assert session.draft.data.features == ("x",)


def test_a_table_of_names_alone_is_loaded_when_it_is_asked_for_again(session):
    importing = brought(session, b"name\nAnna\nBert\nCarl\nDora\nEmil\n")
    importing.load()
    assert importing.refusal.endswith("no column is a feature. Load again to do so.")
    importing.take_as({"name": "ignore"})
    importing.take_as({"name": "name"})
    importing.load()
    assert session.draft.data.name == "iris"
    importing.load()
    assert session.draft.data.names == ("Anna", "Bert", "Carl", "Dora", "Emil")
    load_links(session, "wishes.csv", b"person,wish,weight\nAnna,Bert,3\nCarl,Anna,-2\n")
    session.tick()
    links = [(str(link), link.weight) for link in session.draft.links]
    assert links == [("must-link 0-1", 3.0), ("cannot-link 0-2", 2.0)]
    assert "read_table('mine.csv', roles={'name': 'name'}, columns=[])" in as_python(session)
    assert "--columns ''" in as_command(session)


def test_a_bad_file_leaves_everything_as_it_was(session):
    before = session.draft
    assert brought(session, b"1,2\n3\n").sheet is None
    assert session.draft is before
    assert session.notice.text.startswith("mine.csv: line 2")


def test_the_page_shows_the_sheet_and_says_what_is_missing(session):
    importing = brought(session)
    panel = SheetPanel(importing)
    shown = panel.sheet
    assert shown["title"] == "mine.csv: 4 rows, 4 columns"
    assert shown["gaps"] == "1 value in 1 of 4 rows missing:"
    y = shown["lines"][2]
    assert (y["role"], y["holds"], y["cells"]) == (
        "feature", "numbers, 100 to 900, 1 missing", ("900", "", "100", "500"),
    )  # fmt: skip
    assert [role for role, _ in shown["lines"][3]["roles"]] == [
        "feature", "class", "name", "ignore",
    ]  # fmt: skip
    panel._act({"what": "role", "column": "y", "role": "ignore"})
    assert panel.sheet["gaps"] == ""
    panel._act({"what": "scaling", "value": "range"})
    panel._act({"what": "load"})
    assert panel.sheet == content(importing) == {}
    assert (session.draft.scaling, session.draft.data.features) == ("range", ("x",))
    panel._act({"what": "cancel"})


def test_a_guessed_class_sets_no_k_and_one_that_is_chosen_does(session):
    rows = "\n".join(f"{i},{'ab'[i % 2]}" for i in [5, 3, 8, 5, 3, 8, 2, 2])
    for column, roles_asked, k in (
        ("class", {}, 3),
        ("kind", {}, 3),
        ("kind", {"kind": "class"}, 2),
    ):
        importing = brought(session, f"x,{column}\n{rows}".encode())
        importing.take_as(roles_asked)
        importing.load()
        assert session.draft.data.classes == ("a", "b")
        assert session.draft.k == k


TITLED = b"2023,2024\n1,2\n2024,2025\n3,4\n5,6\n"


def test_the_header_is_set_on_the_sheet(session):
    importing = brought(session, TITLED)
    panel = SheetPanel(importing)
    assert (panel.sheet["header"], panel.sheet["unit"]) == (0, "line")
    panel._handle_msg({"what": "header", "value": "3"})
    assert (panel.sheet["header"], importing.sheet.n) == (3, 2)
    assert [each["name"] for each in panel.sheet["lines"]] == ["2024", "2025"]
    panel._handle_msg({"what": "header", "value": "77"})
    assert importing.refusal.startswith("mine.csv: line 77 is blank")
    assert importing.sheet.n == 2
    panel._handle_msg({"what": "header", "value": ""})  # found by the reader
    assert (panel.sheet["header"], importing.refusal) == (0, "")


def test_a_worksheet_is_chosen_on_the_sheet(session):
    importing = Importing(session)
    importing.read_file("sales.xlsx", workbook(North=[["x"], [1], [2]], South=[["y"], [3]]))
    wait_until(lambda: session.tick() or importing.sheet)
    panel = SheetPanel(importing)
    assert (panel.sheet["worksheets"], panel.sheet["worksheet"]) == (["North", "South"], "North")
    panel._handle_msg({"what": "worksheet", "value": "South"})
    wait_until(lambda: session.tick() or panel.sheet["worksheet"] == "South")
    assert [each["name"] for each in panel.sheet["lines"]] == ["y"]
    panel._handle_msg({"what": "header", "value": "0"})
    wait_until(lambda: session.tick() or panel.sheet["header"] == 0)
    assert (panel.sheet["worksheet"], importing.sheet.n) == ("South", 2)


def test_a_sheet_that_was_put_away_is_not_read_again(session):
    importing = brought(session, TITLED)
    importing.cancel()
    importing.read_again(header=3)
    assert importing.sheet is None


def test_a_column_weighs_the_points_and_greys_solvers_that_cannot_count_it(session):
    importing = Importing(session)
    importing.read_file("towns.csv", b"x,y,people\n0,0,10\n1,0,30\n0,1,0\n8,8,1\n9,8,4\n")
    importing.take_as({"y": "weight"})
    importing.take_as({"people": "weight"})  # one column alone
    assert roles(importing) == {"x": "feature", "y": "ignore", "people": "weight"}
    importing.load()
    assert session.draft.problem.weights.tolist() == [10.0, 30.0, 0.0, 1.0, 4.0]
    grey = unable(session.draft)
    assert grey["dils"] == "no weights of points"
    assert not {"sdp", "colgen", "rbba", "blp-kmeans"} & set(grey)


def test_an_example_problem_brings_links_solver_and_story(session):
    load_data(session, load("six_crowded_classes"))
    assert session.draft.data.is_named
    assert len(session.draft.links) == 50
    assert (session.solver.name, session.solver.cuts) == ("sdp", "paper")
    assert session.story == EXAMPLES["six_crowded_classes"].story
    session.edits.undo()
    assert session.draft.data.name == "iris"


def test_other_data_leave_the_solver(session):
    load_data(session, load("wine"))
    assert session.solver.name == "blp-kmeans"
    assert session.notice is None
    assert len(session.draft.links) == 0


MESSY = b"shop;sold;size\n;EUR;m2\na;1;5\nb;k. A.;6\nc;5;7\nSource\n"


def test_a_word_is_read_as_missing_by_a_click_and_the_choices_stay(session):
    importing = brought(session, MESSY)
    panel = SheetPanel(importing)
    assert panel.sheet["bad"] == ["k. A."]
    assert panel.sheet["preview"]["words"] == ""  # it cannot be loaded so far
    assert panel.sheet["skipped"] == [1, 1]
    importing.take_as({"size (m2)": "weight"})
    panel._handle_msg({"what": "word", "value": "k. A."})
    assert (panel.sheet["bad"], panel.sheet["unknown"]) == ([], "k. A.")
    assert roles(importing)["size (m2)"] == "weight"
    shown = panel.sheet["preview"]
    assert shown["words"] == "To be clustered: 3 points by 1 feature."
    assert shown["columns"] == ["", "sold (EUR)"]
    assert shown["rows"] == [["a", "1"], ["b", "3"], ["c", "5"]]
    importing.load()
    assert session.draft.data.X.tolist() == [[1.0], [3.0], [5.0]]
    assert "unknown=('k. A.',)" in as_python(session)


def test_rows_are_left_out_by_hand(session):
    importing = brought(session, MESSY)
    panel = SheetPanel(importing)
    panel._handle_msg({"what": "skip_rows", "value": "2"})
    assert (importing.sheet.n, panel.sheet["skipped"]) == (2, [2, 1])
    panel._handle_msg({"what": "skip_last", "value": "2"})
    assert (importing.sheet.n, panel.sheet["skipped"]) == (1, [2, 2])
    panel._handle_msg({"what": "skip_last", "value": "9"})
    assert "none is left to cluster" in importing.refusal
    panel._handle_msg({"what": "skip_rows", "value": ""})
    assert panel.sheet["skipped"] == [1, 2]
    panel._handle_msg({"what": "unknown", "value": "k. A., n.v."})
    importing.load()
    assert "--skip-last 2" in as_command(session)


def test_neighbours_are_read_from_a_file_of_names(session):
    session.edits.load(Dataset("towns", np.arange(3.0)[:, None], ("x",), names=("A", "B", "C")), 2)
    load_neighbors(session, "pairs.csv", b"from,to\nA,B\nC,B\n")
    assert session.draft.neighbors == "pairs:0-1,1-2"
    load_neighbors(session, "pairs.csv", b"from,to\nA,D\n")
    assert "Line 2 of the neighbours" in session.notice.text
    assert session.draft.neighbors == "pairs:0-1,1-2"
