import weakref
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from ccviz.views.page import shell


@pytest.fixture
def apart(monkeypatch, tmp_path):
    """Keep the page from what the tests share."""
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    monkeypatch.setattr(shell, "freeze_imports", lambda: True)  # the tests are many
    monkeypatch.setattr(pn.state, "cache", {})


@pytest.fixture
def open_page(apart):
    """Return a function that returns the document of a page, as the server makes it."""

    def open_one():
        page = Document()
        with set_curdoc(page):
            shell.build().server_doc(page)
        return page

    return open_one


@pytest.fixture
def close():
    """Return a function that ends a page as the server does, and returns what is left of it."""

    def close_one(page):
        for end in list(page.session_destroyed_callbacks):
            end(SimpleNamespace(_document=page, id="closed"))
        for callback in page.session_callbacks:
            page.callbacks.remove_session_callback(callback)
        page.clear()
        return weakref.ref(page)

    return close_one
