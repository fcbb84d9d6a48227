"""`ccviz ask`: questions at the terminal."""

import builtins
import os
import socketserver
import sys
import threading
from contextlib import suppress

import pytest

from tests.patience import PATIENCE_S


@pytest.fixture
def typed(monkeypatch):
    """Type words, then end the input."""

    def type_in(*words):
        left = iter(words)

        def reply(_):
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr(builtins, "input", reply)

    return type_in


def test_the_classes_answer_and_the_links_are_written(ccviz, folder):
    done = ccviz(
        "ask", "iris", "--by-class", "--questions", 12, "--out", "a.txt", "--labels", "l.csv"
    )
    assert done.code == 0
    assert done.out.startswith("12 questions, ")
    assert "ari" in done.out
    assert len((folder / "a.txt").read_text().splitlines()) == 12
    assert len((folder / "l.csv").read_text().splitlines()) == 150
    again = ccviz("ask", "iris", "--by-class", "--questions", 0, "--links", "a.txt")
    assert again.out.split("\n")[1:] == done.out.split("\n")[1:]


def test_somebody_answers_until_it_is_enough(ccviz, typed):
    typed("perhaps", "y", "u", "n", "q")
    done = ccviz("ask", "iris")
    assert done.code == 0
    assert "1. Do points " in done.err
    assert "petal length (cm): " in done.err
    assert done.out.startswith("3 questions, ")
    assert "whoever answered had enough" in done.out


def test_sets_are_asked_about(ccviz, typed, folder):
    typed("perhaps", "", "q")
    done = ccviz("ask", "iris", "--set-size", 4, "--out", "a.txt")
    assert done.code == 0
    assert "1. Which of these points do not belong with the others?" in done.err
    assert "whoever answers replied 'perhaps'" in done.err
    assert done.out.startswith("1 questions, ")
    assert len((folder / "a.txt").read_text().splitlines()) == 3
    by_class = ccviz("ask", "iris", "--set-size", 4, "--by-class", "--questions", 3)
    assert by_class.out.startswith("3 questions, ")


def test_the_end_of_the_input_is_enough(ccviz, typed):
    typed()
    assert "whoever answered had enough" in ccviz("ask", "iris").out


def test_unknown_classes_cannot_answer(ccviz, folder):
    (folder / "plain.csv").write_text("x,y\n0,1\n1,0\n2,2\n")
    asked = ccviz("ask", "plain.csv", "-k", 2, "--by-class")
    assert asked.code == 2
    assert asked.sentence == "--by-class: the classes of plain.csv are not known."


def test_a_program_answers(ccviz, folder):
    (folder / "answers.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    same = asked['one']['point'] // 50 == asked['two']['point'] // 50\n"
        "    assert 'petal length (cm)' in asked['one']['features']\n"
        "    print('quit' if asked['number'] == 21 else 'yes' if same else 'no', flush=True)\n"
    )
    command = f"'{sys.executable}' answers.py"
    done = ccviz("ask", "iris", "--by-program", command, "--noise", "learned")
    assert done.code == 0
    assert done.out.startswith("20 questions, ")
    assert "whoever answered had enough" in done.out
    assert "wrong answers  about " in done.out
    as_classes = ccviz("ask", "iris", "--by-class", "--questions", 20, "--noise", "learned")
    assert as_classes.out.split("\n")[1:] == done.out.split("\n")[1:]


def test_what_was_answered_before_a_program_failed_is_written(ccviz, folder):
    (folder / "fails.py").write_text(
        "import sys\nfor _ in range(2):\n    sys.stdin.readline()\n"
        "    print('no', flush=True)\nsys.stdin.readline()\nsys.exit(3)\n"
    )
    command = f"'{sys.executable}' fails.py"
    failed = ccviz("ask", "iris", "--by-program", command, "--out", "links.txt")
    assert failed.code == 2
    assert "ended (exit code 3) before it replied to question 3" in failed.err
    assert len((folder / "links.txt").read_text().splitlines()) == 2


# --- Oracles that fail: the answers before are kept, and one sentence says why -------------------


