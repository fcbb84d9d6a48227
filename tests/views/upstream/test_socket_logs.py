import asyncio
import logging

import pytest
from bokeh.application import Application
from bokeh.server.server import Server
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from ccviz.views import upstream


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
