from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.notice import Notice
from ccviz.views.panels.player import PlayerPanel, StatusPanel, present
from tests.patience import tick_until
from tests.views.person import At


def words(panel):
    """Return what stands under the scrubber."""
    return panel.__panel__()[-1][0].object


def test_it_says_what_it_waits_for(session):
    panel = PlayerPanel(session)
    assert "Nothing has run yet." in words(panel)
    session.start()
    session.tick()
    assert "The solver is being loaded…" in words(panel)

    tick_until(session, lambda: session.player.shot.last >= 0)
    assert "The solver is being loaded…" not in words(panel)


def test_a_note_leaves_the_screen_of_a_presenter_and_an_error_stays(session):
    for kind, left in (("info", False), ("error", True)):
        session.notice = Notice(kind, "A sentence.")
        present(session)
        assert session.presenting
        assert (session.notice is not None) == left
        present(session)


def test_cost_bound_and_gap_are_explained_under_the_mouse(session):
    session.set_solver("k-means")
    session.start()
    tick_until(session, lambda: not session.needs_tick)
    shown = At(StatusPanel(session, Inspection(session.archive, session.player))).text
    assert 'title="How much cheaper the best clustering may still be' in shown
