"""One server for all, and one tab of a browser in which each test opens a page; pictures of them.

Every test leaves a picture of its end in `test-results/app`, whether it passed or not, under its
own name; some leave more on their way. What is marked `journey` is among the quick tests.
"""

import re
from pathlib import Path

import pytest

from tests.app.aftermath import sections
from tests.app.driver import EMPTY, ROOT, Lab, Server
from tests.patience import PATIENCE_S

PICTURES = ROOT / "test-results" / "app"
SIZE = {"width": 1400, "height": 900}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Take the tests of the page for slow, but for journeys: together they last minutes."""
    for item in items:
        if Path(__file__).parent in item.path.parents and not item.get_closest_marker("journey"):
            item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Show with a failure what the page and its server were at."""
    report = yield
    if report.failed and report.when == "call":
        report.sections += sections(item.funcargs.get("server"), item.funcargs.get("page"))
    return report


@pytest.fixture(scope="session")
def serving(tmp_path_factory):
    """Serve the app for all tests of this process."""
    server = Server(tmp_path_factory.mktemp("home"))
    yield server
    server.close()


@pytest.fixture
def server(serving):
    """Return the server, with no run in its archive."""
    serving.forget()
    return serving


@pytest.fixture
def picture(request):
    """Return a function that keeps a picture of a page, named by the test and a word."""
    name = re.sub(r"[^\w.-]+", "-", f"{request.node.path.stem}.{request.node.name}").strip("-")

    def keep(page, word: str = "") -> None:
        if not page.is_closed():
            page.screenshot(path=PICTURES / f"{name}{word and f'.{word}'}.png")

    return keep


@pytest.fixture(scope="session")
def tab(browser):
    """Open the tab that the tests of this process use one after the other.

    Its engine has read the scripts of the page, which takes as long as all that they do then. A
    page keeps nothing in the browser: what is opened next is as new as in a new one.
    """
    context = browser.new_context(viewport=SIZE)
    context.set_default_timeout(1000 * PATIENCE_S)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(tab, picture):
    """Return the tab with nothing in it; keep a picture of what the test left."""
    tab.set_viewport_size(SIZE)
    yield tab
    picture(tab)
    tab.mouse.move(0, 0)
    tab.goto("about:blank")  # the server hears that the session ends


@pytest.fixture
def lab_of(page, server):
    """Return a function that opens the page of a new session by an address.

    At the end there may be no complaint about any of them.
    """
    labs = []

    def open_one(query: str = EMPTY) -> Lab:
        labs.append(Lab(page, f"{server.url}{query}"))
        return labs[-1]

    yield open_one
    for lab in labs:
        lab.listen_no_more()
    for lab in labs:
        lab.assert_clean()


@pytest.fixture
def lab(lab_of):
    """Open the page of a new session."""
    return lab_of()


@pytest.fixture
def open_lab(new_page, server, picture):
    """Return a function that opens more sessions, each with a profile of its own."""
    pages = []

    def open_one(query: str = EMPTY) -> Lab:
        pages.append(new_page(1280, 720))
        return Lab(pages[-1], f"{server.url}{query}")

    yield open_one
    for place, page in enumerate(pages, start=1):
        picture(page, f"other-{place}")
