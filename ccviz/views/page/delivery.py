"""All that a page is told reaches the browser: a race of Panel's, closed.

Panel sends a message at once, or, while the socket is being written to, queues it for a task that
sends what is queued. If something is queued in the moment in which that task ends, nobody sends
it: it waits for whatever the page is told next. After the end of a run nothing is, and the page
would go on saying that the run is under way.
"""

from __future__ import annotations

from bokeh.document import Document
from panel.io import document as io

_QUEUE = ("_dispatch_msgs", "_WRITE_MSGS", "_WRITE_BLOCK")
_send_queued = getattr(io, _QUEUE[0], None)


def send_all() -> None:
    """Have what is queued sent whenever it was, in all pages of this server.

    A Panel that does not have this queue any more is left alone.
    """
    if all(hasattr(io, name) for name in _QUEUE):
        io._dispatch_msgs = _send_all_queued


async def _send_all_queued(page: Document) -> None:
    assert _send_queued is not None
    await _send_queued(page)
    while page in io._WRITE_MSGS and page not in io._WRITE_BLOCK:  # queued, and the task has ended
        io._WRITE_BLOCK[page] = True
        await _send_queued(page)
