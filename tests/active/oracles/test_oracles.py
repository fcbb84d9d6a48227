"""Who answers: a program, a model behind an address, known classes."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import numpy as np
import pytest

from ccviz.active import Learner
from ccviz.active.oracles import ChatModel, KnownClasses, Program, Reply, SetReply, interview
from ccviz.active.oracles.question import question_about, read_reply, set_question_about
from ccviz.data.datasets import load
from ccviz.errors import CcvizError, ParameterError

# --- Questions and replies as data ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("yes\n", Reply(True)), (" N ", Reply(False)), ("Unsure.", Reply(None)), ("q", None),
        ('{"together": true, "confidence": 0.8}', Reply(True, 0.8)),
        ('{"together": null}', Reply(None)),
    ],
)  # fmt: skip
def test_replies_are_read(text, reply):
    assert read_reply(text, "it") == reply


@pytest.mark.parametrize(
    "text",
    ["", "perhaps", "{}", "[1]", '{"together": 1}', '{"together": true, "confidence": 0.5}',
     '{"together": true, "confidence": 2}', '{"together": true, "confidence": NaN}'],
)  # fmt: skip
def test_what_is_no_reply_is_named(text):
    with pytest.raises(CcvizError, match=r"^it replied"):
        read_reply(text, "it")


def test_a_question_has_what_is_known_of_both_points():
    iris = load("iris")
    asked = question_about(iris, 4, (7, 120))
    sent = msgspec.json.decode(msgspec.json.encode(asked))
    assert sent["number"] == 4
    assert [sent[side]["point"] for side in ("one", "two")] == [7, 120]
    assert sent["two"]["features"] == dict(zip(iris.features, iris.X[120].tolist(), strict=True))


def test_known_classes_are_wrong_as_often_as_asked():
    iris = load("iris")
    asked = question_about(iris, 1, (0, 1))
    assert KnownClasses(iris.truth)(asked) == Reply(True)
    answers = KnownClasses(iris.truth, wrong=0.2, seed=1)
    wrong = sum(not answers(asked).together for _ in range(1000))
    assert 150 < wrong < 250
    with pytest.raises(ParameterError, match=r"wrong = 0\.5"):
        KnownClasses(iris.truth, wrong=0.5)


def test_classes_that_are_not_known_answer_nothing():
    iris = load("iris")
    truth = iris.truth.astype(float)
    truth[[1, 60]] = np.nan
    assert KnownClasses(truth)(question_about(iris, 1, (0, 1))) == Reply(None)
    asked = set_question_about(iris, 1, (0, 1, 2, 60, 70))
    assert KnownClasses(truth).odd(asked) == SetReply((70,), (1, 60))


# --- Programs that answer, and programs that do not -----------------------------------------------


def python(code):
    return Program([sys.executable, "-c", code])


@pytest.fixture(scope="module")
def asked():
    return question_about(load("iris"), 1, (0, 1))


def test_a_program_that_waits_for_its_input_ends_with_it(asked):
    echo = "import sys\nfor line in sys.stdin: print('yes', flush=True)"
    with python(echo) as program:
        assert [program(asked), program(asked)] == [Reply(True)] * 2
    assert program._process.returncode == 0


def test_a_program_that_does_not_end_is_ended(asked, monkeypatch):
    monkeypatch.setattr("ccviz.active.oracles.external._FAREWELL_S", 0.1)
    with python("import time\nprint('no', flush=True)\ntime.sleep(600)") as program:
        assert program(asked) == Reply(False)
    assert program._process.returncode != 0


def test_a_program_is_asked_about_sets():
    code = "import json\nprint(json.loads(input())['points'][1]['point'], flush=True)"
    with python(code) as program:
        assert program.odd(set_question_about(load("iris"), 1, (0, 7, 9))) == SetReply((7,))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print('maybe')", "replied 'maybe'"),
        ("import sys; sys.exit(4)", r"ended \(exit code 4\)|cannot be asked"),
        ("import sys; sys.stdout.buffer.write(bytes([255, 10]))", "replied '�'"),
        ("import os, time; os.close(1); time.sleep(600)", "closed its output before"),
        ("print('y' * 200_000)", "replied 'yyyy"),
    ],
)
def test_a_program_that_fails_is_named(asked, code, words, monkeypatch):
    monkeypatch.setattr("ccviz.active.oracles.external._FAREWELL_S", 1.0)
    with python(code) as program, pytest.raises(CcvizError, match=words):
        program(asked)


# --- A language model that answers, played by a server of this test -------------------------------


@pytest.fixture
def server():
    """Return a server whose ``answer`` is a function of the message; ``seen`` are the requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.seen.append((self.headers.get("Authorization"), body))
            code, said = server.answer(body["messages"][-1]["content"])
            self.send_response(code)
            self.send_header("Location", "http://localhost:1/")
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.seen, server.url = [], f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def says(text):
    return 200, json.dumps({"choices": [{"message": {"content": text}}]})


@pytest.mark.parametrize(
    ("text", "reply"),
    [("Yes.", Reply(True)), ("**No**, they differ.", Reply(False)), ("unsure", Reply(None))],
)
def test_a_model_replies_in_its_first_word(server, text, reply):
    server.answer = lambda _: says(text)
    model = ChatModel(server.url, "small", "flowers of one species", "secret")
    assert model(question_about(load("iris"), 1, (0, 1))) == reply
    ((key, sent),) = server.seen
    assert key == "Bearer secret"
    assert sent["model"] == "small"
    assert "flowers of one species" in sent["messages"][-1]["content"]


def test_a_model_is_asked_about_sets(server):
    server.answer = lambda _: says("7, 9")
    model = ChatModel(server.url, "small", "flowers of one species")
    assert model.odd(set_question_about(load("iris"), 1, (0, 7, 9))) == SetReply((7, 9))
    ((_, sent),) = server.seen
    assert "do not belong with the others" in sent["messages"][0]["content"]
    assert '"point":9' in sent["messages"][-1]["content"]


def test_a_model_answers_an_interview(server):
    def answer(text):
        points = [json.loads(line.split(": ", 1)[1])["point"] for line in text.splitlines()[:2]]
        return says("yes" if points[0] // 50 == points[1] // 50 else "no")

    server.answer = answer
    iris = load("iris")
    learner = Learner(iris.X, k=3)
    why = interview(learner, iris, ChatModel(server.url, "small"), questions=12)
    assert why == "that were all the questions asked for."
    assert len(server.seen) == 12
    assert not learner.answers.broken


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (says("It depends"), "the model 'small' replied 'It'"),
        ((200, "<html>"), "not answer in the form of a chat"),
        ((200, '{"choices": []}'), "not answer in the form of a chat"),
        ((403, ""), "answered 403"),
        ((307, ""), "answered 307"),
    ],
)
def test_a_server_that_does_not_answer_is_named(server, answer, words):
    server.answer = lambda _: answer
    with pytest.raises(CcvizError, match=words):
        ChatModel(server.url, "small")(question_about(load("iris"), 1, (0, 1)))


def test_a_server_that_is_not_there_is_named():
    with pytest.raises(CcvizError, match=r"the server 127\.0\.0\.1 cannot be reached"):
        ChatModel("http://127.0.0.1:1/", "small")(question_about(load("iris"), 1, (0, 1)))


@pytest.mark.parametrize(
    "url", ["http://lab.example/v1", "file:///etc/passwd", "ftp://localhost/", "https://", "v1"]
)
def test_questions_go_nowhere_in_the_clear(url):
    with pytest.raises(ParameterError, match="is not an https address"):
        ChatModel(url, "small")
