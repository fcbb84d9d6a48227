"""Pages written to disk, and a Chromium without a network that opens them."""

import pytest

from ccviz.views.export.page import save_html
from ccviz.views.export.story import Play


@pytest.fixture
def open_file(new_page):
    """Return a function that opens a file offline, and holds that there is no complaint."""
    heard = []

    def open_one(path, **size):
        page = new_page(**size)
        page.context.set_offline(True)
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on(
            "request", lambda asked: heard.append(asked.url) if _is_outside(asked.url) else None
        )
        page.goto(path.as_uri())
        page.locator("html[data-ready]").wait_for()
        return page

    yield open_one
    assert not heard


def _is_outside(url):
    return not url.startswith(("file:", "data:"))


@pytest.fixture
def open_plays(open_file, tmp_path):
    """Return a function that writes runs to a page and opens it."""

    def open_them(*plays, told=None, **size):
        path = tmp_path / "run.html"
        save_html(path, plays, told)
        return open_file(path, **size)

    return open_them


@pytest.fixture(scope="session")
def play_of(problem):
    """Return a maker of what is to be told of records on the forty points."""
    return lambda records, title="made up": Play(title, problem, records, len(records), "forty")
