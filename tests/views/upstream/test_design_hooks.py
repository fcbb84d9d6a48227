import panel as pn
import pytest
from panel.theme import Native

from ccviz.views.upstream import Design


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
