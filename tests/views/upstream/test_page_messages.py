import asyncio
import base64
import gzip
import json
import logging
from functools import partial

import numpy as np
import panel as pn
import pytest
from bokeh.application import Application
from bokeh.core.serialization import DeserializationError, Deserializer
from bokeh.document import Document
from bokeh.protocol import Protocol
from bokeh.protocol.exceptions import ProtocolError
from bokeh.protocol.receiver import Receiver
from bokeh.server.connection import ServerConnection
from bokeh.server.server import Server
from bokeh.server.views import ws
from panel.io import document as io
from panel.io import location
from panel.io.state import set_curdoc
from panel.reactive import Syncable
from panel.util import parse_query
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from ccviz.views import upstream
from ccviz.views.upstream import keep_parameters_as_text, lock_events


@pytest.fixture
def limited(monkeypatch):
    """Limit pages to a thousand bytes, and undo it after the test."""
    for owner, name in (
        (Deserializer, "_decode_bytes"), (Deserializer, "_decode_ndarray"),
        (ServerConnection, "error"), (ws, "Receiver"),
    ):  # fmt: skip
        monkeypatch.setattr(owner, name, getattr(owner, name))
    monkeypatch.setattr(upstream, "MOST_BYTES", 1000)
    upstream.limit_pages()


def packed(size):
    data = base64.b64encode(gzip.compress(bytes(size))).decode()
    return {"type": "bytes", "data": data}


def array(dtype, size):
    return {
        "type": "ndarray", "array": packed(size), "dtype": dtype, "shape": [size],
        "order": "little",
    }  # fmt: skip


def test_bokeh_decompresses_and_allocates_whatever_a_page_says(monkeypatch):
    monkeypatch.setattr(Deserializer, "_decode_bytes", upstream._decode_bytes)
    monkeypatch.setattr(Deserializer, "_decode_ndarray", upstream._decode_ndarray)
    assert len(Deserializer().decode(packed(10**6))) == 10**6
    wide = array("S1000", 0) | {"array": ["x"]}
    assert Deserializer().decode(wide).nbytes == 1000


def test_bytes_have_a_limit(limited):
    assert Deserializer().decode(packed(999)) == bytes(999)
    for bad in (packed(10**6), {"type": "bytes", "data": packed(9)["data"][:12]}):
        with pytest.raises((DeserializationError, ValueError)):
            Deserializer().decode(bad)
    with pytest.raises(ValueError, match="cannot be decompressed"):
        Deserializer().decode({"type": "bytes", "data": "AAAA"})


def test_arrays_are_of_a_known_type(limited):
    assert np.array_equal(Deserializer().decode(array("float64", 16)), np.zeros(2))
    for dtype in ("S1000000000", "V8", "datetime64[s]"):
        with pytest.raises(DeserializationError, match="no known type"):
            Deserializer().decode(array(dtype, 8))


def test_a_message_has_a_limit(limited):
    receiver = ws.Receiver(Protocol())
    head = {"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": 10**6}

    async def send(receiver, pieces):
        for piece in pieces:
            await receiver.consume(piece)

    small = json.dumps(head | {"num_buffers": 0}), "{}", '{"events": []}'
    asyncio.run(send(receiver, small * 30))  # each message for itself
    endless = json.dumps(head), "{}", "{}", *(('{"id": "b"}', bytes(90)) * 20)
    with pytest.raises(ProtocolError, match="too large"):
        asyncio.run(send(receiver, endless))
    asyncio.run(send(Receiver(Protocol()), endless))  # without a limit it goes on


def test_an_answer_has_no_traceback(limited):
    class Connection(ServerConnection):
        def __init__(self):
            self._protocol = Protocol()

    message = Protocol().create("SERVER-INFO-REQ")
    try:
        raise OSError("/folder/of/the/server")
    except OSError as broken:
        answer = Connection().error(message, repr(broken))
    assert answer.content == {"text": "OSError", "traceback": None}


# --- Message queue --------------------------------------------------------------------------------


