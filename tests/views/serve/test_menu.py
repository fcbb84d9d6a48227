import configparser
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ccviz.errors import CcvizError
from ccviz.views.serve.desktop import install_entry


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_menu_has_an_entry_that_opens_files(home):
    entry, icon, kinds = install_entry()
    read = configparser.RawConfigParser()
    read.optionxform = str
    read.read(entry)
    command = shlex.split(read["Desktop Entry"]["Exec"])
    assert command == [str(Path(sys.executable).with_name("ccviz")), "desktop", "%f"]
    named = set(filter(None, read["Desktop Entry"]["MimeType"].split(";")))
    globs = {each.get("type"): [part.get("pattern") for part in each if part.get("pattern")]
             for each in ElementTree.parse(kinds).getroot()}  # fmt: skip
    assert globs == {
        "application/x-ccviz-project": ["*.ccvizlab"], "application/x-ccviz-run": ["*.ccviz"],
    }  # fmt: skip
    assert set(globs) < named
    assert ElementTree.parse(icon).getroot().tag.endswith("svg")


def test_a_path_with_odd_letters_is_quoted(home, monkeypatch):
    monkeypatch.setattr(sys, "executable", 'my "50%" $env/bin/python')
    entry = install_entry()[0].read_text(encoding="utf-8")
    assert 'Exec="my \\\\"50%%\\\\" \\\\$env/bin/ccviz" desktop %f' in entry


def test_what_cannot_be_written_is_a_sentence(home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where a folder should be")
    with pytest.raises(CcvizError, match="cannot be written"):
        install_entry()
