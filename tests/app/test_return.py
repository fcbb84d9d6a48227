"""A page whose server goes says so, and comes back to its run when the server does."""

import pytest

from tests.app.driver import ENDLESS, READY, Lab, Server
from tests.patience import wait_until

pytestmark = pytest.mark.browser

# The length of the history says nothing in a tab that other tests have used: it ends at 50.
COUNT_ENTRIES = """() => {
    const push = history.pushState
    window.entries = 0
    history.pushState = (...entry) => {
        window.entries += 1
        push.apply(history, entry)
    }
}"""


def test_a_page_comes_back_to_its_run(new_page, picture, tmp_path):
    server, page = Server(tmp_path), new_page()
    try:
        lab = Lab(page, f"{server.url}{ENDLESS}")
        lab.press("Run")
        wait_until(lambda: len(set(lab.labels())) == 3)
        with server.archive() as archive:
            (info,) = archive.runs()
            server.kill()
            gone = page.get_by_role("alert").filter(has_text="The connection to the server is lost")
            gone.wait_for()
            assert "If it has ended, the run ends by itself" in gone.text_content()
            picture(page, "gone")
            assert not page.get_by_text("Something went wrong").count()
            wait_until(lambda: archive.info(info.id).termination == "interrupted")
        server.start()
        page.get_by_text(f"The page has come back. The run {info.name} was stopped").wait_for()
        wait_until(lambda: len(set(lab.labels())) == 3)
        assert f"run={info.id}" in page.url
        assert "cl=0-60" in page.url
        assert not gone.count()
    finally:
        server.close()


def test_an_edit_is_in_the_address_and_loading_again_brings_all_back(page, lab_of, picture):
    lab = lab_of(ENDLESS)
    lab.press("Run")
    lab.wait_for(lambda: len(set(lab.labels())) == 3)
    lab.link("must", 0, 1)
    lab.wait_for(lambda: "ml=0-1" in page.url and "run=" in page.url)
    page.reload()
    page.wait_for_function(READY)
    lab.see("The page has come back.")
    lab.wait_for(lambda: len(set(lab.labels())) == 3)
    assert len(lab.links()) == 2
    stop = page.get_by_role("button", name="Stop", exact=True)
    stop.click()  # the run goes on, and is this page's again
    page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for()
    picture(page, "again")


def test_back_undoes_what_there_is_to_undo(page, lab_of):
    lab = lab_of()
    lab.link("must", 0, 1)
    lab.wait_for(lambda: "ml=0-1" in page.url)
    lab.link("cannot", 0, 60)
    lab.wait_for(lambda: "cl=0-60" in page.url)
    for left in (1, 0):
        page.evaluate("history.back()")
        lab.wait_for(lambda left=left: len(lab.links()) == left)
    assert page.evaluate("Bokeh.documents.length") == 1


def test_back_undoes_a_single_edit(page, lab_of):
    lab = lab_of()
    page.evaluate(COUNT_ENTRIES)
    lab.fill("Clusters k", "4")
    lab.wait_for(lambda: "k=4" in page.url and page.evaluate("window.entries") == 1)
    page.evaluate("history.back()")
    lab.see("k = 3")
    assert page.evaluate("Bokeh.documents.length") == 1


def test_an_own_table_survives_a_reload(page, lab_of):
    lab = lab_of()
    lab.take_table(
        "mine.csv", b"a,b\n" + b"".join(b"%d.5,%d.5\n" % (i % 7, i % 5) for i in range(30))
    )
    lab.see("30 points")
    lab.link("must", 0, 1)
    lab.wait_for(lambda: "draft=" in page.url and len(lab.links()) == 1)
    page.reload()
    page.wait_for_function(READY)
    lab.see("30 points")
    assert len(lab.links()) == 1


def test_ask_me_says_that_it_shows_another_clustering_and_gives_the_old_one_back(page, lab_of):
    lab = lab_of("")
    before = lab.labels()
    lab.press("Ask me")
    lab.see("not those of the run")
    lab.see("From your answers")
    lab.wait_for(lambda: lab.labels() != before)
    lab.press("Ask me")
    lab.wait_for(lambda: lab.labels() == before)
    lab.see("Optimal clustering")


def test_a_page_that_has_missed_a_part_is_loaded_again(page, lab_of):
    lab = lab_of(ENDLESS)
    lab.link("must", 0, 1)
    lab.wait_for(lambda: "ml=0-1" in page.url)
    page.evaluate("window.before = true")
    page.evaluate("setTimeout(() => { throw new Error(`reference p1 isn't known`) })")
    page.wait_for_function("window.before === undefined")
    page.wait_for_function(READY)
    lab.wait_for(lambda: len(lab.links()) == 2)
    page.evaluate("window.before = true")
    page.evaluate("setTimeout(() => { throw new Error(`reference p1 isn't known`) })")
    page.get_by_role("alert").filter(has_text="reload it").wait_for()
    assert page.evaluate("window.before")
    lab.troubles.clear()  # both errors are those of this test
