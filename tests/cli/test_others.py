"""Solvers, the dashboard's command, help, and words that mean nothing."""

import pytest

from ccviz.cli.serve import find_page
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


def test_the_page_is_found():
    assert find_page().as_posix().endswith("apps/main.py")


def test_others_are_let_in_on_purpose_only(ccviz):
    done = ccviz("app", "--address", "0.0.0.0")
    assert done.code == 2
    assert "give a --token, or serve a --class" in done.sentence


def test_a_port_that_is_none_is_refused(ccviz):
    assert ccviz("app", "--port", "70000").code == 2
