import sys
from types import SimpleNamespace

import pytest

from ccviz import Problem, api, solve, start
from ccviz.numbers import number

X = [[0.0], [0.1], [1.0], [1.1]]


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(api, "_DELAY_S", 0.0)
    monkeypatch.setattr(api, "_EVERY_S", 0.0)


def test_nobody_watches_a_pipe(capsys):
    assert not api.is_interactive()
    solve(Problem(X, 2), "ipc-kmeans")
    assert capsys.readouterr().err == ""


def test_a_terminal_is_watched(monkeypatch):
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    assert api.is_interactive()


def test_a_notebook_is_watched(monkeypatch):
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert api.is_interactive()


def test_the_bar_tells_solver_and_objective(at_once, capsys):
    result = solve(Problem(X, 2), "ipc-kmeans", progress=True)
    shown = capsys.readouterr().err
    assert "ipc-kmeans" in shown
    assert f"objective {number(result.objective)}" in shown


def test_with_and_without_a_bar_alike():
    problem = Problem(X, 2)
    watched = api.drain(start(problem, "ipc-kmeans", seed=3))
    assert watched.labels.tolist() == solve(problem, "ipc-kmeans", seed=3).labels.tolist()


def test_short_runs_show_no_bar(capsys):
    solve(Problem(X, 2), "ipc-kmeans", progress=True)
    assert capsys.readouterr().err == ""
