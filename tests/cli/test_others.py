"""Solvers, the dashboard's command, help, and words that mean nothing."""

import json
import os
import subprocess
import sys

import pytest

from ccviz import __version__, distribution
from ccviz.cli import cli
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


def test_solvers_as_json(ccviz):
    listed = json.loads(ccviz("solvers", "--json").out)
    assert [each["name"] for each in listed] == [solver.name for solver in SOLVERS]
    one = json.loads(ccviz("solvers", "blp-kmeans", "--json").out)
    assert one["supports"]["sizes"]
    assert {"name", "default", "meaning", "choices"} == set(one["parameters"][0])


def test_the_version(ccviz):
    assert ccviz("--version").out == f"ccviz {__version__}\n"


def test_python_runs_the_package(folder):
    run = [sys.executable, "-m", "ccviz", "--version"]
    assert subprocess.check_output(run, text=True) == f"ccviz {__version__}\n"


def completed(command, words):
    """Return what a shell offers for the last of some words."""
    asked = {"_CCVIZ_COMPLETE": "zsh_complete", "COMP_WORDS": words, "COMP_CWORD": "1"}
    done = subprocess.check_output(command, env=os.environ | asked, text=True)
    return done.splitlines()[1::3]


def test_a_shell_completes_the_commands(command, folder):
    script = subprocess.check_output([*command, "--completion", "zsh"], text=True)
    assert "_CCVIZ_COMPLETE=zsh_complete" in script
    assert completed(command, "ccviz ver") == ["verify"]


def test_a_shell_offers_no_name_of_before(command, folder):
    assert completed(command, "ccviz s") == ["solve", "solvers", "show"]
    assert completed(command, "ccviz n") == ["noise-study", "nearest"]


def test_quiet_prints_nothing(ccviz):
    done = ccviz("solve", "iris", "--sizes", "equal", "--quiet", "--no-archive")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert ccviz("solve", "nothing", "--quiet").sentence


def test_another_package_of_the_same_name_is_named(monkeypatch, capsys):
    """Its command calls `ccviz.cli.cli`, which is ours where its files lie over ours."""
    monkeypatch.setattr(distribution, "metadata", lambda name: {"Summary": "Something else"})
    with pytest.raises(SystemExit) as ended:
        cli()
    assert ended.value.code == 2
    assert "pip uninstall ccviz" in capsys.readouterr().err


def test_a_checkout_installed_under_the_old_name_is_no_stranger(monkeypatch):
    ours = {"Summary": "An interactive laboratory for constrained clustering: exact and more."}
    monkeypatch.setattr(distribution, "metadata", lambda name: ours)
    assert distribution.wrong_package_message() == ""


def test_help(ccviz):
    assert "solve" in ccviz("--help").out
    about = ccviz("solve", "--help").out
    assert "--time-limit" in about
    assert "File (CSV" in about  # of the argument


def test_no_command_is_answered_by_the_help(ccviz):
    done = ccviz()
    assert (done.code, done.out) == (2, "")
    assert "solve" in done.err


def test_the_page_is_found():
    assert find_page().as_posix().endswith("apps/main.py")


def test_tokens_may_be_in_the_environment(ccviz, monkeypatch):
    served = []
    monkeypatch.setattr("ccviz.views.serve.server.serve", lambda serving, _: served.append(serving))
    monkeypatch.setenv("CCVIZ_TOKEN", "one")
    monkeypatch.setenv("CCVIZ_TEACHER_TOKEN", "two")
    assert ccviz("app", "--class").code == 0
    assert (served[0].token, served[0].teacher_token) == ("one", "two")
