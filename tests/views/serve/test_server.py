import logging

from tornado.websocket import WebSocketClosedError

from ccviz.views.serve.server import is_no_closed_socket


def told(error):
    info = (type(error), error, None) if error else None
    return is_no_closed_socket(logging.LogRecord("asyncio", 40, "", 1, "words", (), info))


def test_a_browser_that_left_is_not_worth_telling():
    assert not told(WebSocketClosedError())
    assert told(ValueError("a fault"))
    assert told(None)
