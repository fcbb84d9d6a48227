"""Tornado and Bokeh log a traceback for each websocket that is refused, garbled or closed early.

Defect: `WSHandler.open` of Bokeh raises where the protocol or the token of a socket is wrong, and
`WSHandler.on_message` logs whatever a message that is no message raises, so anyone can fill the
log. A write to a socket whose browser has left ends in a task whose error was "never retrieved".
Seen in: Bokeh 3.9.2 with Tornado 6.5.
Upstream: no issue found.
"""

from __future__ import annotations

import logging
from traceback import walk_tb
from types import TracebackType

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

_SOCKETS = "bokeh.server.views.ws"
_LOGGERS = ("asyncio", "tornado.application", _SOCKETS)


def shorten_socket_logs() -> None:
    """Drop log records about browsers that left, and log one line for a bad socket."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(shorten)


def shorten(record: logging.LogRecord) -> bool:
    """Return whether a record is to be logged; one about a bad socket loses its traceback.

    Parameters
    ----------
    record : logging.LogRecord

    Returns
    -------
    bool
    """
    if not record.exc_info or record.exc_info[1] is None:
        return True
    _, error, trace = record.exc_info
    if isinstance(error, WebSocketClosedError | StreamClosedError):
        return False
    if _is_bad_socket(trace):
        record.msg, record.args = "a websocket was refused: %s", (type(error).__name__,)
        record.exc_info = record.exc_text = None
    return True


def _is_bad_socket(trace: TracebackType | None) -> bool:
    """Return whether an error is of a socket that is opened or read, before any page is asked."""
    names = {
        frame.f_code.co_name
        for frame, _ in walk_tb(trace)
        if frame.f_globals.get("__name__") == _SOCKETS
    }
    return bool(names & {"open", "_receive"}) and "_async_open" not in names
