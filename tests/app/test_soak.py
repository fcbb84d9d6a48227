"""People come and go: their states do not mix, and they leave nothing behind on the server."""

import re
import time

import psutil
import pytest

from tests.app.driver import Lab

pytestmark = pytest.mark.browser

PEOPLE, RUNNING = 4, 2


def settled(server):
    """Return the server's memory in bytes when it has forgotten its sessions."""
    end = time.monotonic() + 60
    while server.workers():
        assert time.monotonic() < end, "a worker outlived its page"
        time.sleep(0.1)
    time.sleep(5)  # longer than an unused session lives
    return psutil.Process(server.process.pid).memory_info().rss


def come_and_go(browser, server, picture):
    """Open pages with another k each, run something long on some, and close them all."""
    contexts = [browser.new_context() for _ in range(PEOPLE)]
    labs = [Lab(context.new_page(), server.url) for context in contexts]
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
    for context in contexts:
        context.close()


def test_a_class_comes_and_goes(browser, server, picture):
    come_and_go(browser, server, picture)
    before = settled(server)
    come_and_go(browser, server, picture)
    assert settled(server) < 1.1 * before
    assert not unforeseen(server.log.read_text())


def unforeseen(log: str) -> list[str]:
    """Return what went wrong, other than that a page was gone when something was sent to it."""
    entries = re.split(r"^(?=\d{4}-\d\d-\d\d )", log, flags=re.MULTILINE)
    wrong = [entry for entry in entries if "Traceback" in entry]
    return [entry for entry in wrong if "WebSocketClosedError" not in entry]
