"""A page that lies: messages to the server that no page of ours sends."""

import asyncio
import base64
import gzip
import json
import random

import psutil
import pytest

from tests.app.driver import Server
from tests.app.socket_page import Page, models
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.slow

MARK = "hostile-7f3"
CHANGES = 150
BOMB = base64.b64encode(gzip.compress(bytes(200 << 20), compresslevel=1)).decode()
VALUES = (
    None, MARK, -1, 1e308, 10**400, True, [[]], [MARK] * 100_000, {"a": MARK}, [1, [2, [3]]],
    {"type": "number", "value": "nan"}, {"type": "symbol", "name": "os.system"}, {"id": "nowhere"},
    {"type": "object", "name": "CustomJS", "id": MARK, "attributes": {"code": MARK}},
    {"type": "object", "name": "builtins.eval", "id": MARK, "attributes": {}},
    {"type": "bytes", "data": BOMB}, {"type": "bytes", "data": "AAAA"},
    {"type": "ndarray", "array": ["x"], "dtype": "S1000000000", "shape": [1], "order": "little"},
    {"type": "ndarray", "array": [1.0], "dtype": "float64", "shape": [10**9, 10**9],
     "order": "little"},
    {"type": "ndarray", "array": [MARK], "dtype": "object", "shape": [1], "order": "little"},
    {"type": MARK}, {"type": "map", "entries": [[[], 1]]}, {"type": "slice"},
)  # fmt: skip


def changes(doc, rng):
    """Yield changes: of properties, some of which no page changes, of columns, of the page."""
    found = {(name, attr): id for name, id, attrs in models(doc) for attr in attrs}
    for (_, attr), id in rng.sample(sorted(found.items()), CHANGES):
        for value in rng.sample(VALUES, 2):
            yield {"kind": "ModelChanged", "model": {"id": id}, "attr": attr, "new": value}
    for value in VALUES:
        yield {"kind": "ModelChanged", "model": {"id": id}, "attr": "tags", "new": value}
    sources = [id for name, id, _ in models(doc) if name == "ColumnDataSource"][:3]
    for id in sources:
        keys = {"ColumnDataChanged": "data", "ColumnsStreamed": "data", "ColumnsPatched": "patches"}
        for kind, key in keys.items():
            for data in ({"x": [MARK] * 100_000}, {MARK: [1]}, {"x": [[10**9, 1]]}, [], None):
                yield {"kind": kind, "model": {"id": id}, "column_source": {"id": id}, key: data}
    for model in ({"id": "p1"}, {"id": "nowhere"}, None, VALUES[13]):
        yield {"kind": "ModelChanged", "model": model, "attr": "visible", "new": False}
        yield {"kind": "RootAdded", "model": model}
        yield {"kind": "RootRemoved", "model": model}
    yield {"kind": "TitleChanged", "title": f"<script>{MARK}</script>"}
    yield {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": {"event_name": MARK}}
    yield {"kind": MARK}
    yield {}


async def lie(server):
    """Let one page lie, and return what another is, and a third that comes later."""
    other, liar = await Page().open(server.url), await Page().open(server.url)
    for change in changes(await liar.pull(), random.Random(0)):
        answer = await asyncio.wait_for(liar.patch(change), 120)
        if answer is None:  # it was put out
            liar = await Page().open(server.url)
        elif answer[0] == "ERROR":
            assert answer[1]["traceback"] is None
            assert str(server.home) not in answer[1]["text"]
    for content in (
        "[" * 100_000,
        "{",
        '{"events": 5}',
        '{"events": [' + "9" * 10**5 + "]}",
    ):
        await liar.send("PATCH-DOC", content)
        if await asyncio.wait_for(liar.hear("OK", "ERROR"), 120) is None:
            liar = await Page().open(server.url)
    later = await Page().open(server.url)
    return await other.pull(), await later.pull()


def test_a_page_that_lies_harms_itself_only(tmp_path):
    server = Server(tmp_path)
    try:
        other, later = asyncio.run(lie(server))
        memory = psutil.Process(server.process.pid).memory_info().rss
        assert server.process.poll() is None
    finally:
        server.close()
    log = server.log.read_text()
    assert MARK not in json.dumps(other)
    assert MARK not in json.dumps(later)
    assert "Traceback" not in log, log[log.index("Traceback") - 500 :][:5000]
    assert "was refused" in log
    assert len(log) < 1 << 20
    assert memory < 1 << 30


async def hurry(server):
    """Change k and undo it before the page has been drawn, and wait until k is as before."""
    page = await Page().open(server.url)
    found = list(models(await page.pull()))
    (k,) = (id for _, id, has in found if has.get("title") == "Clusters k")
    (undo,) = (id for _, id, has in found if has.get("label") == "Undo")
    await page.change(k, value=4)
    await page.tell("button_click", model={"id": undo})
    while {id: has for _, id, has in models(await page.pull())}[k]["value"] != 3:
        await asyncio.sleep(0.1)


def test_a_click_before_the_page_is_drawn_has_its_effect(tmp_path):
    server = Server(tmp_path)
    try:
        asyncio.run(asyncio.wait_for(hurry(server), PATIENCE_S))
    finally:
        server.close()
    assert "Traceback" not in server.log.read_text()
