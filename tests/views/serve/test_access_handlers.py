"""What a server behind the access answers, asked by hand."""

import asyncio
import logging
import re

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application, RequestHandler
from tornado.websocket import WebSocketHandler

from ccviz.views.serve.access import Access
from ccviz.views.serve.server import guard

HOSTS = frozenset({"127.0.0.1"})
OPEN = Access(HOSTS)
LOCKED = Access(HOSTS, b"key", token="open sesame")
CLASS = Access(HOSTS, b"key", teacher_token="ms", is_class=True)


class Page(RequestHandler):
    def get(self):
        self.finish("<html><script>1</script><script src='a'></script><p>page</p>")


class Data(RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/javascript")
        self.finish("'<script>'")


class Socket(WebSocketHandler):
    def open(self):
        self.write_message("in")


def ask(access, *requests):
    """Return the answers of a server to requests: paths, each with its headers."""

    async def all_of_them():
        routes = [("/", Page), ("/main", Page), ("/components/(.*)", Page), ("/main/ws", Socket)]
        files = [("/static/data.js", Data), ("/main/metadata", Data)]
        application = Application(routes + files)
        guard(application, access)
        sockets, port = bind_unused_port()
        server = HTTPServer(application)
        server.add_socket(sockets)
        client, own = AsyncHTTPClient(), f"http://127.0.0.1:{port}"
        asked = [HTTPRequest(own + path, headers=headers, follow_redirects=False)
                 for path, headers in requests]  # fmt: skip
        answers = [await client.fetch(each, raise_error=False) for each in asked]
        server.stop()
        await server.close_all_connections()
        return answers

    return asyncio.run(all_of_them())


def cookie_in(answer):
    return {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}


UPGRADE = {
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {"Host": "evil.example"}),
        ("/static/data.js", {"Host": "evil.example:5006"}),
        ("/", {"Origin": "http://127.0.0.1:1"}),
        ("/", {"Origin": "null"}),
        ("/main/ws", UPGRADE | {"Origin": "http://127.0.0.1:1"}),
        ("/main/ws", UPGRADE | {"Host": "evil.example", "Origin": "http://127.0.0.1:1"}),
        ("/?bokeh-session-id=chosen", {}),
        ("/", {"Bokeh-Session-Id": "chosen"}),
    ],
)
def test_strangers_are_refused(path, headers):
    (answer,) = ask(OPEN, (path, headers))
    assert answer.code == 403
    assert b"<p>page</p>" not in answer.body


@pytest.mark.parametrize(
    "path",
    [
        "/components/venv.__main__/a/b/c", "/components//a/b/c", "/main/metadata",
        "/main/autoload.js", "/mainly", "/main/ws/x", "//evil.example/x", "/\\evil.example",
        "/static/extensions/other/x.js", "/static/", "/%6dain", "/main/components/x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("access", [OPEN, LOCKED, CLASS], ids=["open", "locked", "class"])
def test_an_address_that_is_not_listed_is_not_found(path, access):
    (answer,) = ask(access, (path, {}))
    assert answer.code == 404
    assert "Location" not in answer.headers
    assert b"<p>page</p>" not in answer.body


OTHER = {"Referer": "http://evil.example/"}
LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
IMAGE = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}


@pytest.mark.parametrize(
    ("path", "headers", "code"),
    [
        ("/main", {"Sec-Fetch-Site": "cross-site", **IMAGE}, 403),
        ("/main", {"Sec-Fetch-Site": "same-site", **IMAGE}, 403),  # another port of this machine
        ("/static/data.js", {"Sec-Fetch-Site": "cross-site", **LINK}, 403),
        ("/main", {"Sec-Fetch-Site": "cross-site", **LINK, "Sec-Fetch-Dest": "iframe"}, 403),
        ("/main", {"Sec-Fetch-Site": "cross-site", **LINK}, 200),
        ("/main", {"Sec-Fetch-Site": "none", **LINK}, 200),
        ("/static/data.js", {"Sec-Fetch-Site": "same-origin", **IMAGE}, 200),
        ("/main", OTHER | {"Accept": "image/avif,*/*"}, 403),
        ("/static/data.js", OTHER | {"Accept": "text/html"}, 403),
        ("/main", OTHER | {"Accept": "text/html,*/*"}, 200),
        ("/main", {}, 200),
    ],
)
def test_a_page_of_another_site_may_link_to_the_page_and_no_more(path, headers, code):
    (answer,) = ask(OPEN, (path, headers))
    assert answer.code == code


def test_who_asks_for_the_server_by_its_name_comes_in():
    page, data = ask(OPEN, ("/", {}), ("/static/data.js", {}))
    assert (page.code, data.code) == (200, 200)
    assert "Set-Cookie" not in page.headers


def test_every_answer_is_strict_and_a_page_has_a_nonce():
    first, second, data, refused = ask(
        OPEN, ("/", {}), ("/", {}), ("/static/data.js", {}), ("/", {"Host": "evil.example"})
    )
    for answer in (first, second, data, refused):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    policy = first.headers["Content-Security-Policy"]
    nonce = re.search(r"'nonce-([^']+)'", policy)[1]
    assert first.body.count(f'<script nonce="{nonce}"'.encode()) == 2
    assert "frame-ancestors 'self'" in policy
    assert "'unsafe-inline'" not in re.search(r"script-src[^;]*", policy)[0]
    assert nonce not in second.headers["Content-Security-Policy"]
    assert "Etag" not in first.headers
    assert data.body == b"'<script>'"


def test_a_token_is_asked_for_and_leaves_the_address():
    asked, wrong, right, data = ask(
        LOCKED,
        ("/?k=3", {}),
        ("/?token=x", {}),
        ("/?k=3&token=open+sesame", {}),
        ("/static/data.js", {}),
    )
    assert (asked.code, wrong.code, data.code) == (403, 403, 403)
    assert b"What is the token?" in asked.body
    assert b"not the right one" in wrong.body
    assert (right.code, right.headers["Location"]) == (302, "/?k=3")
    assert "HttpOnly" in right.headers["Set-Cookie"]
    assert "SameSite=Lax" in right.headers["Set-Cookie"]
    page, forged = ask(LOCKED, ("/", cookie_in(right)), ("/", {"Cookie": "ccviz=a.b.c.d"}))
    assert (page.code, forged.code) == (200, 403)


def test_a_class_gives_each_browser_a_cookie():
    one, two = ask(CLASS, ("/?k=3", {}), ("/", {}))
    assert (one.code, one.headers["Location"], two.code) == (302, "/?k=3", 302)
    assert cookie_in(one) != cookie_in(two)
    teacher, again = ask(CLASS, ("/?token=ms", cookie_in(one)), ("/", cookie_in(one)))
    assert (teacher.code, again.code) == (302, 200)
    assert "Set-Cookie" not in again.headers


def test_no_token_is_logged(caplog, monkeypatch):
    caplog.set_level("INFO", logger="tornado.access")  # a server of this process may have raised it
    monkeypatch.setattr(logging.getLogger("tornado.access"), "propagate", True)
    wrong_host, wrong_token = {"Host": "evil.example"}, {}
    ask(LOCKED, ("/?token=open+sesame", wrong_host), ("/?token=sesam", wrong_token))
    ask(LOCKED, ("/?token=open+sesame", {}))
    found = [each.getMessage() for each in caplog.records if each.name == "tornado.access"]
    assert len(found) == 3
    assert not [line for line in found if "sesam" in line]
