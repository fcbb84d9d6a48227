"""Panel's route that imports the module an address names, and what the page answers there."""

import asyncio

import pytest
from panel.io import server
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application

from ccviz.views.page.shell import WIDGETS, Lab
from ccviz.views.upstream import SHEET, close_components

PATH = "/components/named_by_an_address.main/a/b/c"


def answered(path=PATH):
    """Return the status of an answer of the route."""

    async def ask():
        application = Application([("/components/(.*)", server.ComponentResourceHandler)])
        sockets, port = bind_unused_port()
        http = HTTPServer(application)
        http.add_socket(sockets)
        answer = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}{path}", raise_error=False)
        http.stop()
        await http.close_all_connections()
        return answer.code

    return asyncio.run(ask())


@pytest.fixture
def imported(monkeypatch):
    """Return the names of the modules that the route imports, none of them for real."""
    names = []

    def note(name, *_):
        names.append(name)
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(server, "importlib", type("Imports", (), {"import_module": note}))
    return names


def test_panel_imports_what_an_address_names(imported, monkeypatch):
    monkeypatch.setattr(server.ComponentResourceHandler, "prepare", lambda self: None)
    assert (answered(), imported) == (404, ["named_by_an_address.main"])


def test_the_page_imports_nothing(imported, monkeypatch):
    monkeypatch.setattr(server.ComponentResourceHandler, "prepare", lambda self: None)
    close_components()
    assert (answered(), imported) == (404, [])


def test_our_style_sheet_is_found(monkeypatch):
    monkeypatch.setattr(server.ComponentResourceHandler, "prepare", lambda self: None)
    close_components()
    assert f"/components/{Lab.__module__}/Lab/modifiers/{WIDGETS}" == SHEET
    assert (answered(SHEET), answered(SHEET + "/x")) == (200, 404)
