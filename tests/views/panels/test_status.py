from ccviz.views.lab.notice import Notice
from ccviz.views.panels.status import present


def test_a_note_leaves_the_screen_of_a_presenter_and_an_error_stays(session):
    for kind, left in (("info", False), ("error", True)):
        session.notice = Notice(kind, "A sentence.")
        present(session)
        assert session.presenting
        assert (session.notice is not None) == left
        present(session)
