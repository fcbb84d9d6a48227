from ccviz.data.datasets import Dataset
from ccviz.views.link_table import Link
from ccviz.views.panels.share import blocks


def about(session, page="http://lab.example/main"):
    return {block["title"]: block["about"] for block in blocks(session, page)}


def test_each_text_says_what_it_is_for(session):
    assert about(session) == {
        "Address": "Opens the same problem, solver and settings.",
        "Python": "In a script or a notebook.",
        "Command line": "In a terminal.",
        "Model in cvxpy": "What the solver solves, to read and to change.",
    }


def test_an_address_of_this_computer_says_so(session):
    words = about(session, "http://localhost:5006/main")["Address"]
    assert words.endswith("On other computers, put this one's name in place of localhost.")


def test_the_files_that_a_text_reads_are_named(session):
    session.load(Dataset("mine", session.draft.X, session.draft.data.features))
    session.add_links([Link("must", 0, 1)])
    words = about(session)
    assert words["Python"].endswith("It reads mine.csv (Data as CSV, above) from its folder.")
    assert (
        "mine.csv (Data as CSV, above) and links.txt (Export, under the links)"
        in (words["Command line"])
    )


def test_what_cannot_be_said_is_a_sentence_without_a_button(session):
    session.load(Dataset("mine", session.draft.X, session.draft.data.features))
    address = blocks(session, "http://lab.example/main")[0]
    assert not address["sound"]
    assert address["text"] == "Data from a file or an old run do not fit into an address."
