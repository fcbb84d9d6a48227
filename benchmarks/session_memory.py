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

import argparse
import asyncio
import base64
import os
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from _page import RESULTS, Server, served
from _rows import append_row, read_rows
from class_server import LONG, RUNNING, addresses, tables

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.app.socket_page import Page, models, packed

STUDENTS, TOGETHER = 30, 10
FORGOTTEN_S = 40  # the server looks for closed pages now and then
PATIENCE_S = 300
OUT = RESULTS / "session_memory.csv"
FIELDS = ("what", "sessions", "rss_mb", "objects", "traced_mb")
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


def note(server: Server, what: str, sessions: int) -> None:
    """Wait until the server has forgotten its pages, and add a row of what it holds."""
    end = time.monotonic() + PATIENCE_S
    while server.workers() and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(FORGOTTEN_S)
    objects, traced = server.objects_left(), server.traced_mb()
    found = (what, sessions, f"{server.memory_mb():.0f}", objects, f"{traced:.1f}")
    append_row(OUT, dict(zip(FIELDS, found, strict=True)))
    print(*found, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--traced", type=int, help="sessions with tracemalloc")
    parser.add_argument("--classes", type=int)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if not options.table:
        measure(options)
    write_table()


def measure(options: argparse.Namespace) -> None:
    """Drive a server, and write a row now and then."""
    if options.traced:
        os.environ["PYTHONTRACEMALLOC"] = "1"
    what = "classes" if options.classes else "traced" if options.traced else "sessions"
    kept = [row for row in read_rows(OUT) if row["what"] != what]
    OUT.unlink(missing_ok=True)
    for row in kept:
        append_row(OUT, row)
    with (
        tempfile.TemporaryDirectory() as home,
        served(home, *(["--class"] if options.classes else [])) as server,
    ):
        if options.classes:
            for number in range(options.classes):
                asyncio.run(lesson(server))
                note(server, what, STUDENTS * (number + 1))
        else:
            for number in range(options.traced or options.sessions):
                asyncio.run(one(server, number))
                if (number + 1) % TOGETHER == 0:
                    note(server, what, number + 1)
        print(server.log.read_text().count("Traceback"), "tracebacks in the server's log")


def write_table() -> None:
    """Write the rows as a table."""
    lines = [
        "# Memory after sessions",
        "",
        "A session has a socket and no browser; it uploads a table, links and two files that are",
        "refused, edits, undoes, and runs: one after another, or in classes of thirty at once, of",
        "whom six run something long and a thirty-first is hostile. The rows are after all of them",
        "have gone and a garbage collection. *Traced* is what Python's allocator holds",
        "(`tracemalloc`), in a server of its own.",
        "",
        "| What | Sessions | Memory, MB | Objects | Traced, MB |",
        "|---|---|---|---|---|",
    ]
    for row in read_rows(OUT):
        traced = row["traced_mb"] if float(row["traced_mb"]) else ""
        lines.append(
            f"| {row['what']} | {row['sessions']} | {row['rss_mb']} "
            f"| {int(row['objects']):,} | {traced} |"
        )
    OUT.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
