from ccviz.data import load
from ccviz.runs.archive import Archive
from ccviz.views.lab.example import Example
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.panels.tree_file import tree_buttons, tree_download


def test_the_tree_of_the_run_shown_can_be_taken_once_there_is_one(tmp_path):
    with Archive(tmp_path / "runs.sqlite") as archive:
        example = Example()
        session = Session(archive, RunQueue(), load("iris"), example=example)
        buttons = tree_buttons(session)
        assert [button.ready for button in buttons] == [False, False]
        buttons[0].press()
        assert "no tree yet" in session.notice.text
        session.show_example(example.run_id)
        assert [button.ready for button in buttons] == [True, True]
        request = tree_download(session, ".dot")
        assert request.name == "iris-tree.dot"
        assert request.work(*request.args).startswith("// Search tree of sdp: 1 node,")
        session.close()
