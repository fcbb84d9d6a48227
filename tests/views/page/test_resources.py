import panel as pn
import pytest
from bokeh.models import ImportedStyleSheet, InlineStyleSheet
from bokeh.resources import Resources
from panel.io.resources import CDN_DIST, DIST_DIR, LOCAL_DIST

from ccviz.views.page.shell import WIDGETS, Sheets, fetch_little


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Begin with all of Bokeh's scripts, and leave them to later tests as they were."""
    everything = [each for each in Resources._component_defs["js"] if each != "bokeh-api"]
    monkeypatch.setattr(Resources, "_default_components", everything)


@pytest.mark.skipif(
    hasattr(pn.state, "_inline_stylesheets"), reason="from 1.10 on Panel links each sheet once"
)
def test_a_page_has_each_style_sheet_once_and_links_to_none(open_page, close):
    page = open_page()
    models = list(page.models)
    assert not [model.url for model in models if isinstance(model, ImportedStyleSheet)]
    texts = [model.css for model in models if isinstance(model, InlineStyleSheet)]
    assert (DIST_DIR / "css/button.css").read_text() in texts
    assert len(set(texts)) == len(texts)
    dressed = [model for model in models if getattr(model, "stylesheets", None)]
    shared = {
        id(sheet) for model in dressed for sheet in model.stylesheets if sheet.__class__ is not str
    }
    assert len(dressed) > 5 * len(shared)
    close(page)


def test_no_script_is_fetched_that_nothing_uses():
    before = Resources(mode="server").js_files
    fetch_little()
    after = Resources(mode="server").js_files
    assert {name.rpartition("/")[2].partition(".")[0] for name in {*before} - {*after}} == {
        "bokeh-gl", "bokeh-mathjax",
    }  # fmt: skip
    fetch_little()
    assert Resources(mode="server").js_files == after


@pytest.mark.parametrize("shipped", [CDN_DIST, LOCAL_DIST, f"../{LOCAL_DIST}"])
def test_panels_own_sheets_are_known_wherever_they_are_said_to_be(shipped):
    sheets = Sheets()
    address = f"{shipped}css/button.css?v=1"
    assert address in sheets
    assert sheets[address] is sheets[address]
    assert sheets[address].css == (DIST_DIR / "css/button.css").read_text()


def test_what_a_sheet_leans_on_is_found_from_the_page():
    sheets = Sheets()
    assert f"{LOCAL_DIST}css/loading.css" in sheets
    css = sheets[f"{LOCAL_DIST}css/loading.css"].css
    assert "url('../" not in css
    assert f"url('{LOCAL_DIST}css/../assets/" in css
    assert f"{LOCAL_DIST}css/listpanel.css" in sheets
    assert "url('data:image" in sheets[f"{LOCAL_DIST}css/listpanel.css"].css


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/a.css", "a { color: red }", f"{CDN_DIST}css/none.css", "a.css"],
)
def test_sheets_of_others_are_left_to_panel(address):
    sheets = Sheets()
    assert address not in sheets
    assert list(sheets) == [WIDGETS]
