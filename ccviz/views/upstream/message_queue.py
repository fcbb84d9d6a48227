"""Panel leaves a message unsent that is queued when its sending task ends.

Defect: while a socket is being written to, Panel queues messages for a task that sends them. A
message queued at the moment at which that task ends waits until the next message. After the end
of a run there is none, and the page would show the run as running.
Seen in: Panel 1.9.4 and 1.10.0.
Upstream: near https://github.com/holoviz/panel/pull/6667 (sequential writes, which added the
queue).
"""

from __future__ import annotations

from bokeh.document import Document
from panel.io import document as io

_QUEUES = ("_WRITE_EVENTS", "_WRITE_MSGS")  # of Panel 1.10 and 1.9
_QUEUE = next((name for name in _QUEUES if hasattr(io, name)), "")
_send_queued = getattr(io, "_dispatch_msgs", None)


def send_all() -> None:
    """Replace Panel's sending task by one that empties the queue, for all pages of this server.

    A Panel without this queue is left alone.
    """
    if _QUEUE and hasattr(io, "_dispatch_msgs") and hasattr(io, "_WRITE_BLOCK"):
        io._dispatch_msgs = _send_all_queued


async def _send_all_queued(page: Document) -> None:
    assert _send_queued is not None
    await _send_queued(page)
    queue = getattr(io, _QUEUE)
    while page in queue and page not in io._WRITE_BLOCK:  # queued after the task had ended
        io._WRITE_BLOCK[page] = True
        await _send_queued(page)
