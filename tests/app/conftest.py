"""One server for all, and a page of it for each test; pictures of what was on them.

Every test leaves a picture of its end in `test-results/app`, whether it passed or not, under its
own name; some leave more on their way.
"""

import re

import pytest

from tests.app.driver import EMPTY, ROOT, Lab, Server

PICTURES = ROOT / "test-results" / "app"


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


@pytest.fixture
def page(page, picture):
    """Open a page, and keep a picture of it at the end."""
    yield page
    picture(page)


@pytest.fixture
def lab(page, server):
    """Open the page of a new session; at its end nobody may have complained about it."""
    lab = Lab(page, f"{server.url}{EMPTY}")
    yield lab
    lab.assert_clean()


@pytest.fixture
def lab_of(page, server):
    """Return a function that opens the page of a new session by an address."""
    labs = []

    def open_one(query: str) -> Lab:
        labs.append(Lab(page, f"{server.url}{query}"))
        return labs[-1]

    yield open_one
    for lab in labs:
        lab.assert_clean()


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
