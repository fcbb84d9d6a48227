"""Runs in a real browser: the player, the limits, the queue, and the table of past runs."""

import re

import pytest

from ccviz import Problem
from ccviz.views.frames.tables import COLUMNS
from ccviz.views.lab.runner import RunQueue
from tests.app.driver import ENDLESS

pytestmark = pytest.mark.browser


def play_and_pause(lab, button):
    """Play a few events of a run that has many more, and pause."""
    lab.choose("Speed", "Speed: 10 / s")
    lab.press(button)
    lab.wait_for(lambda: lab.place[0] >= 2)
    lab.press("Pause")
    lab.page.get_by_role("button", name="Pause", exact=True, disabled=True).wait_for()


def stop(lab):
    """End a run that would not end, and see its last event."""
    lab.press("Stop")
    lab.see("The run was stopped.")
    lab.page.get_by_role("button", name="Stop", exact=True, disabled=True).wait_for()


def test_a_run_is_played_paused_scrubbed_and_replayed(lab_of, server):
    lab = lab_of(ENDLESS)
    play_and_pause(lab, "Run")
    at, _ = lab.place
    labels = lab.labels()
    lab.step()
    lab.press("Back")
    lab.wait_for(lambda: lab.place[0] == at)
    lab.wait_for(lambda: lab.labels() == labels)

    lab.choose("Speed", "Speed: Live")
    lab.press("Go on")
    lab.wait_for(lambda: lab.place[0] > max(at, 1000))
    stop(lab)
    last = lab.place[1]
    assert lab.place[0] == last > at

    handle = lab.scrubber
    handle.focus()
    lab.page.keyboard.press("End")
    lab.wait_for(lambda: lab.place[0] == last)
    lab.page.keyboard.press("Home")
    lab.wait_for(lambda: lab.place[0] == 1)
    lab.wait_for(lambda: set(lab.labels()) == {-1})
    lab.page.keyboard.press("ArrowRight")
    lab.wait_for(lambda: lab.place[0] == 2)
    # The handle is drawn to the middle.
    track = lab.page.locator(".scrub .noUi-base").bounding_box()
    knob = handle.bounding_box()
    lab.page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    lab.page.mouse.down()
    lab.page.mouse.move(track["x"] + track["width"] / 2, track["y"] + 3, steps=5)
    lab.page.mouse.up()
    lab.wait_for(lambda: 0.3 * last < lab.place[0] < 0.7 * last)

    # A replay that was paused goes on, and is no other run.
    lab.scrubber.focus()
    lab.page.keyboard.press("Home")
    lab.wait_for(lambda: lab.place[0] == 1)
    play_and_pause(lab, "Go on")
    at = lab.place[0]
    lab.press("Go on")
    lab.wait_for(lambda: lab.place[0] > at)
    with server.archive() as archive:
        assert len(archive.runs()) == 1


def test_limits_end_a_run_which_goes_on_from_the_table(lab_of):
    # Without cuts its tree has seven nodes.
    lab = lab_of("?data=spirals&n=30&k=3&solver=sdp&set.cuts=none&seed=1")
    lab.page.get_by_text("More settings").click()
    lab.fill("Stop at the gap", "0.01")
    lab.run()
    lab.see(re.compile("gap.*was reached", re.IGNORECASE))
    gap = float(re.search(r"Gap\s+([\d.]+) %", lab.card)[1])
    assert 0 < gap <= 1
    lab.fill("Stop at the gap", "")
    lab.fill("Node limit", "3")
    lab.fill("Seed", "2")
    lab.run()
    lab.see("The node limit was reached.")
    lab.fill("Node limit", "")

    lab.room("Runs")
    row = lab.unfold(lab.run_row("spirals"))
    row.locator("td.proof").get_by_text("gap").wait_for()
    row.get_by_role("button", name="Go on").click()
    row.locator("td.proof").get_by_text("optimal").wait_for()
    assert row.get_by_role("button", name="Go on").count() == 0
    lab.room("Result")
    lab.see("Optimal clustering")
    lab.see("sdp, seed 2")


def test_the_time_limit_ends_a_run(lab_of):
    lab = lab_of(ENDLESS)
    lab.choose("Speed", "Speed: Live")
    lab.fill("Time limit, s", "1")
    lab.press("Run")
    lab.see("The time limit was reached.")


