"""What the page mends in Panel: widgets, figures and the page's template."""

import asyncio
from math import isnan

import panel as pn
import pytest
from bokeh.plotting import figure
from panel.io import server
from panel.theme import Native
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application

from ccviz.views.page.shell import WIDGETS, Lab
from ccviz.views.upstream import (
    SHEET,
    Design,
    FigurePane,
    FloatInput,
    HTMLPane,
    Template,
    close_components,
)

# --- Panel's route that imports the module an address names, and what the page answers there ------


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


# --- Html pane ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "alone"), [(pn.pane.HTML, False), (HTMLPane, True)])
def test_panels_own_pane_sends_its_style_sheets_with_a_text(kind, alone, monkeypatch):
    """If it sends the text alone, the workaround can go."""
    pane = kind("one")
    model = pane.get_root()
    sent = []
    monkeypatch.setattr(type(model), "update", lambda self, **values: sent.append(values))
    pane.object = "two"
    assert sent
    assert ("stylesheets" not in sent[-1]) == alone


# --- Float input ----------------------------------------------------------------------------------


def test_panel_sends_nan_for_an_empty_field():
    """If it does not any more, the workaround can go."""
    field = pn.widgets.FloatInput(value=2.5)
    model = field.get_root()
    field.value = None
    assert isnan(model.value)


def test_a_field_without_a_number_is_empty():
    field = FloatInput(value=2.5)
    model = field.get_root()
    field.value = None
    assert model.value is None
    assert not isnan(field.get_root().value or 0.0)
    field.value = 1.5
    assert model.value == 1.5


# --- Figure callbacks -----------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "kept"), [(pn.pane.Bokeh, False), (FigurePane, True)])
def test_a_figure_loses_its_callbacks_in_panels_own_pane_only(kind, kept):
    """If Panel keeps them, the workaround can go."""
    plot = figure()
    plot.on_change("title", lambda attr, old, new: None)
    pane = kind(plot)
    root = pane.get_root()
    pane._cleanup(root)
    assert bool(plot._callbacks) == kept


# --- Design hooks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "visits"), [(Native, True), (Design, False)])
def test_panels_own_design_restyles_a_layout_without_new_children(kind, visits, monkeypatch):
    """If it does not any more, the workaround can go."""
    dressed = []
    monkeypatch.setattr(
        Native, "_reapply", lambda self, viewable, *_, **__: dressed.append(viewable)
    )
    tabs = pn.Tabs(("one", pn.pane.Str("one")), ("two", pn.pane.Str("two")), design=kind)
    root = tabs.get_root()
    dressed.clear()
    tabs._design._apply_hooks(tabs, root, tabs, None)
    assert bool(dressed) == visits


# --- Page template --------------------------------------------------------------------------------


HTML = """{% extends base %}{% block contents %}{{ embed(roots.part) }}{% endblock %}"""


class Counted(pn.pane.Str):
    """A pane that counts how often it is described."""

    seen = 0

    def __repr__(self, depth=0):
        Counted.seen += 1
        return "Counted()"


@pytest.mark.parametrize(("kind", "visits"), [(pn.template.Template, True), (Template, False)])
def test_panels_own_template_describes_each_part_for_each_new_one(kind, visits):
    """If it does not any more, this part of the workaround can go."""
    page = kind(HTML)
    page.add_panel("part", Counted("one"))
    Counted.seen = 0
    page.add_panel("other", pn.pane.Str("two"))
    assert bool(Counted.seen) == visits
