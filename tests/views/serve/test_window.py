import pytest

from ccviz.errors import CcvizError
from ccviz.views.serve.window import find_browser, open_window


def test_without_a_browser_a_sentence_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CcvizError, match="none of them is installed here; 'ccviz app --show'"):
        find_browser()


def test_a_browser_that_does_not_start_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "nothing"))
    with pytest.raises(CcvizError, match="nothing cannot be started: No such file"):
        open_window("http://127.0.0.1:1/main", tmp_path)
