import panel as pn
import pytest

from ccviz.views.upstream import HTMLPane


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
