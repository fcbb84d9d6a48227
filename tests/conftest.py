"""What many tests share: one thread a process, the benchmark instances, a real browser."""

import os
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# Two test processes on two cores: a BLAS that starts threads of its own only makes them wait.
# These stand before anything imports numpy.
for _library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

ROOT = Path(__file__).parents[1]

# No deadline: the first example may compile a kernel. In CI Hypothesis is deterministic by itself.
settings.register_profile("ccviz", settings(), deadline=None)
settings.load_profile("ccviz")


def pytest_collection_modifyitems(items):
    """Try a test of the page once more in CI, where others' jobs may take the machine's time.

    It talks with a server and a browser by the clock. The summary says RERUN and names it: what
    needed it is a mistake in the test or the page, to be found.
    """
    if os.environ.get("CI"):
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def bench() -> Path:
    """Return the folder of benchmark instances, or skip where it is absent."""
    folder = Path(os.environ.get("CCVIZ_BENCH", ROOT.parent / "shared" / "bench"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark instances at {folder}; set CCVIZ_BENCH to their folder")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of the Chromium on this machine; `make test` installs one."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        pytest.fail(
            "the browser tests need Chromium: run 'make chromium', or deselect them "
            "with -m 'not browser'",
            pytrace=False,
        )
    return found


# One a module, not one a session: while Playwright runs, its event loop counts as this thread's,
# and no other test could start one.
@pytest.fixture(scope="module")
def browser(chromium):
    """Start one headless Chromium for the tests of a module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-quic"]
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser, request):
    """Open a page with a profile of its own; a failing test leaves a picture in test-results/."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    failed_before = request.session.testsfailed
    yield page
    if request.session.testsfailed > failed_before:
        name = re.sub(r"[^\w.-]+", "-", request.node.nodeid)
        page.screenshot(path=ROOT / "test-results" / f"{name}.png", full_page=True)
    context.close()
