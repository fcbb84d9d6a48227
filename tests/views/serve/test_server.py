import asyncio
import configparser
import logging
import os
import re
import shlex
import socket
import subprocess
import sys
from contextlib import suppress
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from tornado.httpclient import HTTPRequest
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError, websocket_connect

from ccviz.errors import CcvizError
from ccviz.views.serve.desktop import find_browser, install_entry, open_window
from ccviz.views.serve.server import Serving, make_server, serve
from ccviz.views.upstream import SHEET, shorten, shorten_socket_logs
from tests.patience import PATIENCE_S, wait_until


@pytest.fixture
def main(tmp_path):
    """Return a page of one word."""
    page = tmp_path / "page.py"
    page.write_text("import panel\npanel.pane.Str('x').servable()\n")
    return page


@pytest.fixture
def taken():
    """Return a port that another program listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def is_logged(error):
    info = (type(error), error, None) if error else None
    return shorten(logging.LogRecord("asyncio", 40, "", 1, "words", (), info))


def test_a_browser_that_left_is_not_logged():
    assert not is_logged(WebSocketClosedError())
    assert not is_logged(StreamClosedError())
    assert is_logged(ValueError("a fault"))
    assert is_logged(None)


def test_a_port_that_is_taken_is_named(main, taken):
    with pytest.raises(CcvizError, match=f"cannot listen on port {taken} of 127.0.0.1: .*in use"):
        serve(Serving(port=taken), main)


async def knock(main, protocols):
    serving = Serving(port=0)
    server = make_server(serving, serving.access(), main)
    server.start()
    host = f"127.0.0.1:{server.port}"
    asked = HTTPRequest(f"ws://{host}/main/ws", headers={"Origin": f"http://{host}"})
    try:
        for each in protocols:
            opened = await websocket_connect(asked, subprotocols=each)
            assert await opened.read_message() is None
    finally:
        server.stop()


def test_a_bad_socket_is_one_line_of_the_log(main, caplog, monkeypatch):
    shorten_socket_logs()
    monkeypatch.setenv("BOKEH_ALLOW_WS_ORIGIN", "*")  # the port is chosen late
    asyncio.run(knock(main, [[], ["bokeh"], ["bokeh", "nonsense"], ["bokeh", "e30.e30"]]))
    found = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert [each.getMessage().partition(":")[0] for each in found] == [
        "a websocket was refused"
    ] * 4
    assert not any(each.exc_info for each in found)


# What Panel and Bokeh serve beside the page, and the server does not. A route that a new version
# adds is in neither list.
NOT_FOUND = {
    "/main/metadata$", "/main/autoload.js$", "/main/static/(.*)$", "/components/(.*)$",
    "/static/extensions/(.*)$",
}  # fmt: skip
LISTED = {
    "/favicon.ico$", "/main/ws$", "/main/?$", "/?$", "/static/(.*)$",
}  # fmt: skip


def test_every_route_is_known(main):
    server = make_server(Serving(port=0), Serving().access(), main)
    rules = server._tornado.wildcard_router.rules
    server.stop()
    assert {rule.matcher.regex.pattern for rule in rules} == LISTED | NOT_FOUND


def test_a_body_is_not_held(main):
    server = make_server(Serving(port=0), Serving().access(), main)
    limits = server._http.conn_params
    server.stop()
    assert limits.max_body_size <= 1 << 16
    assert limits.body_timeout <= 30


PLACES = (
    "/", "/main", "/main/", "/main/ws", "/favicon.ico", "/static/js/bokeh.min.js",
    "/static/extensions/panel/", SHEET, "/components/venv.__main__/a/b/c", "/main/autoload.js",
    "/main/metadata", "/login", "/nowhere",
)  # fmt: skip
HOSTILE = (
    "", "?", "?token=", "?token=%00", "?token=%ff%fe", "?token=a&token=b", "?theme=<script>",
    "?bokeh-session-id=x", "?bokeh-absolute-url=http://evil.example", "?data=%C0%AE", "?x[]=1",
    "?n=" + "9" * 5000, "?" + "a=1&" * 2000, "?%", "?__proto__=1", "?a=%0d%0aSet-Cookie:%20x=1",
    "/../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%5c..%5cx", "/%252e%252e/x",
    "%00", "%0d%0aLocation:%20//evil.example", "//evil.example/x", "\\evil.example", "%ff",
    "\xff\xfe", "%", "%zz", "%u0041", "#x", ";x", "{{7*7}}", "${jndi:ldap://x}", "'--", "[::1]",
    "a" * 9000, "/" * 3000, "/ws/x", "/.git/config", "/con", "?k=%C2%B2", "?a?b",
    "?k=" + "[" * 9000, " HTTP/0.9", " x y", "\t", "\x00",
)  # fmt: skip


async def statuses(main, requests):
    """Return what the server answers to requests as they are, b"" where it hangs up."""
    serving = Serving(port=0)
    server = make_server(serving, serving.access(), main)
    server.start()
    found = []
    try:
        for each in requests:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(each.replace(b"PORT", b"%d" % server.port))
            answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
            assert b"Location: //" not in answer
            assert b"root:" not in answer
            found.append(answer[9:12])
            writer.close()
    finally:
        server.stop()
    return found


def test_no_address_ends_the_server_or_makes_a_traceback(main, caplog):
    requests = [
        f"{method} {place}{word} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n"
        .encode("latin-1")
        for place in PLACES for word in HOSTILE
        for method in (("GET",) if word else ("GET", "HEAD", "OPTIONS", "DELETE", "TRACE", "X"))
    ]  # fmt: skip
    assert len(requests) >= 500
    last = b"GET /main HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n"
    found = asyncio.run(statuses(main, [*requests, last]))
    assert found[-1] == b"200"
    assert not [each for each in found if each.startswith(b"5")]
    assert not [each.getMessage() for each in caplog.records if each.exc_info or each.levelno > 30]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of a process in /proc")
def test_bodies_that_are_held_take_no_memory(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [Path(sys.executable).with_name("ccviz"), "app", "--port", str(port)],
        env=os.environ | {"CCVIZ_HOME": str(tmp_path)},
    )

    def peak():
        words = Path(f"/proc/{server.pid}/status").read_text().split("VmHWM:")[1]
        return int(words.split()[0]) * 1024

    def ask(request, body=b""):
        asking = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        with suppress(OSError):  # the server hangs up
            asking.sendall(f"{request} HTTP/1.1\r\nHost: localhost:{port}\r\n".encode() + body)
        return asking

    def answers():
        with suppress(OSError), ask("GET /main", b"\r\n") as page:
            return page.recv(99).startswith(b"HTTP/1.1 200")

    try:
        wait_until(answers)
        before = peak()
        long, short = (b"Content-Length: %d\r\n\r\n" % size for size in (99 << 20, 1 << 14))
        chunk = b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + bytes(1 << 16)) * 99
        for body in (long + bytes(9 << 20), short + bytes(9999), chunk):
            held = [ask("POST /main", body) for _ in range(40)]
            assert answers()
            for each in held:
                each.close()
        assert peak() - before < 50 << 20
    finally:
        server.kill()
        server.wait()


# --- Window ---------------------------------------------------------------------------------------


def test_without_a_browser_a_sentence_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CcvizError, match="none of them is installed here; 'ccviz app --show'"):
        find_browser()


def test_a_browser_that_does_not_start_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "nothing"))
    with pytest.raises(CcvizError, match="nothing cannot be started: No such file"):
        open_window("http://127.0.0.1:1/main", tmp_path)


def test_no_one_reads_the_token_in_the_list_of_processes(monkeypatch, tmp_path):
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {seen}\n")
    browser.chmod(0o700)
    monkeypatch.setenv("CHROMIUM", str(browser))
    address = "http://127.0.0.1:1/main?token=WORD&x=1"
    open_window(address, tmp_path).wait()
    arguments = seen.read_text()
    assert "WORD" not in arguments
    page = Path(urlsplit(re.search("--app=(.*)", arguments)[1]).path)
    assert page.stat().st_mode & 0o077 == 0
    assert unescape(page.read_text()).endswith(f'url={address}">')


# --- Menu -----------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_menu_has_an_entry_that_opens_files(home):
    entry, icon, kinds = install_entry()
    read = configparser.RawConfigParser()
    read.optionxform = str
    read.read(entry)
    command = shlex.split(read["Desktop Entry"]["Exec"])
    assert command == [str(Path(sys.executable).with_name("ccviz")), "desktop", "%f"]
    named = set(filter(None, read["Desktop Entry"]["MimeType"].split(";")))
    globs = {each.get("type"): [part.get("pattern") for part in each if part.get("pattern")]
             for each in ElementTree.parse(kinds).getroot()}  # fmt: skip
    assert globs == {
        "application/x-ccviz-project": ["*.ccvizlab"], "application/x-ccviz-run": ["*.ccviz"],
    }  # fmt: skip
    assert set(globs) < named
    assert ElementTree.parse(icon).getroot().tag.endswith("svg")


def test_a_path_with_odd_letters_is_quoted(home, monkeypatch):
    monkeypatch.setattr(sys, "executable", 'my "50%" $env/bin/python')
    entry = install_entry()[0].read_text(encoding="utf-8")
    assert 'Exec="my \\\\"50%%\\\\" \\\\$env/bin/ccviz" desktop %f' in entry


def test_what_cannot_be_written_is_a_sentence(home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where a folder should be")
    with pytest.raises(CcvizError, match="cannot be written"):
        install_entry()
