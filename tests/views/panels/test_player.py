from ccviz.views.panels.player import PlayerPanel
from tests.patience import wait_until


def words(panel):
    """Return what stands under the scrubber."""
    return panel.__panel__()[-1].object


def test_it_says_what_it_waits_for(session):
    panel = PlayerPanel(session)
    assert "Nothing has run yet." in words(panel)
    session.start()
    session.tick()
    assert "The solver is loaded…" in words(panel)

    def began():
        session.tick()
        return session.player.shot.last >= 0

    wait_until(began)
    assert "The solver is loaded…" not in words(panel)
