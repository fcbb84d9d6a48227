"""The first app in a real browser: click, link, run, refuse, stop, kill, and two sessions."""

import os
import re
import signal

import pytest

from tests.app.driver import ENDLESS
from tests.patience import wait_until

pytestmark = pytest.mark.browser


def test_cannot_link_two_points_and_run(lab):
    lab.choose("Solver", "BLP k-means")
    lab.link("cannot", 3, 140)
    lab.page.locator(".links li").wait_for()
    assert lab.links()[0].startswith("3 – 140")
    assert lab.drawn("cannot") == 1
    assert set(lab.labels()) == {-1}
    lab.run()
    labels = lab.labels()
    assert set(labels) == {0, 1, 2}
    assert labels[3] != labels[140]
    assert re.search(r"Constraints\s+all kept", lab.card)


def test_links_are_made_and_taken_back_refused_and_named_where_they_cannot_be_kept(lab):
    the_buttons_at_the_pointer(lab)
    a_contradiction_is_refused_with_its_chain(lab)
    for left in (1, 0):
        lab.page.keyboard.press("z")
        lab.wait_for(lambda left=left: len(lab.links()) == left)
    an_infeasible_set_is_named(lab)


def the_buttons_at_the_pointer(lab):
    lab.pick(3, 140)
    lab.press("Must-link (M)")
    lab.page.locator(".links li").wait_for()
    assert lab.drawn("must") == 1
    lab.pick(5, 6)
    lab.press("Cannot-link (C)")
    lab.page.get_by_text("5 – 6").wait_for()
    lab.pick(10, 11)
    lab.page.keyboard.press("Escape")
    lab.page.get_by_text("points 10 and 11").wait_for(state="hidden")
    lab.page.keyboard.press("z")
    lab.page.get_by_text("5 – 6").wait_for(state="detached")
    lab.delete_link("must-link 3-140")
    lab.page.locator(".links li").wait_for(state="detached")
    assert lab.drawn("must") == lab.drawn("cannot") == 0


def a_contradiction_is_refused_with_its_chain(lab):
    lab.link("must", 3, 7)
    lab.page.get_by_text("3 – 7").wait_for()
    lab.link("must", 7, 140)
    lab.page.get_by_text("7 – 140").wait_for()
    lab.link("cannot", 3, 140)
    lab.see_notice("Refused: cannot-link 3-140 contradicts the must-links 3-7, 7-140.")
    assert len(lab.links()) == 2
    chain = lab.page.evaluate(
        """() => [...Bokeh.documents[0].get_model_by_name("scatter").renderers
            .find((each) => each.name === "path").data_source.data.x]"""
    )
    assert chain == [lab.points()["x"][point] for point in (3, 7, 140)]


def an_infeasible_set_is_named(lab):
    lab.fill("Clusters k", "2")
    lab.see("k = 2")
    for i, j in [(0, 60), (60, 140), (0, 140)]:
        lab.link("cannot", i, j)
        lab.page.get_by_text(f"{i} – {j}", exact=True).wait_for()
    lab.see_notice("No clustering can keep these links")
    lab.see_notice("odd cycle")
    assert len(lab.links()) == 3
    lab.press("Take 3 clusters")
    lab.see("k = 3")
    lab.page.get_by_text("No clustering can keep these links").wait_for(state="hidden")
    lab.press("Undo")
    lab.see("k = 2")


def test_step_back_and_scrub(lab):
    lab.choose("Solver", "BLP k-means")
    for _ in range(4):
        lab.step()
    lab.press("Back")
    lab.wait_for(lambda: lab.place[0] == 3)
    lab.choose("Speed", "Speed: Live")
    lab.press("Go on")
    lab.see("Valid, not proved")
    lab.see("ARI")
    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.press("ArrowLeft")
    lab.see("Go on")


def run_without_end(lab):
    """Start a run that ends only if it is stopped, and see it begin."""
    lab.press("Run")
    lab.see(re.compile(r"^[1-9][\d,]* / [\d,]+"))


def test_a_killed_worker_is_told_and_its_run_kept_and_the_next_is_stopped(lab_of, server):
    run_without_end(lab := lab_of(ENDLESS))
    for worker in server.workers():
        os.kill(worker.pid, signal.SIGKILL)
    lab.see_notice("The worker was killed (signal 9).")
    lab.see_notice("kept")
    with server.archive() as archive:
        newest = archive.runs()[0]
        assert newest.termination == "failed"
        assert archive.load(newest.id).started.solver == "cop-kmeans"

    lab.fill("Seed", "1")
    lab.press("Run")
    lab.see("cop-kmeans, seed 1")
    lab.wait_for(server.workers)
    lab.press("Stop")
    lab.see("The run was stopped.")
    wait_until(lambda: not server.workers())
    with server.archive() as archive:
        assert archive.runs()[0].termination == "interrupted"


def test_two_sessions_do_not_see_each_other(lab, open_lab):
    other = open_lab()
    lab.link("cannot", 3, 140)
    lab.page.locator(".links li").wait_for()
    other.choose("Data set", "wine")
    other.see("178 points")
    other.run()
    assert other.links() == []
    assert set(lab.labels()) == {-1}
    assert "iris" in lab.page.locator(".facts").inner_text()
    assert "No run yet" in lab.card


def test_a_closed_tab_ends_its_worker(open_lab, server):
    run_without_end(lab := open_lab(ENDLESS))
    assert server.workers()
    lab.page.close()
    wait_until(lambda: not server.workers())


UPLOADS = {
    "empty.csv": (b"", "the file is empty"),
    "long.csv": (b"1,2\n" * 1_000_002, "at most"),
    "ragged.csv": (b"1,2\n1,2,3\n", "line 2"),
}


# How many frames the page asks for in a while; a field for files once asked for every one.
FRAMES = """() => new Promise((done) => {
    const ask = window.requestAnimationFrame
    let asked = 0
    window.requestAnimationFrame = (draw) => { asked += 1; return ask(draw) }
    setTimeout(() => { window.requestAnimationFrame = ask; done(asked) }, 300)
})"""


def test_bad_input_gets_its_sentence_and_a_good_table_is_taken(lab):
    for name, (content, words) in UPLOADS.items():
        lab.upload(name, content)
        lab.see_notice(re.compile(rf"{name}: .*{words}"))
        assert "iris" in lab.page.locator(".facts").inner_text()
    lab.fill("Clusters k", "151")
    lab.see_notice("k = 151 clusters are more than the 150 points.")
    assert "k = 3" in lab.page.locator(".facts").inner_text()
    rows = "\n".join(f"{i % 7},{i % 5}" for i in range(40))
    lab.take_table("mine.csv", f"a,b\n{rows}\n".encode())
    lab.wait_for(lambda: lab.page.locator(".facts").inner_text().startswith("mine · 40 points"))
    lab.wait_for(lambda: lab.page.evaluate(FRAMES) == 0)  # a page that rests


ROOMS = ("Inside the solver", "Bounds", "Runs", "Share", "Result")


def test_nothing_is_fetched_from_elsewhere(lab):
    # What changes in a tab that was open once and is behind now is drawn outside the page.
    for room in ROOMS:
        lab.room(room)
    lab.room("Share")
    lab.choose("Speed", "Speed: Live")
    lab.press("Run")
    lab.room("Runs")
    lab.page.locator("tbody tr").filter(has_text="feasible").first.wait_for()
    lab.choose("Solver", "SDP branch-and-cut")
    lab.see("Tolerance")
    for room in ROOMS:
        lab.room(room)
    assert lab.requests_elsewhere == []
