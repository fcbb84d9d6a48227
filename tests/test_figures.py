"""Figures on the pages are those of the tables; the words around them are free."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def fill(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import fill

    return fill


def test_every_figure_on_a_page_is_its_tables(fill):
    found = {path.name: list(fill.faults(path.read_text("utf-8"))) for path in fill.PAGES}
    assert not {name: faults for name, faults in found.items() if faults}


def test_readme_and_the_promises_have_figures(fill):
    for name in ("README.md", "docs/promises.md"):
        assert len(fill.MARKED.findall((ROOT / name).read_text("utf-8"))) >= 5, name


def test_an_old_figure_is_named_and_filled(fill):
    page = "proved in <!--n:sdp-cpu-->1<!--/n--> CPU seconds"
    now = fill.figures()["sdp-cpu"]
    assert list(fill.faults(page)) == [f"sdp-cpu is {now}, and the page says 1: run 'make figures'"]
    assert fill.filled(page) == f"proved in <!--n:sdp-cpu-->{now}<!--/n--> CPU seconds"
    assert list(fill.faults(fill.filled(page))) == []


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("in <!--n:no-such-->1<!--/n--> s", "no figure is called 'no-such'"),
        ("in <!--n:sdp-cpu-->339 s", "<!--n:sdp-cpu--> has no partner"),
        ("in <!-- n:sdp-cpu -->339<!--/n--> s", "<!-- n:sdp-cpu --> has no partner"),
    ],
)
def test_a_mark_that_is_not_read_is_named(fill, page, sentence):
    assert sentence in next(fill.faults(page))
    assert fill.filled(page) == page


def test_a_mark_that_would_be_taken_for_html_is_named(fill):
    mark = f"<!--n:sdp-cpu-->{fill.figures()['sdp-cpu']}<!--/n-->"
    assert "begins a line" in next(fill.faults(f"text\n  {mark} s"))
    assert "begins a line" in next(fill.faults(f"- {mark} s"))
    assert not list(fill.faults(f"| {mark} |"))


def test_no_two_figures_have_one_name(fill):
    import figures

    assert sum(len(source()) for source in figures.SOURCES) == len(figures.figures())
