import time

from ccviz.views.panels.player import PlayerPanel


def words(panel):
    """Return what stands under the scrubber."""
    return panel.__panel__()[-1].object


def test_it_says_what_it_waits_for(session):
    panel = PlayerPanel(session)
    assert "Nothing has run yet." in words(panel)
    session.start()
    session.tick()
    assert "The solver is loaded…" in words(panel)
    end = time.monotonic() + 60
    while session.player.shot.last < 0:
        assert time.monotonic() < end
        session.tick()
        time.sleep(0.02)
    assert "The solver is loaded…" not in words(panel)
