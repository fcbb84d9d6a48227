from pathlib import Path

from ccviz.views import panels


def test_no_panel_shows_html_in_another_way():
    """Panel's own pane, in a hidden tab, loads sheets from a CDN (`upstream.html_pane`)."""
    sources = sorted(Path(panels.__file__).parent.glob("*.py"))
    assert "html.py" in {source.name for source in sources}
    others = [source.name for source in sources if "pane.HTML" in source.read_text("utf-8")]
    assert others == []
