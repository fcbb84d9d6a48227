import asyncio
import base64
import gzip
import json

import numpy as np
import pytest
from bokeh.core.serialization import DeserializationError, Deserializer
from bokeh.protocol import Protocol
from bokeh.protocol.exceptions import ProtocolError
from bokeh.protocol.receiver import Receiver
from bokeh.server.connection import ServerConnection
from bokeh.server.views import ws

from ccviz.views import upstream


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
