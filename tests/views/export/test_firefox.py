"""The same page in the other browser: it opens from a disk, plays, and says nothing."""

import pytest

from ccviz.views.export.page import save_html
from tests.firefox import firefox

pytestmark = pytest.mark.browser

_READY = """new Promise((done) => {
    const look = () => document.documentElement.dataset.ready ? done(true) : setTimeout(look, 20)
    look()
})"""
_SHOWN = """({
    headline: document.querySelector(".pill").textContent,
    where: document.getElementById("where").textContent,
    node: document.querySelector(".node").textContent,
    inked: (() => {
        const canvas = document.querySelector("canvas")
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
        return new Set(new Uint32Array(data.buffer)).size
    })(),
})"""


@pytest.mark.slow
def test_firefox_opens_plays_and_inspects_it(play_of, tree_records, tmp_path):
    save_html(tmp_path / "run.html", [play_of(tree_records(53))])
    with firefox(tmp_path) as page:
        page.open(tmp_path / "run.html")
        assert page.evaluate(_READY)
        shown = page.evaluate(_SHOWN)
        assert shown["headline"] == "Valid, not proved"  # the made-up bounds do not meet
        assert shown["inked"] > 5
        page.evaluate("void ccviz.panels[0].select(3)")
        assert page.evaluate(_SHOWN)["node"].startswith("Node 3, depth")
        page.evaluate('void document.getElementById("first").click()')
        page.evaluate('void document.getElementById("step").click()')
        assert page.evaluate(_SHOWN)["where"].startswith("1 of ")
        assert not page.heard