@pytest.fixture
def failing(ccviz, folder, monkeypatch):
    """Ask an oracle that answers twice and then fails; return how the command ended."""
    monkeypatch.setattr("ccviz.active.oracles.external._FAREWELL_S", 0.2)
    monkeypatch.setattr("ccviz.active.oracles.external._WAIT_S", 1.0)

    def ask(*words):
        done = ccviz("ask", "iris", "--questions", 9, "--out", "a.txt", *words)
        lines = done.err.splitlines()
        assert len(lines) == 1, done.err
        assert lines[0].startswith("ccviz: ")
        assert done.code == 2
        assert done.out.startswith("2 questions, ")
        assert len((folder / "a.txt").read_text().splitlines()) == 2
        return lines[0]

    return ask


PROGRAMS = {
    "ends": "",
    "ends badly": "exit 9",
    "ends itself": "kill -9 $$",
    "closes its output": "exec >&-; sleep 60",
    "closes all": "exec >&- <&-; sleep 60",
    "bad UTF-8": "printf '\\377\\n'; sleep 60",
    "half a letter": "printf '\\303'",
    "zeros": "head -c 9 /dev/zero",
    "flood": "yes yesno",
    "flood without lines": "cat /dev/zero",
    "long line": "head -c 99999 /dev/zero | tr '\\000' y; echo",
    "empty line": "echo",
    "another word": "echo perhaps",
    "markup": "echo '[bold]yes[/]'",
    "escapes": "printf '\\033[31myes\\n'",
    "a list": "echo '[]'",
    "a number": "echo 1e999",
    "no confidence": 'echo \'{"together": true, "confidence": 0.2}\'',
    "much confidence": 'echo \'{"together": true, "confidence": 1e308}\'',
    "odd confidence": 'echo \'{"together": true, "confidence": "NaN"}\'',
    "deep": "head -c 60000 /dev/zero | tr '\\000' '['; echo",
    "deep field": "printf '{\"x\":'; head -c 60000 /dev/zero | tr '\\000' '['; echo",
    "cut off": "printf '{\"together\":'",
    "surrogate": 'echo \'{"together": "\\ud800"}\'',
}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="they are scripts of a shell")
@pytest.mark.parametrize("then", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_that_fails_loses_no_answer(failing, folder, then):
    (folder / "answers.sh").write_text(f"read a; echo no; read b; echo no; read c\n{then}\n")
    assert "program 'sh'" in failing("--by-program", "sh answers.sh")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="it is a script of a shell")
def test_a_program_may_say_more_than_it_is_asked(ccviz, folder):
    (folder / "answers.sh").write_text("read a; echo no; head -c 9999999 /dev/zero")
    done = ccviz("ask", "iris", "--questions", 1, "--by-program", "sh answers.sh")
    assert (done.code, done.err) == (0, "")


