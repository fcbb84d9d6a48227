from ccviz.views.lab.importing import Importing
from ccviz.views.panels.data import DataPanel
from tests.views.person import At


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
