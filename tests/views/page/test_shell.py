import gc
from itertools import pairwise

import pytest
from bokeh.core.validation import check_integrity
from bokeh.document.events import DocumentPatchedEvent
from bokeh.document.models import DocumentModelManager
from bokeh.server.callbacks import PeriodicCallback
from panel.io.state import set_curdoc

from ccviz.views.page import shell
from ccviz.views.page.script import with_rests
from ccviz.views.panels.right import RightPanel


@pytest.mark.slow
def test_a_page_that_is_closed_is_forgotten(open_page, close):
    left = close(open_page())
    gc.collect()
    assert left() is None


def test_the_models_of_a_page_are_sound(open_page, close):
    page = open_page()
    issues = [check_integrity(root.references()) for root in page.roots]
    close(page)
    assert issues
    assert not any(each.error or each.warning for each in issues)


@pytest.mark.slow
def test_for_another_room_the_page_is_walked_through_once(open_page, close, monkeypatch):
    kept, walks, walk = [], [], DocumentModelManager.recompute
    monkeypatch.setattr(
        shell, "RightPanel", lambda *args: kept.append(RightPanel(*args)) or kept[-1]
    )
    page = open_page()
    monkeypatch.setattr(
        DocumentModelManager, "recompute", lambda models: walks.append(models) or walk(models)
    )
    with set_curdoc(page):
        for place in (1, 2, 5, 0):
            walks.clear()
            kept[0].show(place)
            assert len(walks) == 1
    close(page)


@pytest.mark.slow
def test_an_idle_page_tells_its_browser_nothing(open_page, close):
    page = open_page()
    looks = [look for look in page.session_callbacks if isinstance(look, PeriodicCallback)]
    told = []
    page.on_change(told.append)
    for look in looks:
        with set_curdoc(page):
            look.callback()
    changes = [event for event in told if isinstance(event, DocumentPatchedEvent)]
    close(page)
    assert looks
    assert changes == []


# --- Clock ----------------------------------------------------------------------------------------


def ticks_of(calls, lasts, pause):
    """Return when a tick that lasts some seconds begins, if it is called after each pause."""
    time, ticks = 0.0, []

    def tick():
        nonlocal time
        ticks.append(time)
        time += lasts

    resting = with_rests(tick, lambda: time)
    for _ in range(calls):
        resting()
        time += pause
    return ticks


def test_a_tick_rests_as_long_as_it_took():
    ticks = ticks_of(18, lasts=0.5, pause=0.14)  # a period of 0.14 s, which the ticks overrun
    assert len(ticks) == 5
    assert all(later - before >= 1.0 for before, later in pairwise(ticks))


def test_a_quick_tick_is_never_left_out():
    assert len(ticks_of(20, lasts=0.02, pause=0.12)) == 20