OK = b"HTTP/1.1 200 OK\r\n"
JSON = OK + b"Connection: close\r\n\r\n"
CHAT = b'{"choices": [{"message": {"content": %s}}]}'
SERVERS = {
    "nothing": b"",
    "no status": b"hello\r\n\r\n",
    "bad status": b"HTTP/1.1 abc OK\r\n\r\n",
    "status beyond all": b"HTTP/1.1 99999 OK\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.9\r\n",
    "long status": b"HTTP/1.1 200 " + b"x" * 70_000 + b"\r\n\r\n",
    "long header": OK + b"X: " + b"x" * 70_000 + b"\r\n\r\n",
    "many headers": OK + b"X: y\r\n" * 200 + b"\r\n",
    "header without colon": OK + b"\xff\xfe\r\n\r\n",
    "bad length": OK + b"Content-Length: many\r\n\r\n{}",
    "less than its length": OK + b"Content-Length: 999\r\n\r\n{}",
    "bad chunk": OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    "half a chunk": OK + b"Transfer-Encoding: chunked\r\n\r\nff\r\n{}",
    "endless chunks": OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n[\r\n" * 50_000,
    "two lengths": OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "moved": b"HTTP/1.1 302 Found\r\nLocation: http://localhost:1/\r\n\r\n",
    "moved nowhere": b"HTTP/1.1 302 Found\r\nLocation: \xff\r\n\r\n",
    "password": b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\n\r\n",
    "proxy's password": b"HTTP/1.1 407 No\r\n\r\n",
    "no content": b"HTTP/1.1 204 No\r\n\r\n",
    "broken": b"HTTP/1.1 500 No\r\n\r\n\x1b[31m",
    "flood": JSON + b" " * (1 << 21),
    "deep": JSON + b"[" * 500_000,
    "deep and closed": JSON + b"[" * 100_000 + b"]" * 100_000,
    "bad UTF-8": JSON + CHAT % b'"\xff"',
    "no object": JSON + b"[]",
    "no choice": JSON + b'{"choices": []}',
    "no list": JSON + b'{"choices": {"0": 1}}',
    "nothing said": JSON + CHAT % b"null",
    "no word": JSON + CHAT % b'""',
    "a surrogate": JSON + CHAT % b'"\\ud800"',
    "escapes": JSON + CHAT % b'"\\u001b[31m"',
    "a letter of much": JSON + CHAT % (b'"' + b"y" * 100_000 + b'"'),
    "compressed": OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n\x1f\x8b",
    "silence": None,
}


@pytest.fixture
def raw_server():
    """Return a server that answers twice, then with the bytes ``then``; None is no answer."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            lines = [line.lower() for line in iter(self.rfile.readline, b"\r\n")]
            [length] = [line for line in lines if line.startswith(b"content-length")]
            self.rfile.read(int(length.split(b":")[1]))
            server.asked += 1
            answer = JSON + CHAT % b'"no"' if server.asked <= 2 else server.then
            if answer is None:
                server.over.wait(PATIENCE_S)
            else:
                with suppress(OSError):
                    self.wfile.write(answer)

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.asked, server.over = 0, threading.Event()
    server.url = f"http://127.0.0.1:{server.server_address[1]}/v1/chat/completions"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("then", SERVERS.values(), ids=SERVERS)
def test_a_server_that_fails_loses_no_answer(failing, raw_server, then):
    raw_server.then = then
    sentence = failing("--by-model", "m", "--model-url", raw_server.url)
    assert "the server 127.0.0.1" in sentence or "the model 'm'" in sentence


@pytest.mark.parametrize(
    "url",
    [
        "https://[::1", "https://[x]/", "http://localhost:abc/", "http://localhost:99999/",
        "http://localhost/ü", "http://localhost/a b", "http://localhost/\n", "https://lab.example/ü",
        "http://lab.example/localhost", "http://127.0.0.1@evil.example/", "//localhost/", "",
    ],
)  # fmt: skip
def test_an_odd_address_is_one_sentence(ccviz, url):
    done = ccviz("ask", "iris", "--by-model", "m", "--model-url", url)
    assert "is not an https address" in done.sentence


@pytest.mark.parametrize("key", ["a\nb", "☃", "a b", "\x1b", "é"])
def test_an_odd_key_is_one_sentence(ccviz, monkeypatch, key):
    monkeypatch.setenv("CCVIZ_MODEL_KEY", key)
    assert "has a letter that cannot be sent" in ccviz("ask", "iris", "--by-model", "m").sentence


def test_what_stays_on_this_machine_goes_to_no_proxy(failing, raw_server, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    raw_server.then = b""
    failing("--by-model", "m", "--model-url", raw_server.url)
    assert raw_server.asked == 3


def test_answers_are_written_where_a_person_breaks_off(ccviz, folder, monkeypatch):
    words = iter("nn")

    def reply(_):
        for word in words:
            return word
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", reply)
    assert ccviz("ask", "iris", "--out", "a.txt").code == 130
    assert len((folder / "a.txt").read_text().splitlines()) == 2


def test_rows_without_a_class_are_no_class(ccviz, folder):
    rows = [(0, 0, "a"), (0, 1, ""), (1, 0, "a"), (9, 9, "b"), (9, 8, "NaN"), (8, 9, "b")]
    lines = ["x,y,class", *(f"{x},{y},{name}" for x, y, name in rows)]
    (folder / "part.csv").write_text("\n".join(lines) + "\n")
    for size in (2, 3):
        done = ccviz("ask", "part.csv", "--by-class", "--set-size", size, "--out", "a.txt")
        assert done.code == 0
        assert "ari            1.0000" in done.out
        assert len(done.out.split("cluster sizes")[1].split("\n")[0].split()) == 2
        links = [line.split()[1:] for line in (folder / "a.txt").read_text().splitlines()]
        assert links
        assert not {"1", "4"} & {end for link in links for end in link}
