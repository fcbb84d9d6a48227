"""What many tests share: one thread a process, the benchmark instances, a real browser."""

import gc
import os
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from tests.patience import PATIENCE_S
from tests.tiers import Tiers

# Two test processes on two cores: a BLAS that starts threads of its own only makes them wait.
# These stand before anything imports numpy.
for _library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

ROOT = Path(__file__).parents[1]

# No deadline: the first example may compile a kernel. In CI Hypothesis is deterministic by itself.
settings.register_profile("ccviz", settings(), deadline=None)
settings.load_profile("ccviz")

SCRIPTS = (
    "--no-turbofan --no-maglev --no-flush-bytecode --min-semi-space-size=64 "
    "--max-semi-space-size=128"
)
"""A page is here for seconds: to compile its scripts well, and to tidy up often, costs a fifth."""

SHARED = ("tests/app/", "tests/test_notebooks.py")
"""Their tests need nothing of one another but what a whole process has."""


pytest.register_assert_rewrite("ccviz.testing")


def pytest_configure(config):
    config.pluginmanager.register(Tiers(config), "tiers")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the garbage collector from what is imported: it takes a fifth of the time, in vain."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Leave the browser to the end: once it runs, its event loop counts as this thread's.

    No test could start a loop of its own then. A file goes as a whole, as a process takes it. The
    files that are not shared come before those of which each process takes a test at a time, so
    that several processes end together.
    """

    def has(item, name):
        return item.get_closest_marker(name) is not None

    browsing = {item.path for item in items if has(item, "browser")}
    items.sort(
        key=lambda item: (
            item.path in browsing,
            item.nodeid.startswith(SHARED),
            not has(item, "slow"),
        )
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each process a file at a time, and of those that share the whole server, a test."""
    from xdist.scheduler import LoadScopeScheduling

    class Shares(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.partition("::")[0]
            return nodeid if path.startswith(SHARED) else path

    config.option.loadscopereorder = False
    return Shares(config, log)


@pytest.fixture(scope="session")
def bench() -> Path:
    """Return the folder of benchmark instances, or skip where it is absent."""
    folder = Path(os.environ.get("CCVIZ_BENCH", ROOT.parent / "shared" / "bench"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark instances at {folder}; set CCVIZ_BENCH to their folder")
    return folder


@pytest.fixture(scope="session")
def fork_client():
    """Return a function that returns one fork server for all tests of this process.

    It takes two seconds to load. A pool that is closed does not end it.
    """
    from ccviz.runs.fork_client import ForkClient

    class SharedClient(ForkClient):
        def close(self):
            pass

    @cache
    def shared():
        return SharedClient("blp-kmeans")

    yield shared
    if shared.cache_info().currsize:
        ForkClient.close(shared())


@pytest.fixture(scope="session", autouse=True)
def quick_workers(fork_client):
    """Let the workers of this process's runs be forked, as a server's are, by one fork server.

    A new interpreter for each costs seconds. Processes that a test starts use new interpreters,
    and so do tests with the fixture `new_workers`.
    """
    from ccviz.runs import job
    from ccviz.runs.fork_client import ForkClient
    from ccviz.runs.worker_pool import Child

    with pytest.MonkeyPatch.context() as patch:
        if ForkClient.possible:
            patch.setattr(job, "Child", lambda path: Child(path, fork_client()))
        yield


@pytest.fixture
def new_workers(monkeypatch):
    """Let the workers of a test's runs be new interpreters."""
    from ccviz.runs import job
    from ccviz.runs.worker_pool import Child

    monkeypatch.setattr(job, "Child", Child)


@pytest.fixture
def archive(tmp_path):
    """Return an empty archive."""
    from ccviz.runs.archive import Archive

    with Archive(tmp_path / "runs.sqlite") as archive:
        yield archive


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of the Chromium on this machine; `make test` installs one.

    The shell is the same engine without windows: a page costs it a third of the time.
    """
    return _chromium("chromium-headless-shell", "chromium", "google-chrome")


@pytest.fixture(scope="session")
def windowed_chromium() -> str:
    """Return the path of a Chromium that has windows."""
    return _chromium("chromium", "google-chrome")


def _chromium(*names: str) -> str:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.fail(
            "the browser tests need Chromium: run 'make chromium', or deselect them "
            "with -m 'not browser'",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="session")
def browser(chromium):
    """Start one headless Chromium for all tests of this process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-quic", f"--js-flags={SCRIPTS}"],
        )
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser):
    """Return a function that opens a page with a profile of its own; the test's end closes it."""
    contexts = []

    def open_one(width=1400, height=900):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}))
        contexts[-1].set_default_timeout(1000 * PATIENCE_S)
        return contexts[-1].new_page()

    yield open_one
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page, request):
    """Open a page; a failing test leaves a picture in test-results/."""
    page = new_page()
    failed_before = request.session.testsfailed
    yield page
    if request.session.testsfailed > failed_before:
        name = re.sub(r"[^\w.-]+", "-", request.node.nodeid)
        page.screenshot(path=ROOT / "test-results" / f"{name}.png", full_page=True)
