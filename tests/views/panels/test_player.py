from ccviz.views.panels.player import PlayerPanel
from tests.patience import wait_until


def words(panel):
    """Return what stands under the scrubber."""
    return panel.__panel__()[-1][0].object


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


def test_the_time_of_a_proof_is_forecast_beside_the_buttons(session):
    panel = PlayerPanel(session)
    forecast = panel.__panel__()[-1][1]
    assert not forecast.object
    session.set_solver("sdp")
    assert "Proof: " in forecast.object
    assert "on a machine like ours" in forecast.object
    before = forecast.object
    session.set_k(session.draft.k + 3)
    assert forecast.object != before
    session.set_solver("k-means")
    assert not forecast.object
