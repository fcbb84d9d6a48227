"""The page of promises names tests that are there; tests/test_figures.py holds its figures."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_is_there():
    named = re.findall(r"`(tests/[\w/.]+)`", PAGE)
    assert len(named) > 10
    assert not [path for path in named if not (ROOT / path).exists()]
