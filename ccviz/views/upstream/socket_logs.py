"""Tornado and Bokeh log a traceback for each websocket that is refused, garbled or closed early.

Defect: `WSHandler.open` of Bokeh raises where the protocol or the token of a socket is wrong,
`WSHandler.on_message` logs whatever a message that is no message raises, `ProtocolHandler.handle`
what a change to a property that cannot be raises, each with the whole message, and `on_close` fails
where the session has ended before its socket. Panel logs a traceback where a property of the page
gets a value that its parameter cannot have. So anyone can fill the log. A write to a socket whose
browser has left ends in a task whose error was "never retrieved".
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
_MESSAGES = "bokeh.server.protocol_handler"
_VALUES = "panel.reactive"
_LOGGERS = ("asyncio", "tornado.application", _SOCKETS, _MESSAGES, _VALUES)
_OURS, _MENDED = "ccviz.", "ccviz.views.upstream."
_READ_PAGES = ("bokeh.server.session", _VALUES)


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
        _become(record, "a websocket was refused", error)
    elif record.name in (_MESSAGES, _VALUES) and is_of_page(error):
        _become(record, "a message of a page was refused", error)
    return True


def _become(record: logging.LogRecord, words: str, error: BaseException) -> None:
    record.msg, record.args = f"{words}: %s", (type(error).__name__,)
    record.exc_info = record.exc_text = None


def _is_bad_socket(trace: TracebackType | None) -> bool:
    """Return whether an error is of a socket that is opened or read, before any page is asked."""
    names = {
        frame.f_code.co_name
        for frame, _ in walk_tb(trace)
        if frame.f_globals.get("__name__") == _SOCKETS
    }
    return bool(names & {"open", "_receive", "on_close"}) and "_async_open" not in names


def is_of_page(error: BaseException) -> bool:
    """Return whether an error is of a message of a page, raised before any of our code was asked.

    Parameters
    ----------
    error : Exception

    Returns
    -------
    bool
    """
    names = [str(frame.f_globals.get("__name__")) for frame, _ in walk_tb(error.__traceback__)]
    ours = (name for name in names if name.startswith(_OURS) and not name.startswith(_MENDED))
    return not any(ours) and any(name in _READ_PAGES for name in names)
