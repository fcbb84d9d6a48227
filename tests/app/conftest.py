"""A server for each module, and a page of it for each test."""

import pytest

from tests.app.driver import Lab, Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Serve the app for the tests of a module."""
    server = Server(tmp_path_factory.mktemp("home"))
    yield server
    server.close()


@pytest.fixture
def lab(page, server):
    """Open the page of a new session; at its end nobody may have complained about it."""
    lab = Lab(page, server.url)
    yield lab
    lab.assert_clean()


@pytest.fixture
def open_lab(browser, server):
    """Return a function that opens more sessions, each with a profile of its own."""
    contexts = []

    def open_one() -> Lab:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 720}))
        return Lab(contexts[-1].new_page(), server.url)

    yield open_one
    for context in contexts:
        context.close()
