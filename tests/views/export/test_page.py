"""The page as a person has it: keys, themes, a phone, and names that would rather be scripts."""

import re

import numpy as np
import pytest

from ccviz import CcvizError, Problem, solve
from ccviz.data.datasets import Dataset
from ccviz.events import Finished, NodeBranched, NodeOpened, NodePruned, Noted, Record, Started
from ccviz.views.draft import Draft
from ccviz.views.export.page import Handout, html, save_html
from ccviz.views.export.story import Play

pytestmark = pytest.mark.browser

EVIL = "</script><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>{data}"


def hostile():
    """Return a run in which every text that a person or a file can bring is a script."""
    X = np.arange(8.0).reshape(4, 2)
    names = tuple(f"{EVIL} {row}" for row in range(4))
    truth, classes = np.array([0, 0, 1, 1]), (EVIL, "b")
    data = Dataset(EVIL, X, (EVIL, f"{EVIL} 2"), truth, classes, names=names)
    problem = Problem(X, 2, truth=data.truth)
    events = [
        Started(solver=EVIL, settings={EVIL: EVIL}, seed=0, n=4, d=2, k=2, n_blocks=4),
        Noted(text=EVIL),
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
        NodeBranched(node=0, pair=(0, 2), lower_bound=0.5),
        NodeOpened(node=1, parent=0, depth=1, lower_bound=0.5, pair=(0, 2), together=True),
        NodePruned(node=1, reason="bound", lower_bound=1.0, detail=EVIL),
        Finished(termination="failed", message=EVIL),
    ]
    records = [Record(seq, 0.1 * seq, event) for seq, event in enumerate(events)]
    return Play(EVIL, problem, records, len(records), EVIL, Draft(data, 2))


def test_nothing_that_a_file_brings_is_markup(open_plays):
    told = Handout(EVIL, EVIL, ((EVIL, EVIL, f"<svg>{EVIL}</svg>"),), EVIL, ((EVIL, EVIL),))
    page = open_plays(hostile(), told=told)
    page.get_by_text("Points as a table").click()
    for place in range(8):
        page.evaluate(f"ccviz.player.seek({place})")
    page.evaluate("ccviz.panels[0].select(1)")
    node = page.get_by_role("region", name="Node")
    node.get_by_text(f"{EVIL} 0 – {EVIL} 2", exact=True).wait_for()
    assert node.inner_text().count(EVIL) == 3  # and why the node was closed
    assert page.evaluate("window.hit") is None
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 1  # the sketch, which as a picture runs nothing
    assert page.locator("h1").inner_text() == f"{EVIL} · ccviz"


def test_only_the_pages_own_script_may_run(open_plays, play_of, tree_records):
    page = open_plays(play_of(tree_records(3)))
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.findall(r"https?://(?!www\.w3\.org/)", page.content())


def test_keys_buttons_and_tabs_move_what_they_say(open_plays, play_of, tree_records, request):
    rounds = request.getfixturevalue("relaxation_records")
    page = open_plays(play_of(tree_records(9), "tree"), play_of(rounds, "matrix"))
    place = lambda: page.evaluate("[ccviz.player.place, ccviz.panels.map(({at}) => at)]")  # noqa: E731
    many = page.evaluate("ccviz.player.order.length")
    assert place()[0] == many
    page.keyboard.press("Home")
    assert place() == [0, [-1, -1]]
    page.get_by_text("Before the first event").first.wait_for()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert place() == [2, [0, 0]]  # both runs move by their clocks
    page.get_by_label("Speed").select_option(label="1000 / s")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => !ccviz.player.playing")
    assert place()[0] == many
    page.get_by_role("slider", name="Event").fill("4")
    assert place()[0] == 4
    page.keyboard.press("End")  # which belongs to the slider while that is in front
    matrix = page.get_by_role("region", name="matrix")
    matrix.get_by_role("tab", name="Tree").press("ArrowRight")
    assert matrix.get_by_role("tab", name="Relaxation").get_attribute("aria-selected") == "true"
    matrix.get_by_role("img", name="matrix of node").wait_for()


def test_the_tree_is_walked_by_keys(open_plays, play_of, tree_records):
    page = open_plays(play_of(tree_records(9)))
    tree = page.get_by_role("img", name="search tree")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        tree.press(key)
    node = page.get_by_role("region", name="Node")
    node.get_by_text("Node 0, depth 0").wait_for()
    tree.press("Escape")
    node.get_by_text("Click a node of the tree").wait_for()


def test_it_is_dark_where_people_want_it_and_fits_a_phone(open_plays, play_of, tree_records):
    page = open_plays(play_of(tree_records(53)), width=390, height=800)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    paper = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    light = paper()
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(f"() => document.documentElement.dataset.theme === '{theme}'")
    page.get_by_role("button", name="Dark page").click()
    assert paper() != light


def test_a_result_saves_itself(tmp_path, open_file):
    problem = Problem(np.random.default_rng(0).normal(size=(20, 2)), 2, truth=np.arange(20) % 2)
    solve(problem, "pck-means", progress=False).save_html(tmp_path / "mine.html", "my run")
    page = open_file(tmp_path / "mine.html")
    page.get_by_role("heading", name="my run", exact=True).wait_for()
    page.get_by_text("Valid, not proved").wait_for()


def test_what_cannot_be_written_is_a_sentence(tmp_path, play_of, tree_records):
    play = play_of(tree_records(3))
    with pytest.raises(CcvizError, match="one to 4 runs, not 0"):
        html([])
    with pytest.raises(CcvizError, match="not 5"):
        html([play] * 5)
    with pytest.raises(CcvizError, match="cannot be written: No such file"):
        save_html(tmp_path / "nowhere" / "run.html", [play])
