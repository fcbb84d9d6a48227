import gc
import weakref
from types import SimpleNamespace

import panel as pn
from bokeh.document import Document
from panel.io.state import set_curdoc

from ccviz.views.page import shell


def open_and_close():
    """Return what is left of a page's document, as the server makes and ends it."""
    page = Document()
    with set_curdoc(page):
        shell.build().server_doc(page)
    context = SimpleNamespace(_document=page, id="closed")
    for end in list(page.session_destroyed_callbacks):
        end(context)
    for callback in page.session_callbacks:
        page.callbacks.remove_session_callback(callback)
    page.clear()
    return weakref.ref(page)


def test_a_page_that_was_closed_is_forgotten(monkeypatch, tmp_path):
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    monkeypatch.setattr(shell, "freeze_imports", lambda: True)  # the tests are many
    monkeypatch.setattr(pn.state, "cache", {})
    left = open_and_close()
    gc.collect()
    assert left() is None
