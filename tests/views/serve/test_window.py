import re
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ccviz.errors import CcvizError
from ccviz.views.serve.desktop import find_browser, open_window


def test_without_a_browser_a_sentence_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CcvizError, match="none of them is installed here; 'ccviz app --show'"):
        find_browser()


def test_a_browser_that_does_not_start_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "nothing"))
    with pytest.raises(CcvizError, match="nothing cannot be started: No such file"):
        open_window("http://127.0.0.1:1/main", tmp_path)


def test_no_one_reads_the_token_in_the_list_of_processes(monkeypatch, tmp_path):
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {seen}\n")
    browser.chmod(0o700)
    monkeypatch.setenv("CHROMIUM", str(browser))
    address = "http://127.0.0.1:1/main?token=WORD&x=1"
    open_window(address, tmp_path).wait()
    arguments = seen.read_text()
    assert "WORD" not in arguments
    page = Path(urlsplit(re.search("--app=(.*)", arguments)[1]).path)
    assert page.stat().st_mode & 0o077 == 0
    assert unescape(page.read_text()).endswith(f'url={address}">')