def test_the_table_of_runs_tells_sorts_and_filters(lab_of, picture):
    lab = lab_of("?data=iris&k=3&ml=0-60*0.1&solver=pck-means&seed=1")
    lab.run()
    lab.choose("Data set", "moons")
    lab.see("300 points")
    for solver in ("BLP k-means", "COP-k-means"):
        lab.choose("Solver", solver)
        lab.run()
    lab.room("Runs")
    lab.run_row("pck-means").wait_for()
    head = [cell.strip() for cell in lab.page.locator(".scroll th button").all_text_contents()]
    assert head == list(COLUMNS)
    row = lab.run_row("pck-means")
    row.locator("td.proof").get_by_text("feasible").wait_for()
    cells = dict(zip(head, row.locator("td").all_text_contents()[1:], strict=False))
    assert (cells["Data"], cells["Proof"], cells["Broken"]) == ("iris", "feasible", "1")
    assert 0 < float(cells["ARI"]) <= 1
    assert float(cells["Objective"]) > 70
    assert lab.page.locator(".scroll").evaluate("(box) => box.scrollWidth <= box.clientWidth")

    def column(name):
        cells = lab.page.locator(f".scroll tbody td:nth-child({head.index(name) + 2})")
        return cells.all_text_contents()

    for name in ("Objective", "Run"):
        sort = lab.page.locator(".scroll th button").filter(has_text=name).first
        sort.click()
        falling = column(name)
        sort.click()
        assert column(name) == falling[::-1] != falling
    by_ari = lab.page.get_by_label("Sort runs by")
    by_ari.select_option("By ARI")
    assert column("ARI") == sorted(column("ARI"), key=float)
    by_ari.select_option("Newest first")
    assert "cop-kmeans" in column("Run")[0]
    lab.unfold(lab.run_row("iris")).get_by_text("Broken 1").wait_for()
    lab.page.get_by_label("Filter runs").fill("moons cop")
    [found] = column("Run")
    assert "cop-kmeans" in found
    picture(lab.page, "filtered")


def test_an_old_run_of_very_many_is_found(lab, server, picture):
    problem = Problem([[0.0], [1.0], [4.0]], 2)
    with server.archive() as archive:
        for at in range(205):
            archive.create(problem, "blp-kmeans", {}, dataset="line", name=f"try-{at:03d}")
    lab.room("Runs")
    lab.see("200 of 205 runs shown")
    lab.page.get_by_label("Filter runs").fill("try-003")
    lab.see("1 of 205 runs shown")
    lab.run_row("try-003").wait_for()
    lab.page.get_by_label("Filter runs").fill("")
    lab.see("200 of 205 runs shown")
    lab.page.get_by_label("Sort runs by").select_option("By Run")
    lab.run_row("try-000").wait_for()
    picture(lab.page, "two hundred")


def test_a_run_is_exported_and_opened_from_its_file(lab, tmp_path):
    lab.choose("Solver", "BLP k-means")
    lab.fill("Seed", "8")
    lab.run()
    labels, objective = lab.labels(), re.search(r"Cost\s+([\d.]+)", lab.card)[1]
    lab.room("Runs")
    with lab.page.expect_download() as download:
        lab.page.get_by_text("Export this run").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix == ".ccviz"
    name = lab.run_row("iris").locator("td").nth(1).inner_text()
    lab.page.once("dialog", lambda dialog: dialog.accept())
    lab.unfold(lab.run_row(name)).get_by_role("button", name="Delete").click()
    lab.run_row(name).wait_for(state="detached")
    lab.see("Nothing has run yet.")

    chooser = lab.page.get_by_label("Drop a run, or choose one")
    chooser.set_input_files({"name": "no.ccviz", "mimeType": "", "buffer": b"nothing"})
    lab.see_notice("no.ccviz holds no sound run")
    chooser.set_input_files(path)
    lab.run_row(name).wait_for()
    lab.room("Result")
    lab.see("Valid, not proved")
    assert re.search(r"Cost\s+([\d.]+)", lab.card)[1] == objective
    assert lab.labels() == labels


def test_runs_wait_in_a_queue(lab, open_lab):
    # A run that is paused keeps its place.
    others = [open_lab() for _ in range(RunQueue().limit)]
    for other in others:
        other.press("Step")
        other.see(re.compile(r"^1 / \d+"))
    lab.choose("Speed", "Speed: Live")
    lab.press("Run")
    lab.see("Waiting in the queue: 1 to end before this run starts.")
    lab.room("Runs")
    lab.see("1 are waiting. This run is number 1 in the queue.")
    others[0].press("Stop")
    lab.room("Result")
    lab.see("Valid, not proved")
    lab.page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for()
    for other in others[1:]:
        other.press("Stop")
        other.see("The run was stopped.")
