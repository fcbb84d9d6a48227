import panel as pn
import pytest

from ccviz.views.upstream import Template

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
