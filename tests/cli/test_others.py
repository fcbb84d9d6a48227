"""Solvers, the dashboard's command, help, and words that mean nothing."""

import sys

import pytest

from ccviz.cli.serve import serve_command
from ccviz.solvers import SOLVERS


def test_solvers_lists_the_registry(ccviz):
    done = ccviz("solvers")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[1:]] == [s.name for s in SOLVERS]


def test_solvers_shows_the_parameters_of_one(ccviz):
    done = ccviz("solvers", "cop-kmeans")
    assert "Wagstaff" in done.out
    assert "n_init" in done.out
    assert ccviz("solvers", "nobody").code == 2


def test_help(ccviz):
    assert "solve" in ccviz("--help").out
    assert "--time-limit" in ccviz("solve", "--help").out


@pytest.mark.parametrize("words", [["dance"], ["--dance"]])
def test_unknown_words_are_one_sentence(ccviz, words):
    done = ccviz(*words)
    assert done.code == 2
    assert "dance" in done.sentence


def test_the_dashboard_is_served_to_this_machine_only():
    command = serve_command(port=5007, show=False)
    assert command[:4] == [sys.executable, "-m", "panel", "serve"]
    assert command[4].endswith("apps/main.py")
    assert command[command.index("--address") + 1] == "127.0.0.1"
    assert command[command.index("--port") + 1] == "5007"
    assert "--allow-websocket-origin=localhost:5007" in command
    assert serve_command(5007, show=True)[-1] == "--show"


def test_a_port_that_is_none_is_refused(ccviz):
    assert ccviz("app", "--port", "70000").code == 2
