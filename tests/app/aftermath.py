"""What a failed test of the page leaves: the page in words, what the server does, its processes."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from signal import SIGUSR1

import psutil
from playwright.sync_api import Error, Page

from tests.app.driver import Server
from tests.patience import wait_until

SECONDS = 5.0
"""How long a page may take to answer; one that hangs has nothing to say."""

_MOST = 20_000


def sections(server: Server | None, page: Page | None) -> Iterator[tuple[str, str]]:
    """Return what a report shows beside the error: titles and texts."""
    if page is not None and not page.is_closed():
        yield "page", _words(page)
    if server is not None and server.process.poll() is None:
        yield "processes", "\n".join(_processes(server.process.pid))
        yield "runs", _runs(server)
        yield "server", _stacks(server)


def _words(page: Page) -> str:
    try:
        return page.locator("body").aria_snapshot(timeout=1000 * SECONDS)
    except Error as silent:
        return str(silent)


def _processes(pid: int) -> Iterator[str]:
    """Return what each of them is, and what its threads wait for in the system."""
    for each in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
        with suppress(psutil.NoSuchProcess, OSError):
            waits = [
                (task / "wchan").read_text() for task in Path(f"/proc/{each.pid}/task").iterdir()
            ]
            command = " ".join(each.cmdline())
            yield f"{each.pid} of {each.ppid()}, {each.status()}, {waits}: {command}"


def _runs(server: Server) -> str:
    with server.archive() as archive:
        return "\n".join(map(str, archive.runs()))


def _stacks(server: Server) -> str:
    """Return the end of the server's log, to which it writes what its threads are at."""
    before = server.log.stat().st_size
    server.process.send_signal(SIGUSR1)
    with suppress(AssertionError):
        wait_until(lambda: server.log.stat().st_size > before)
    return server.log.read_text(errors="replace")[-_MOST:]
