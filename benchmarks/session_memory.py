"""What sessions leave behind in a server's memory, one after another or a class at a time.

    python benchmarks/session_memory.py                  # 100 sessions, one after another
    python benchmarks/session_memory.py --traced 40      # with tracemalloc, which is slow
    python benchmarks/session_memory.py --classes 6      # of thirty at once, six of them running
    python benchmarks/session_memory.py --table          # only write the table

Asked for: the last 50 of 100 sessions add nothing, and classes at most 10 % after the second.
A session uploads a table, a link file and files that are refused, edits, runs and closes; it has a
socket and no browser (`tests/app/socket_page.py`). After ten sessions or a class the server
collects its garbage. In a class a hostile student asks for too much and uploads files that are
too large or lie. A row is written as it comes; what was measured before under its name goes.
"""

from __future__ import annotations

import asyncio
import base64
import os
import tempfile
import time
from argparse import Namespace
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import _runner as runner
import numpy as np
from _page import Server, served
from class_server import LONG, RUNNING, addresses, tables

from tests.app.socket_page import Page, models, packed

STUDENTS, TOGETHER = 30, 10
FORGOTTEN_S = 40  # the server looks for closed pages now and then
PATIENCE_S = 300
HOSTILE = (
    b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}",
    b"," * 1_000_000,
    b"9" * 100_000 + b",1\n2,3\n",
)


class Session:
    """What one person does."""

    def __init__(self, page: Page, doc: dict[str, Any]) -> None:
        self._page, self._models = page, list(models(doc))

    @classmethod
    async def open(cls, url: str) -> Session:
        """Open the page, as a browser does once it has drawn it."""
        page = await Page().open(url)
        session = cls(page, await page.pull())
        await page.tell("document_ready")
        return session

    def _named(self, key: str, name: str) -> str:
        return next(id for _, id, has in self._models if has.get(key) == name)

    async def click(self, label: str) -> None:
        """Press the button of a label."""
        await self._page.tell("button_click", model={"id": self._named("label", label)})

    async def fill(self, title: str, value: object) -> None:
        """Change the field of a title."""
        await self._page.change(self._named("title", title), value=value)

    async def upload(self, name: str, content: bytes) -> None:
        """Drop a table on its field."""
        field = next(
            id for _, id, has in self._models if "table-file" in has.get("css_classes", ())
        )
        part = {"upload": 1, "name": name, "size": len(content), "at": 0, "data": packed(content)}
        await self._page.tell("data_event", model={"id": field}, data=part)

    async def links(self, name: str, content: bytes) -> None:
        """Import a file of links."""
        data = base64.b64encode(content).decode()
        await self._page.change(
            self._named("title", "Import links"), value=data, filename=name, mime_type="text/plain"
        )

    async def work(self, number: int) -> None:
        """Upload, edit, be refused, and run."""
        rng = np.random.default_rng(number)
        rows = rng.normal(size=(200, 3)) + 5.0 * rng.integers(3, size=(200, 1))
        await self.upload(
            "mine.csv", "\n".join(["a,b,c", *(",".join(map(str, r)) for r in rows)]).encode()
        )
        await self.fill("Clusters k", 3 + number % 3)
        await self.links("links.txt", b"0 1 1\n2 3 1\n4 5 -1\n")
        await self.upload("not.npy", HOSTILE[number % len(HOSTILE)])
        await self.links("not.txt", b"0 1 one\n" * 1000)
        await self.fill("Sizes", "1-, x")
        await self.click("Undo")
        await self.click("Redo")
        await self.fill("Solver", "cop-kmeans")

    async def run(self, server: Server, count: int) -> None:
        """Run, and wait until the archive has as many finished runs."""
        await self.click("Run")
        end = time.monotonic() + PATIENCE_S
        while server.ended() < count and time.monotonic() < end:
            await asyncio.sleep(0.2)

    def close(self) -> None:
        """Close the page."""
        self._page.close()


async def one(server: Server, number: int) -> None:
    session = await Session.open(server.url)
    await session.work(number)
    await session.run(server, number + 1)
    session.close()


async def lesson(server: Server) -> None:
    """Let a class in, some of whom run and one of whom is hostile, and all go."""
    long = f"{server.url}?{urlencode({'data': 'wine', 'k': 3, **LONG})}"
    runners = [await Session.open(long) for _ in range(RUNNING)]
    for session in runners:
        await session.click("Run")
    others = [await Session.open(server.url) for _ in range(STUDENTS - RUNNING)]
    await asyncio.gather(*(each.work(at) for at, each in enumerate(others)), attack(server))
    for session in [*runners, *others]:
        session.close()


async def attack(server: Server) -> None:
    """Ask for too much, and upload what is too large or lies."""
    for (name, content), asked in islice(zip(tables(), addresses(), strict=False), 5):
        session = await Session.open(f"{server.url}?{urlencode(asked)}")
        await session.upload(name, content)
        await session.click("Run")
        session.close()


def note(server: Server, what: str, sessions: int) -> dict[str, Any]:
    """Wait until the server has forgotten its pages, and return what it holds."""
    end = time.monotonic() + PATIENCE_S
    while server.workers() and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(FORGOTTEN_S)
    objects, traced, rss_mb = server.objects_left(), server.traced_mb(), server.memory_mb()
    row = {"what": what, "sessions": sessions, "rss_mb": f"{rss_mb:.0f}", "objects": objects}
    return row | {"traced_mb": f"{traced:.1f}"}


def measure(options: Namespace) -> None:
    """Drive a server, and write a row now and then."""
    if options.traced:
        os.environ["PYTHONTRACEMALLOC"] = "1"
    what = "classes" if options.classes else "traced" if options.traced else "sessions"
    kept = [row for row in runner.read_rows(OUT) if row["what"] != what]
    runner.write_rows(OUT, kept)
    way = ["--class"] if options.classes else []
    with tempfile.TemporaryDirectory() as home, served(home, *way) as server:
        for number in range(options.classes or options.traced or options.sessions):
            asyncio.run(lesson(server) if options.classes else one(server, number))
            if options.classes or (number + 1) % TOGETHER == 0:
                sessions = (number + 1) * (STUDENTS if options.classes else 1)
                runner.append_row(OUT, note(server, what, sessions))
        print(server.log.read_text().count("Traceback"), "tracebacks in the server's log")


OUT = runner.RESULTS / "session_memory.csv"
HEAD = """# Memory after sessions

A session has a socket and no browser; it uploads a table, links and two files that are
refused, edits, undoes, and runs: one after another, or in classes of thirty at once, of
whom six run something long and a thirty-first is hostile. The rows are after all of them
have gone and a garbage collection. *Traced* is what Python's allocator holds
(`tracemalloc`), in a server of its own.

"""


def page(rows: runner.Rows) -> str:
    return HEAD + runner.laid_out(
        "What | Sessions | Memory, MB | Objects | Traced, MB",
        "{what} | {sessions} | {rss_mb} | {objects:,} | {traced}",
        (
            row
            | {"objects": int(row["objects"])}
            | {"traced": row["traced_mb"] if float(row["traced_mb"]) else ""}
            for row in rows
        ),
    )


if __name__ == "__main__":
    options = runner.parse(__doc__, sessions=100, traced=int, classes=int, table=False)
    if not options.table:
        measure(options)
    runner.write_page(OUT, page(runner.read_rows(OUT)))
