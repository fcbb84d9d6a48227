from ccviz.data.datasets import Dataset
from ccviz.views.link_table import Link
from ccviz.views.panels.share import (
    AddressPanel,
    SharePanel,
    Texts,
    blocks,
    tree_buttons,
    tree_download,
)
from ccviz.views.share.kept import KeptFiles
from tests.patience import wait_until
from tests.views.person import At


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
