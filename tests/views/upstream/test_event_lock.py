from functools import partial

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc
from panel.reactive import Syncable

from ccviz.views.upstream import lock_events


def leaves_out_the_lock(name):
    """Return whether Panel handles a message that waits without the lock of a page's document."""
    page, button = Document(), pn.widgets.Button()
    page._session_context = lambda: "a session"
    with set_curdoc(page):
        pn.state.execute(partial(getattr(button, name), page), schedule=True)
    (waiting,) = page.session_callbacks
    return getattr(waiting.callback, "nolock", False)


@pytest.mark.parametrize("name", ["_event_coroutine", "_change_coroutine"])
def test_what_is_done_later_has_the_lock(monkeypatch, name):
    monkeypatch.delattr(getattr(Syncable, name), "lock", raising=False)  # whoever came before
    assert leaves_out_the_lock(name)
    lock_events()
    assert not leaves_out_the_lock(name)