class Socket:
    """A browser's end of the line, which keeps what it is sent until it is read."""

    def __init__(self):
        self.sent, self.reading = [], []

    def take(self, message):
        self.sent.append(message)
        self.reading.append(asyncio.get_running_loop().create_future())
        return [self.reading[-1]]

    def read(self):
        self.reading.pop(0).set_result(None)


class Connection:
    """As a server holds it: messages are the lists of their events."""

    def __init__(self):
        self._socket, self.protocol = Socket(), self

    def create(self, kind, events):
        return events


@pytest.fixture
def connection(monkeypatch):
    """Return a connection whose socket Panel writes to by queued messages."""
    monkeypatch.setattr(io, "_dispatch_msgs", upstream._send_queued)  # whoever came before
    monkeypatch.setitem(
        io.extra_socket_handlers, Socket, lambda connection, events=None, msg=None: (
            connection._socket.take(msg)
        ),
    )  # fmt: skip
    return Connection()


async def queue_as_a_task_ends(connection):
    """Queue a message in the moment in which the task that sent the one before ends."""
    page = Document()
    io.schedule_write_events(page, [connection], ["run began"])
    while not connection._socket.reading:
        await asyncio.sleep(0)
    connection._socket.read()
    io.schedule_write_events(page, [connection], ["run ended"])
    while asyncio.all_tasks() - {asyncio.current_task()}:
        if connection._socket.reading:
            connection._socket.read()
        await asyncio.sleep(0)


def test_panel_leaves_a_message_behind_that_is_queued_as_its_task_ends(connection):
    asyncio.run(queue_as_a_task_ends(connection))
    assert connection._socket.sent == [["run began"]]  # if both are sent, the workaround can go


def test_a_message_is_sent_that_is_queued_as_the_task_ends(connection):
    upstream.send_all()
    asyncio.run(queue_as_a_task_ends(connection))
    assert connection._socket.sent == [["run began"], ["run ended"]]


def test_a_panel_without_this_queue_is_left_alone(monkeypatch):
    monkeypatch.delattr(io, "_WRITE_BLOCK")
    monkeypatch.setattr(io, "_dispatch_msgs", "of another kind")
    upstream.send_all()
    assert io._dispatch_msgs == "of another kind"


# --- Event lock -----------------------------------------------------------------------------------


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


# --- Socket logs ----------------------------------------------------------------------------------


async def knock():
    """Open a websocket without a protocol at a plain server of Bokeh."""
    server = Server({"/": Application()}, port=0)
    server.start()
    host = f"localhost:{server.port}"
    try:
        asked = HTTPRequest(f"ws://{host}/ws", headers={"Origin": f"http://{host}"})
        await (await websocket_connect(asked)).read_message()
    finally:
        server.stop()


@pytest.fixture
def records(caplog, monkeypatch):
    """Return what Bokeh logs by itself of a bad socket."""
    for name in upstream._LOGGERS:
        monkeypatch.setattr(logging.getLogger(name), "filters", [])
    monkeypatch.setenv("BOKEH_ALLOW_WS_ORIGIN", "*")  # the port is chosen late
    asyncio.run(knock())
    return [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_bokeh_logs_a_traceback_for_a_bad_socket(records):
    assert any(record.exc_info for record in records)


def test_the_record_becomes_a_line(records):
    assert records
    assert all(upstream.shorten(record) for record in records)
    assert not any(record.exc_info for record in records)


# --- Address parameters ---------------------------------------------------------------------------


LONG = "9" * 5000


def test_panel_still_converts_digits(monkeypatch):
    monkeypatch.setattr(location, "parse_query", parse_query)
    with pytest.raises(ValueError, match="4300 digits"):
        location.Location().param.update(search=f"?k={LONG}")


def test_a_number_of_many_digits_stays_text(monkeypatch):
    monkeypatch.setattr(location, "parse_query", parse_query)
    keep_parameters_as_text()
    place = location.Location()
    place.param.update(search=f"?k={LONG}&x=a%20b")
    assert place.query_params == {"k": LONG, "x": "a b"}
