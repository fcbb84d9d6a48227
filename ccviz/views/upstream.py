"""Workarounds for defects of Panel and Bokeh, one section per defect.

Each section names the defect, the versions in which it was seen, and the upstream issue nearest to
it. Its test in ``tests/views/upstream`` shows the defect in the plain library and fails once
upstream has mended it; then the section can go.
"""

from __future__ import annotations

import base64
import binascii
import logging
import zlib
from contextlib import nullcontext
from math import isnan
from traceback import walk_tb
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl

import panel as pn
from bokeh.core.serialization import Deserializer
from bokeh.document import Document
from bokeh.protocol.exceptions import ProtocolError
from bokeh.protocol.receiver import Receiver
from bokeh.server.connection import ServerConnection
from bokeh.server.views import ws
from panel.io import document as io
from panel.io import location
from panel.io.server import ComponentResourceHandler
from panel.layout.base import Panel
from panel.reactive import Syncable
from panel.theme import Native
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler
from tornado.websocket import WebSocketClosedError

# --- Panel converts each parameter of an address to a number, a list or a dict --------------------
#
# Defect: `panel.util.parse_query` calls `int` on every parameter of digits. Python refuses to
# convert more than 4,300 of them, the error ends the session before it has a page, and the page
# stays blank. Seen in: Panel 1.9.4. Upstream: no issue found.


def keep_parameters_as_text() -> None:
    """Let Panel keep the parameters of an address as text, for all pages of this server.

    ccviz reads the parameters itself, see `ccviz.views.share.address`.
    """
    location.parse_query = lambda query: dict(parse_qsl(query.removeprefix("?")))


# --- Panel restyles a whole layout when one of its tabs changes -----------------------------------
#
# Defect: `Design._apply_hooks` visits everything in a layout that changed, even without new
# children: for each change of a tab and each part that is shown or hidden. Seen in: Panel 1.9.4.
# Upstream: near https://github.com/holoviz/panel/pull/5278 (style sheets applied needlessly).


class Design(Native):
    """Panel's native design, applied only to new parts of a page."""

    def _apply_hooks(self, viewable: Any, root: Any, changed: Any, old_models: Any = None) -> None:
        if old_models is not None or not isinstance(changed, Panel):
            super()._apply_hooks(viewable, root, changed, old_models)


# --- Panel handles an event without the document's lock while changes of the page are waiting -----
#
# Defect: a click that arrives within 50 ms of a change is handled by a coroutine, and Panel runs it
# outside of Bokeh's lock. Until the page has said that it is drawn, Bokeh then refuses the first
# change of a model: the click has half of its effect, and a traceback is logged. Seen in: Panel
# 1.9.4. Upstream: none found; `state.execute` says of its callbacks that the lock is acquired.


def lock_events() -> None:
    """Let Panel acquire the lock for what it does later of a page's messages."""
    for later in (Syncable._event_coroutine, Syncable._change_coroutine):
        later.lock = True  # what `panel.io.with_lock` sets


# --- Bokeh figures lose their Python callbacks in Panel -------------------------------------------
#
# Defect: `panel.pane.Bokeh` removes a figure's callbacks when its tab is left or its place is
# refilled, and does not restore them when the figure is shown again. Seen in: Panel 1.9.4.
# Upstream: near https://github.com/holoviz/panel/issues/5298 (figures in dynamic tabs).


class FigurePane(pn.pane.Bokeh):
    """A Bokeh figure that keeps its callbacks."""

    def _cleanup(self, root: Any = None) -> None:
        figure = self.object
        kept = figure._callbacks, figure._event_callbacks
        super()._cleanup(root)
        figure._callbacks, figure._event_callbacks = kept


# --- An empty number field shows *NaN* in Panel ---------------------------------------------------
#
# Defect: `panel.widgets.FloatInput` sends NaN to the browser for None. Seen in: Panel 1.9.4.
# Upstream: https://github.com/holoviz/panel/issues/5205.


class FloatInput(pn.widgets.FloatInput):
    """A number field that is empty for None."""

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        changed = super()._process_param_change(params)
        return {
            name: None if isinstance(value, float) and isnan(value) else value
            for name, value in changed.items()
        }


# --- An HTML pane behind another tab makes the page load its style sheets from a CDN --------------
#
# Defect: with a new text `panel.pane.HTML` sends all its properties. In a tab that is not in front
# the style sheets among them are links to Panel's CDN, so an open page would not work offline. Seen
# in: Panel 1.9.4. Upstream: near https://github.com/holoviz/panel/pull/5278 (style sheets sent
# needlessly).


class HTMLPane(pn.pane.HTML):
    """HTML of which an update sends the text alone."""

    def _update(self, ref: str, model: Any) -> None:
        model.update(**self._process_param_change({"object": self.object}))


# --- Panel leaves a message unsent that is queued when its sending task ends ----------------------
#
# Defect: while a socket is being written to, Panel queues messages for a task that sends them. A
# message queued at the moment at which that task ends waits until the next message. After the end
# of a run there is none, and the page would show the run as running. Seen in: Panel 1.9.4 and
# 1.10.0. Upstream: near https://github.com/holoviz/panel/pull/6667 (sequential writes, which added
# the queue).


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


# --- Bokeh believes what a page sends, however large it says that it is ---------------------------
#
# Defect: a string of bytes is decompressed whatever comes out of it, so a message of 1 MB takes 1
# GB; an array may have any type, one of a gigabyte a number among them; and a message may have
# buffers without end. What fails is answered with the traceback, which has paths of the server.
# Seen in: Bokeh 3.9.2. Upstream: no issue found.


