"""The window of its own, on a screen that no one sees."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.app.conftest import PICTURES
from tests.app.screen import screen
from tests.patience import wait_until

pytestmark = pytest.mark.browser

_CCVIZ = "from ccviz.cli import main; main()"


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


@pytest.fixture
def desktop(windowed_chromium, tmp_path):
    """Return a function that opens the window, and a port on which its browser is looked into."""
    started = []
    with screen(tmp_path) as shown:
        port = free_port()
        wrapper = tmp_path / "browser"
        # A browser that works as root, and lets itself be looked into.
        wrapper.write_text(
            f"#!/bin/sh\nexec {windowed_chromium} --no-sandbox --disable-gpu "
            f'--remote-debugging-port={port} "$@"\n'
        )
        wrapper.chmod(0o755)
        environment = os.environ | {
            "DISPLAY": shown.name, "CHROMIUM": str(wrapper), "CCVIZ_HOME": str(tmp_path / "home"),
        }  # fmt: skip

        def open_it(*files):
            started.append(
                subprocess.Popen([sys.executable, "-c", _CCVIZ, "desktop", *files], env=environment)
            )
            return started[-1], shown, port

        yield open_it
        for process in started:
            process.terminate()
            process.wait()


def look_into(kind, port):
    """Return the page in the window."""

    def is_there():
        with suppress(URLError, ConnectionError):
            return urlopen(f"http://127.0.0.1:{port}/json/version").status == 200
        return False

    wait_until(is_there)
    browser = kind.connect_over_cdp(f"http://127.0.0.1:{port}")
    wait_until(lambda: browser.contexts[0].pages)
    return browser.contexts[0].pages[0]


@pytest.mark.slow
def test_the_window_opens_a_file_and_next_time_the_last_project(desktop, browser, tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text("a,b\n" + "".join(f"{i % 7}.5,{i % 5}\n" for i in range(35)))
    for files in ((str(table),), ()):
        process, shown, port = desktop(*files)
        page = look_into(browser.browser_type, port)
        if files:  # the sheet of the table
            page.get_by_role("button", name="Load", exact=True).click()
        page.get_by_text("mine · 35 points").wait_for()
        assert "token" not in page.url
        assert page.url.startswith("http://127.0.0.1:")
        wait_until(shown.is_painted)
        PICTURES.mkdir(parents=True, exist_ok=True)
        shown.picture().save(PICTURES / f"test_desktop.{'file' if files else 'last'}.png")
        page.close()
        assert process.wait() == 0
    assert (tmp_path / "home" / "last.ccvizlab").is_file()
