"""Panel leaves a message unsent that is queued when its sending task ends.

Defect: while a socket is being written to, Panel queues messages for a task that sends them. A
message queued at the moment at which that task ends waits until the next message. After the end
of a run there is none, and the page would show the run as running.
Seen in: Panel 1.9.4.
Upstream: near https://github.com/holoviz/panel/pull/6667 (sequential writes, which added the
queue).
"""

from __future__ import annotations

from bokeh.document import Document
from panel.io import document as io

_QUEUE = ("_dispatch_msgs", "_WRITE_MSGS", "_WRITE_BLOCK")
_send_queued = getattr(io, _QUEUE[0], None)


def send_all() -> None:
    """Replace Panel's sending task by one that empties the queue, for all pages of this server.

    A Panel without this queue is left alone.
    """
    if all(hasattr(io, name) for name in _QUEUE):
        io._dispatch_msgs = _send_all_queued


async def _send_all_queued(page: Document) -> None:
    assert _send_queued is not None
    await _send_queued(page)
    while page in io._WRITE_MSGS and page not in io._WRITE_BLOCK:  # queued after the task had ended
        io._WRITE_BLOCK[page] = True
        await _send_queued(page)