MOST_BYTES = 64 << 20  # of one message, and of what is decompressed in it
_TYPES = frozenset((
    "bool", "object", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64",
))  # fmt: skip

_decode_bytes = Deserializer._decode_bytes
_decode_ndarray = Deserializer._decode_ndarray


def limit_pages() -> None:
    """Refuse messages of pages that would take much memory, for all pages of this server."""
    patched: Any = (Deserializer, ServerConnection, ws)
    patched[0]._decode_bytes, patched[0]._decode_ndarray = _bytes_in_limits, _known_array
    patched[1].error = _without_traceback
    patched[2].Receiver = LimitedReceiver


class LimitedReceiver(Receiver):
    """A receiver of messages that are not larger than `MOST_BYTES`."""

    _held = 0

    async def consume(self, fragment: str | bytes) -> Any:
        """Take the next piece of a message; return the message if it is whole."""
        self._held += len(fragment)
        if self._held > MOST_BYTES:
            raise ProtocolError("a message is too large")
        message = await super().consume(fragment)
        if message is not None:
            self._held = 0
        return message


def _bytes_in_limits(self: Deserializer, obj: Any) -> Any:
    data = obj["data"]
    if not isinstance(data, str):
        return _decode_bytes(self, obj)
    inflater = zlib.decompressobj(wbits=31)  # gzip
    try:
        found = inflater.decompress(base64.b64decode(data), MOST_BYTES)
    except (zlib.error, binascii.Error) as broken:
        raise ValueError("bytes cannot be decompressed") from broken
    if not inflater.eof:
        self.error("bytes are too large, or break off")
    return found


def _known_array(self: Deserializer, obj: Any) -> Any:
    if obj["dtype"] not in _TYPES:
        self.error("an array is of no known type")
    return _decode_ndarray(self, obj)


def _without_traceback(self: ServerConnection, message: Any, text: str) -> Any:
    answer = self.protocol.create("ERROR", message.header["msgid"], text.partition("(")[0])
    answer.content["traceback"] = None
    return answer


# --- Panel and Bokeh visit the whole page for each part that is added to a template ---------------
#
# Defect: `Template.add_panel` calls `repr` of the template, which visits all widgets, and
# `Template.server_doc` lets Bokeh visit all models once per root: both are quadratic in the page.
# Seen in: Panel 1.9.4 with Bokeh 3.9.2. Upstream: no issue found.


class Template(pn.template.Template):
    """A page template whose cost is linear in the number of its parts."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def server_doc(self, *args: Any, **named: Any) -> Document:
        """Add the page to its document; Bokeh visits all models once."""
        document = pn.state.curdoc
        with document.models.freeze() if document is not None else nullcontext():
            return super().server_doc(*args, **named)


# --------------------------------------------------------------------------------------------------
# Tornado and Bokeh log a traceback for each websocket that is refused, garbled or closed early.
#
# Defect: `WSHandler.open` of Bokeh raises where the protocol or the token of a socket is wrong,
# `WSHandler.on_message` logs whatever a message that is no message raises, `ProtocolHandler.handle`
# what a change to a property that cannot be raises, each with the whole message, and `on_close`
# fails where the session has ended before its socket. Panel logs a traceback where a property of
# the page gets a value that its parameter cannot have. So anyone can fill the log. A write to a
# socket whose browser has left ends in a task whose error was "never retrieved". Seen in: Bokeh
# 3.9.2 with Tornado 6.5. Upstream: no issue found.


_SOCKETS = "bokeh.server.views.ws"
_MESSAGES = "bokeh.server.protocol_handler"
_VALUES = "panel.reactive"
_LOGGERS = ("asyncio", "tornado.application", _SOCKETS, _MESSAGES, _VALUES)
_OURS, _MENDED = "ccviz.", "ccviz.views.upstream"
_READ_PAGES = ("bokeh.server.session", _VALUES)


def shorten_socket_logs() -> None:
    """Drop log records about browsers that left, and log one line for a bad socket."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(shorten)


def shorten(record: logging.LogRecord) -> bool:
    """Return whether a record is to be logged; one about a bad socket loses its traceback."""
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
    """Return whether an error is of a page's message, raised before any of our code ran."""
    names = [str(frame.f_globals.get("__name__")) for frame, _ in walk_tb(error.__traceback__)]
    ours = (name for name in names if name.startswith(_OURS) and not name.startswith(_MENDED))
    return not any(ours) and any(name in _READ_PAGES for name in names)


# --- Panel imports whatever module an address names -----------------------------------------------
#
# Defect: `/components/<module>/<class>/<attribute>/<path>` calls `importlib.import_module` with a
# word of the address. Any module of the machine can be run so, and one that calls `sys.exit` ends
# the server, since Tornado catches no `SystemExit`.
# Seen in: Panel 1.9.4.
# Upstream: no issue found.


SHEET = "/components/ccviz.views.page.shell/Lab/modifiers/widgets.css"
"""The address by which Panel links our style sheet, from what a page is given later."""


def close_components() -> None:
    """Answer *not found* to each address that names a module, but for that of our style sheet."""
    patched: Any = ComponentResourceHandler
    patched.prepare = _find_ours_alone


def _find_ours_alone(self: RequestHandler) -> None:
    if self.request.path != SHEET:
        raise HTTPError(404)
