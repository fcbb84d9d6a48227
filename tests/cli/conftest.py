"""The command line: in this process where that is enough, and as a process of its own."""

import math
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ccviz.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The one line on stderr that bad input ends in."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("ccviz: ")
        assert self.out == ""
        return lines[0].removeprefix("ccviz: ")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder that commands run in; the archive is in it, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def command(folder):
    """Return the words that start ccviz as a process of its own."""
    return [str(Path(sys.executable).with_name("ccviz"))]


@pytest.fixture
def ccviz(folder, monkeypatch, capsys):
    """Run ccviz and return how it ended; it tells of no progress, however slow the machine is."""
    monkeypatch.setattr("ccviz.cli.common._LOGGED_S", math.inf)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ccviz", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(ended.value.code or 0, *capsys.readouterr())

    return run
