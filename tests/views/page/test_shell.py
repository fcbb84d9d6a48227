import gc
import weakref
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.core.validation import check_integrity
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.document.models import DocumentModelManager
from bokeh.server.callbacks import PeriodicCallback
from panel.io.state import set_curdoc

from ccviz.views.page import shell
from ccviz.views.panels.right import RightPanel


@pytest.fixture(autouse=True)
def apart(monkeypatch, tmp_path):
    """Keep the page from what the tests share."""
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    monkeypatch.setattr(shell, "freeze_imports", lambda: True)  # the tests are many
    monkeypatch.setattr(pn.state, "cache", {})


def open_page():
    """Return the document of a page, as the server makes it."""
    page = Document()
    with set_curdoc(page):
        shell.build().server_doc(page)
    return page


def close(page):
    """End a page as the server does; return what is left of its document."""
    for end in list(page.session_destroyed_callbacks):
        end(SimpleNamespace(_document=page, id="closed"))
    for callback in page.session_callbacks:
        page.callbacks.remove_session_callback(callback)
    page.clear()
    return weakref.ref(page)


def test_a_page_that_is_closed_is_forgotten():
    left = close(open_page())
    gc.collect()
    assert left() is None


def test_the_models_of_a_page_are_sound():
    page = open_page()
    issues = [check_integrity(root.references()) for root in page.roots]
    close(page)
    assert issues
    assert not any(each.error or each.warning for each in issues)


def test_for_another_room_the_page_is_walked_through_once(monkeypatch):
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


def test_an_idle_page_tells_its_browser_nothing():
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
