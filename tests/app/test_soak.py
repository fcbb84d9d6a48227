"""People come and go: their states do not mix, and they leave nothing behind on the server."""

import json
import re
import urllib.request

import psutil
import pytest

from tests.app.driver import EMPTY, Lab, Server
from tests.patience import wait_until

pytestmark = pytest.mark.browser

PEOPLE, RUNNING = 3, 1


@pytest.fixture
def server(tmp_path):
    """Serve the app for these people only, and count them."""
    server = Server(tmp_path, "--rest-session-info")
    yield server
    server.close()


def left(server):
    """Return the server's objects and its memory in bytes when it has forgotten its sessions."""
    wait_until(lambda: not server.workers() and not people(server))
    return server.objects_left(), psutil.Process(server.process.pid).memory_info().rss


def people(server):
    """Return how many sessions the server has."""
    with urllib.request.urlopen(server.url.replace("/main", "/rest/session_info")) as answer:
        return json.load(answer)["session_info"]["live"]


def come_and_go(new_page, server, picture):
    """Open pages with another k each, run something long on some, and close them all."""
    labs = [Lab(new_page(), f"{server.url}{EMPTY}") for _ in range(PEOPLE)]
    for number, lab in enumerate(labs):
        if number < RUNNING:
            lab.choose("Data set", "digits")
            lab.see("1,797 points")
            lab.choose("Solver", "SDP branch-and-cut")
        lab.fill("Clusters k", str(20 + number))
        lab.see(f"k = {20 + number}")
        if number < RUNNING:
            lab.press("Run")
    for number, lab in enumerate(labs):
        facts = lab.page.locator(".facts").inner_text()
        assert facts.startswith("digits" if number < RUNNING else "iris")
        assert facts.endswith(f"k = {20 + number}")
        lab.assert_clean()
        picture(lab.page, f"person-{number + 1}")
    for lab in labs:
        lab.page.context.close()


def test_a_class_comes_and_goes(new_page, server, picture):
    # The first two classes fill the caches of the libraries, and the allocator's arenas.
    for _ in range(2):
        come_and_go(new_page, server, picture)
        objects, memory = left(server)
    come_and_go(new_page, server, picture)
    left(server)
    # A page has some 20,000 objects; the last are let go of after the session is off the list.
    wait_until(lambda: server.objects_left() < objects + 1_000)
    assert psutil.Process(server.process.pid).memory_info().rss < 1.05 * memory
    assert not unforeseen(server.log.read_text())


def unforeseen(log: str) -> list[str]:
    """Return what went wrong, other than that a page was gone when something was sent to it."""
    entries = re.split(r"^(?=\d{4}-\d\d-\d\d )", log, flags=re.MULTILINE)
    wrong = [entry for entry in entries if "Traceback" in entry]
    return [entry for entry in wrong if "WebSocketClosedError" not in entry]
