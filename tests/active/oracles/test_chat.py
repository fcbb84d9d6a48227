"""A language model that answers, played by a server of this test."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ccviz.active import Learner
from ccviz.active.oracles import ChatModel, Reply, SetReply, interview
from ccviz.active.oracles.question import question_about, set_question_about
from ccviz.data.datasets import load
from ccviz.errors import CcvizError, ParameterError


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
