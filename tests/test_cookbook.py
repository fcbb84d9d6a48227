"""Every recipe of the cookbook runs, and prints what the page says."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from ccviz.cli import main

PAGE = (Path(__file__).parents[1] / "docs" / "cookbook.md").read_text(encoding="utf-8")
TABLES = dict(re.findall(r":caption: (\S+)\n\n(.*?)```", PAGE, re.DOTALL))
RECIPES = [part.partition("\n") for part in PAGE.split("\n## ")[1:-1]]


@pytest.mark.parametrize("recipe", [pytest.param(text, id=name) for name, _, text in RECIPES])
def test_a_recipe_runs_and_prints_what_it_says(recipe, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path / "home"))
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    [(language, code)] = re.findall(r"```(sh|python)\n(.*?)```", recipe, re.DOTALL)
    lines = code.splitlines()
    assert len(lines) <= 10
    if language == "python":
        exec(compile(code, "recipe", "exec"), {})
    for line in lines if language == "sh" else ():
        monkeypatch.setattr(sys, "argv", shlex.split(line, comments=True))
        expected = re.search(r"# exit (\d)", line)
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code or 0) == int(expected[1] if expected else 0)
    said = " ".join(" ".join(capsys.readouterr()).split())
    [printed] = re.findall(r":class: printed\n\n(.*?)```", recipe, re.DOTALL)
    assert [line for line in printed.splitlines() if line not in said] == [], said


def test_there_are_as_many_recipes_as_people_ask_for():
    assert len(RECIPES) >= 25
