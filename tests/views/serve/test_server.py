import asyncio
import logging
import socket

import pytest
from tornado.httpclient import HTTPRequest
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError, websocket_connect

from ccviz.errors import CcvizError
from ccviz.views.serve.server import Serving, make_server, serve
from ccviz.views.upstream.socket_logs import shorten, shorten_socket_logs


@pytest.fixture
def main(tmp_path):
    """Return a page of one word."""
    page = tmp_path / "page.py"
    page.write_text("import panel\npanel.pane.Str('x').servable()\n")
    return page


@pytest.fixture
def taken():
    """Return a port that another program listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def is_logged(error):
    info = (type(error), error, None) if error else None
    return shorten(logging.LogRecord("asyncio", 40, "", 1, "words", (), info))


def test_a_browser_that_left_is_not_logged():
    assert not is_logged(WebSocketClosedError())
    assert not is_logged(StreamClosedError())
    assert is_logged(ValueError("a fault"))
    assert is_logged(None)


def test_a_port_that_is_taken_is_named(main, taken):
    with pytest.raises(CcvizError, match=f"cannot listen on port {taken} of 127.0.0.1: .*in use"):
        serve(Serving(port=taken), main)


async def knock(main, protocols):
    serving = Serving(port=0)
    server = make_server(serving, serving.access(), main)
    server.start()
    host = f"127.0.0.1:{server.port}"
    asked = HTTPRequest(f"ws://{host}/main/ws", headers={"Origin": f"http://{host}"})
    try:
        for each in protocols:
            opened = await websocket_connect(asked, subprotocols=each)
            assert await opened.read_message() is None
    finally:
        server.stop()


def test_a_bad_socket_is_one_line_of_the_log(main, caplog, monkeypatch):
    shorten_socket_logs()
    monkeypatch.setenv("BOKEH_ALLOW_WS_ORIGIN", "*")  # the port is chosen late
    asyncio.run(knock(main, [[], ["bokeh"], ["bokeh", "nonsense"], ["bokeh", "e30.e30"]]))
    found = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert [each.getMessage().partition(":")[0] for each in found] == [
        "a websocket was refused"
    ] * 4
    assert not any(each.exc_info for each in found)
