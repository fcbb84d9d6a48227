"""Programs that answer, and programs that do not."""

import sys

import pytest

from ccviz.active.oracles import Program, Reply, SetReply
from ccviz.active.oracles.question import question_about, set_question_about
from ccviz.data.datasets import load
from ccviz.errors import CcvizError


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
