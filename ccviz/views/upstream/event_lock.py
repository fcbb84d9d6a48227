"""Panel handles an event without the document's lock while changes of the page are waiting.

Defect: a click that arrives within 50 ms of a change is handled by a coroutine, and Panel runs it
outside of Bokeh's lock. Until the page has said that it is drawn, Bokeh then refuses the first
change of a model: the click has half of its effect, and a traceback is logged.
Seen in: Panel 1.9.4.
Upstream: none found; `state.execute` says of its callbacks that the lock is acquired.
"""

from __future__ import annotations

from panel.reactive import Syncable


def lock_events() -> None:
    """Let Panel acquire the lock for what it does later of a page's messages."""
    for later in (Syncable._event_coroutine, Syncable._change_coroutine):
        later.lock = True  # what `panel.io.with_lock` sets
